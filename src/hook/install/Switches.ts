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

type Setting = (settings: Data) => Said

const inJson = (text: string): unknown => {
  const node = Jsonc.parse(text)
  return node === undefined ? undefined : Jsonc.valueOf(node)
}

interface Layers {
  /** The strongest first: what one says of a setting, no later one changes. */
  readonly files: ReadonlyArray<string>
  readonly settings: ReadonlyArray<Setting>
  /** What they are written in; JSON with comments if unset. */
  readonly format?: "toml"
}

const noHooks = (settings: Data): Said => flag(settings, true, "disableAllHooks")

const managedOnly = (settings: Data): Said => flag(settings, true, "allowManagedHooksOnly")

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
        ...(ofSystem === undefined ? [] : [{ files: [ofSystem], settings: [noHooks, managedOnly] }]),
        {
          files: [
            path.join(project, ".claude", "settings.local.json"),
            path.join(project, ".claude", "settings.json"),
            userFile
          ],
          settings: [noHooks]
        }
      ]
    }
    case "codex":
      return [
        {
          files: [path.join(project, ".codex", "config.toml"), beside("config.toml")],
          settings: [
            (all) => flag(all, false, "features", "hooks"),
            (all) => flag(all, false, "features", "codex_hooks")
          ],
          format: "toml"
        }
      ]
    case "gemini":
    case "qwen":
      return [
        {
          files: [setup.project(project), userFile],
          settings: [
            noHooks,
            (all) => flag(all, false, "hooksConfig", "enabled"),
            (all) => flag(all, false, "hooks", "enabled"),
            (all) => flag(all, false, "tools", "enableHooks"),
            (all) => named(all, "hooksConfig", "disabled"),
            (all) => named(all, "hooks", "disabled")
          ]
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
          settings: [noHooks]
        }
      ]
    default:
      return []
  }
}

/** What each setting says in one file; a file that cannot be read says nothing. */
const saidIn = (file: string, { format, settings }: Layers): Effect.Effect<ReadonlyArray<Said>> =>
  Effect.gen(function* () {
    const text = (yield* contentOf(file)) ?? ""
    const read = format === "toml" ? (yield* Effect.promise(() => import("toml"))).parse : inJson
    const value = yield* Effect.try((): unknown => read(text))
    return settings.map((said) => (isData(value) ? said(value) : undefined))
  }).pipe(Effect.orElseSucceed(() => settings.map(() => undefined)))

/** The settings by which an agent runs no hooks here, those of the user and of the project. */
export const switchesOf = (setup: Setup, userFile: string, project: string): Effect.Effect<ReadonlyArray<Switch>> =>
  Effect.map(
    Effect.forEach(layersOf(setup, userFile, project), (layers) =>
      Effect.map(
        Effect.forEach(layers.files, (file) => Effect.map(saidIn(file, layers), (said) => ({ file, said }))),
        (found) =>
          layers.settings.flatMap((_, index): ReadonlyArray<Switch> => {
            const strongest = found.find(({ said }) => said[index] !== undefined)
            const setting = strongest?.said[index]
            return strongest === undefined || setting === undefined || setting === "on"
              ? []
              : [{ file: strongest.file, setting }]
          })
      )
    ),
    (switches) => switches.flat()
  )
