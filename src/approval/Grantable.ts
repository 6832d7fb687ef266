import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { PreviewTarget } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { type GrantedWorkers, workersOf } from "./Grants.ts"
import { type Rule } from "./Rule.ts"
import { RuleBook } from "./RuleBook.ts"
import { sourcesOf } from "./Sources.ts"
import type { Subject } from "./Subject.ts"
import type { FileHash } from "./FileHash.ts"

/** What an answer to a call could cover beyond it. */
export interface Grantable {
  readonly sessionId: string
  readonly workers: GrantedWorkers
  readonly tool: string
  readonly subject: Subject
  /** The files that decide what the call does, as they were when it was asked for; absent where nobody knows all of them. */
  readonly basis: ReadonlyArray<PreviewTarget> | undefined
  /** What `always` would save, without its id; absent where no rule says just that. */
  readonly rule: Rule | undefined
}

type Hash = FileHash["Type"]["hash"]

/** The hashes of the files now; absent where one is not known. */
const hashes = (hash: Hash, paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<PreviewTarget> | undefined> =>
  paths.length === 0
    ? Effect.succeed([])
    : Effect.map(
        Effect.forEach(paths, (path) => Effect.map(hash(path), (baseHash) => ({ path, baseHash }))),
        (found) => (found.every((target): target is PreviewTarget => target.baseHash !== undefined) ? found : undefined)
      )

/** The same files as they are now. */
export const rehashed = (
  hash: Hash,
  basis: ReadonlyArray<PreviewTarget>
): Effect.Effect<ReadonlyArray<PreviewTarget> | undefined> =>
  hashes(
    hash,
    basis.map(({ path }) => path)
  )

/** Whether the files are what they were. */
export const unchanged = (hash: Hash, basis: ReadonlyArray<PreviewTarget> | undefined): Effect.Effect<boolean> =>
  basis === undefined || basis.length === 0
    ? Effect.succeed(true)
    : Effect.map(
        Effect.forEach(basis, ({ baseHash, path }) => Effect.map(hash(path), (now) => now === baseHash)),
        (same) => same.every(Boolean)
      )

const literal = (path: string): string => path.replaceAll(/[\\*?[\]{}]/g, "\\$&")

/** The rule that covers just this; commands are saved word for word, not as a beginning. */
const ruleOf = (
  tool: string,
  { bare, hosts, isHere, paths, shape }: Subject,
  basis: ReadonlyArray<PreviewTarget>
): Rule | undefined => {
  const common = { id: "", decision: "allow", level: "user", tool, exact: true } as const
  const rule: Rule | undefined =
    shape !== undefined
      ? isHere && shape.complete && shape.isList && shape.commands.length === 1 && shape.commands[0] !== undefined
        ? { ...common, argv: shape.commands[0], ...(basis.length === 0 ? {} : { basis }) }
        : undefined
      : !bare
        ? undefined
        : paths?.length === 1 && paths[0] !== undefined
          ? { ...common, path: literal(paths[0]) }
          : hosts?.length === 1 && hosts[0] !== undefined
            ? { ...common, host: `${hosts[0].name}:${hosts[0].port}` }
            : undefined
  if (rule === undefined || Either.isLeft(RuleBook.make([rule], { root: "/", trusted: true }))) return undefined
  return rule
}

/** The files that an answer to the call relies on; absent where nobody knows all of them. */
const basisOf = (
  { directory, shape }: Subject,
  files: FileHash["Type"]
): Effect.Effect<ReadonlyArray<PreviewTarget> | undefined> =>
  shape === undefined
    ? Effect.succeed([])
    : !shape.complete
      ? Effect.succeed(undefined)
      : Effect.flatMap(sourcesOf(shape.commands, directory, files), (paths) =>
          paths === undefined ? Effect.succeed(undefined) : hashes(files.hash, paths)
        )

export const grantable = (call: ToolCall, subject: Subject, files: FileHash["Type"]): Effect.Effect<Grantable> =>
  Effect.map(basisOf(subject, files), (basis) => ({
    sessionId: call.sessionId,
    workers: workersOf(call.workerPath),
    tool: call.name,
    subject,
    basis,
    rule: basis === undefined ? undefined : ruleOf(call.name, subject, basis)
  }))
