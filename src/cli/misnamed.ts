import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Configuration } from "../config/Configuration.ts"
import type { Settings } from "../config/Settings.ts"
import type { ProjectConfig } from "../host/ProjectConfig.ts"
import { makeVisible } from "../text/visible.ts"
import { Ui } from "../ui/Ui.ts"
import { similar } from "./Guard.ts"
import { tools } from "../tools/Builtin.ts"

/** A name in the configuration that no tool has: its entry has no effect. */
export interface Misnamed {
  readonly source: string
  readonly key: string
  readonly problem: string
  /** What mends it, a command each. */
  readonly mend: ReadonlyArray<string>
}

/** How many are shown at the start of a run; `doctor` shows all. */
const maxTold = 5

type Named = Pick<Settings, "hooks" | "limits" | "approvals" | "workers">

const namesIn = ({
  approvals,
  hooks = [],
  limits = [],
  workers = {}
}: Named): ReadonlyArray<readonly [key: string, name: string]> => [
  ...hooks.map(({ tool }, index) => [`hooks.${index}.tool`, tool] as const),
  ...limits.flatMap(({ tools }, index) =>
    tools === "*" ? [] : tools.map((name, place) => [`limits.${index}.tools.${place}`, name] as const)
  ),
  ...Object.entries(workers).flatMap(([worker, { tools = [] }]) =>
    tools.map((name, place) => [`workers.${worker}.tools.${place}`, name] as const)
  ),
  ...(approvals?.rules ?? []).map(({ tool }, index) => [`approvals.rules.${index}.tool`, tool] as const)
]

const known: ReadonlyArray<string> = tools.map(({ name }) => name)

/** What no name of a tool has in it. */
const pattern = /[*?[\]{}]/

const problemOf = (name: string): string => {
  const near = similar(name, known)
  const hint =
    near !== undefined
      ? `did you mean ${near}?`
      : pattern.test(name)
        ? "patterns are not supported: name each tool, or use * for all"
        : `known tools: ${known.join(", ")}`
  return `unknown tool ${name.slice(0, 80)}; ${hint}`
}

const within = (
  named: Named,
  servers: ReadonlyArray<string>,
  source: (key: string) => string,
  canMend: boolean
): ReadonlyArray<Misnamed> =>
  namesIn(named)
    .filter(([, name]) => name !== "*" && !known.includes(name))
    .filter(([, name]) => pattern.test(name) || !servers.some((one) => name.startsWith(`${one}__`)))
    .map(([key, name]) => {
      const near = similar(name, known)
      const mend = canMend && near !== undefined ? [`tollgate config set ${key} ${near}`] : []
      return { source: source(key), key, problem: problemOf(name), mend }
    })

/** Every such name, of the user and of the project, trusted or not. */
export const misnamed = ({ file }: ProjectConfig): Effect.Effect<ReadonlyArray<Misnamed>, never, Configuration> =>
  Effect.map(Configuration, ({ entries, home, settings }) => {
    const sourceOf = (key: string) => entries.find((entry) => key.startsWith(`${entry.key}.`))?.source ?? home.config
    const servers = [
      ...Object.keys(settings.mcp?.servers ?? {}),
      ...Option.match(file, { onNone: () => [], onSome: ({ servers }) => servers.servers.map(({ name }) => name) })
    ]
    const brought = Option.flatMap(file, ({ file, settings }) =>
      Option.map(Either.getRight(settings), (ofProject) => within(ofProject, servers, () => file, false))
    )
    return [...within(settings, servers, sourceOf, true), ...Option.getOrElse(brought, () => [])]
  })

/** Says so where a hook, a limit or a rule does nothing because no tool has the name. */
export const warn = (config: ProjectConfig): Effect.Effect<void, never, Configuration | Ui> =>
  Effect.gen(function* () {
    const ui = yield* Ui
    const found = yield* misnamed(config)
    const more = found.length > maxTold ? [`${found.length - maxTold} more; see tollgate doctor`] : []
    const texts = found
      .slice(0, maxTold)
      .map(({ key, problem, source }) => `${source}: ${key} has no effect: ${problem}`)
    yield* Effect.forEach(
      [...texts, ...more],
      (text) => ui.display({ _tag: "Note", level: "warning", text: makeVisible(text) }),
      { discard: true }
    )
  })
