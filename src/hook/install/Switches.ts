import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Jsonc from "../../text/Jsonc.ts"
import { type Data, isData } from "../ForeignCall.ts"
import { contentOf } from "./Installation.ts"
import { type Setup } from "./Setup.ts"

/** A setting by which an agent runs no hooks, or not ours, wherever they are entered. */
export interface Switch {
  readonly file: string
  /** As it stands there. */
  readonly setting: string
}

/** What a file says: that hooks are off, by which setting; that they are on; or nothing. */
type Said = string | "on" | undefined

const flag = (settings: Data, off: boolean, ...keys: ReadonlyArray<string>): Said => {
  const value = keys.reduce<unknown>((at, key) => (isData(at) ? at[key] : undefined), settings)
  return typeof value !== "boolean" ? undefined : value === off ? `${keys.join(".")} is ${off}` : "on"
}

const named = (settings: Data, ...keys: ReadonlyArray<string>): Said => {
  const list = keys.reduce<unknown>((at, key) => (isData(at) ? at[key] : undefined), settings)
  return Array.isArray(list) && list.some((one) => typeof one === "string" && /\btollgate\b/.test(one))
    ? `${keys.join(".")} names tollgate`
    : undefined
}

/** A member of a table of a TOML file, wherever its header stands. */
const featureOff = (text: string): Said => {
  const [, table = ""] = /^\s*\[\s*features\s*\][^\n]*\n([\s\S]*?)(?=^\s*\[|(?![\s\S]))/m.exec(text) ?? []
  const [, own] = /^\s*((?:codex_)?hooks)\s*=\s*false\b/m.exec(table) ?? []
  const [, dotted] = /^\s*features\s*\.\s*((?:codex_)?hooks)\s*=\s*false\b/m.exec(text) ?? []
  const [, inline] = /^\s*features\s*=\s*\{[^}\n]*\b((?:codex_)?hooks)\s*=\s*false\b/m.exec(text) ?? []
  const key = own ?? dotted ?? inline
  return key === undefined ? undefined : `features.${key} is false`
}

/** Reads the settings of JSON with comments; what cannot be read says nothing. */
const inJson =
  (...settings: ReadonlyArray<(settings: Data) => Said>) =>
  (text: string): ReadonlyArray<Said> => {
    const node = Jsonc.parse(text)
    const value = node === undefined ? undefined : Jsonc.valueOf(node)
    return settings.map((said) => (isData(value) ? said(value) : undefined))
  }

interface Layers {
  /** The strongest first: what one says of a setting, no later one changes. */
  readonly files: ReadonlyArray<string>
  readonly read: (text: string) => ReadonlyArray<Said>
}

const noHooks = (settings: Data): Said => flag(settings, true, "disableAllHooks")

const managed: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: "/etc/claude-code/managed-settings.json",
  darwin: "/Library/Application Support/ClaudeCode/managed-settings.json"
}

/** The files in which an agent can be told to run no hooks, by its own file in the user's directory. */
const layersOf = (setup: Setup, userFile: string, project: string): ReadonlyArray<Layers> => {
  const beside = (...names: ReadonlyArray<string>): string => path.join(path.dirname(userFile), ...names)
  switch (setup.agent) {
    case "claude": {
      const { [process.platform]: ofSystem } = managed
      return [
        ...(ofSystem === undefined
          ? []
          : [{ files: [ofSystem], read: inJson(noHooks, (all) => flag(all, true, "allowManagedHooksOnly")) }]),
        {
          files: [
            path.join(project, ".claude", "settings.local.json"),
            path.join(project, ".claude", "settings.json"),
            userFile
          ],
          read: inJson(noHooks)
        }
      ]
    }
    case "codex":
      return [
        {
          files: [path.join(project, ".codex", "config.toml"), beside("config.toml")],
          read: (text) => [featureOff(text)]
        }
      ]
    case "gemini":
    case "qwen":
      return [
        {
          files: [setup.project(project), userFile],
          read: inJson(
            noHooks,
            (all) => flag(all, false, "hooksConfig", "enabled"),
            (all) => flag(all, false, "hooks", "enabled"),
            (all) => flag(all, false, "tools", "enableHooks"),
            (all) => named(all, "hooksConfig", "disabled"),
            (all) => named(all, "hooks", "disabled")
          )
        }
      ]
    case "copilot":
      return [
        {
          files: [
            path.join(project, ".github", "copilot", "settings.local.json"),
            path.join(project, ".github", "copilot", "settings.json"),
            beside("..", "settings.json"),
            beside("..", "config.json")
          ],
          read: inJson(noHooks)
        }
      ]
    default:
      return []
  }
}

/** The settings by which an agent runs no hooks here, those of the user and of the project. */
export const switchesOf = (setup: Setup, userFile: string, project: string): Effect.Effect<ReadonlyArray<Switch>> =>
  Effect.map(
    Effect.forEach(layersOf(setup, userFile, project), ({ files, read }) =>
      Effect.map(
        Effect.forEach(files, (file) =>
          contentOf(file).pipe(
            Effect.flatMap((text) => Effect.try(() => (text === undefined ? [] : read(text)))),
            Effect.orElseSucceed((): ReadonlyArray<Said> => []),
            Effect.map((said) => ({ file, said }))
          )
        ),
        (found) => {
          const most = Math.max(0, ...found.map(({ said }) => said.length))
          return Array.from({ length: most }, (_, index) => {
            const strongest = found.find(({ said }) => said[index] !== undefined)
            const setting = strongest?.said[index]
            return strongest === undefined || setting === undefined || setting === "on"
              ? []
              : [{ file: strongest.file, setting }]
          }).flat()
        }
      )
    ),
    (switches) => switches.flat()
  )
