import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { PathContext } from "../../src/policy/path/PathContext.ts"
import { judgeLexical } from "../../src/policy/path/PathPolicy.ts"
import { classify } from "../../src/policy/shell/ShellPolicy.ts"
import type { Verdict } from "../../src/policy/Verdict.ts"

const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
  Schema.optionalWith(schema, { exact: true, default: () => value })

const Place = Schema.Struct({
  cwd: withDefault(Schema.String, "/w"),
  roots: withDefault(Schema.Array(Schema.String), ["/w"]),
  home: withDefault(Schema.String, "/home/u"),
  trusted: withDefault(Schema.Boolean, false),
  hardenedGit: withDefault(Schema.Boolean, false)
})

/** A shell text and where it would run: in `/w`, its only root, unless it says otherwise. */
export const ShellInput = Schema.Struct({ command: Schema.String, context: withDefault(Place, Place.make({})) })
export type ShellInput = typeof ShellInput.Type

/** Judges a text with the path policy by the letter: nothing needs to exist, so that a pattern stands for itself. */
export const judgeShell = ({ command, context }: ShellInput): Verdict => {
  const place: PathContext = { ...context, stateDirs: [`${context.cwd}/.tollgate`] }
  return classify(command, {
    ...context,
    judgePath: (path, op) => judgeLexical(path, op === "write" ? "write" : "grep", place),
    expand: () => Either.right([])
  })
}
