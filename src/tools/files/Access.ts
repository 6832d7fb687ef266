import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { PathContext } from "../../policy/path/PathContext.ts"
import type { PathOp } from "../../policy/path/PathOp.ts"
import { forCall } from "../../policy/path/HardLink.ts"
import { isRememberable, judge, judgeNow, type JudgedPath } from "../../policy/path/PathPolicy.ts"
import { PathRefused } from "../../policy/path/PathRefused.ts"
import { protectedVerdict } from "../../policy/path/Protected.ts"
import type { Preview } from "../../tool/Preview.ts"
import { directoryOf } from "../../tool/Spill.ts"
import type { ToolCall } from "../../tool/ToolCall.ts"
import { Workspace } from "../Workspace.ts"

/** An operation that changes nothing. */
export type Seeing = Exclude<PathOp, "write" | "remove">

/** The gate's side of a tool that only looks: it asks where the path policy does, and is refused before anyone is asked. */
export interface Access<Params, Op extends Seeing> {
  readonly judge: (params: Params) => Effect.Effect<JudgedPath<Op>, PathRefused, Workspace>
  readonly approval: (params: Params) => Effect.Effect<boolean, PathRefused, Workspace>
  readonly preview: (params: Params) => Effect.Effect<Preview, PathRefused, Workspace>
  /** The path once more, for use: fails where it needs a decision that was not made about this very place. */
  readonly open: (params: Params, call: ToolCall) => Effect.Effect<JudgedPath<Op>, PathRefused, Workspace>
}

/** `text` says which path, or for `glob` which pattern, the parameters name. */
export const make = <Params, Op extends Seeing>(op: Op, text: (params: Params) => string): Access<Params, Op> => {
  const judgedIn = (params: Params, of: (context: PathContext) => PathContext) =>
    Effect.flatMap(Workspace, ({ context }) => judge(text(params), op, of(context)))
  const judged = (params: Params) => judgedIn(params, (context) => context)
  return {
    judge: judged,
    approval: (params) => Effect.map(judged(params), ({ verdict }) => verdict.decision !== "allow"),
    preview: (params) =>
      Effect.map(judged(params), (path) => ({
        summary: `${op} ${path.requested}: ${path.verdict.reason}`,
        targets: [{ path: path.path, baseHash: null }],
        ...once([path])
      })),
    open: (params, call) =>
      Effect.flatMap(
        judgedIn(params, (context) => forCall(inSession(context, call.sessionId))),
        (path) => decided(path, call)
      )
  }
}

/** The boundary of one session, which may read no results but its own. */
const inSession = (context: PathContext, session: string): PathContext =>
  context.readable === undefined
    ? context
    : { ...context, readable: context.readable.map((directory) => directoryOf(directory, session)) }

/** For a preview: whether consent to these paths is for one call only. */
export const once = (paths: ReadonlyArray<JudgedPath>): { readonly once?: true } =>
  paths.some(({ verdict }) => verdict.decision === "ask" && !isRememberable(verdict)) ? { once: true } : {}

/**
 * The path, if the policy allows it or if the call has a decision. One that was made on what was shown is about the paths
 * that were shown; one by a rule or a grant is about the parameters.
 */
export const decided = <Op extends PathOp>(
  judged: JudgedPath<Op>,
  call: ToolCall
): Effect.Effect<JudgedPath<Op>, PathRefused> =>
  judged.verdict.decision === "allow" ||
  (call.preview === undefined ? call.decided === true : call.preview.targets.some(({ path }) => path === judged.path))
    ? Effect.succeed(judged)
    : new PathRefused({ operation: judged.op, path: judged.requested, verdict: judged.verdict })

/**
 * A file below a directory that was opened for looking, if its content may be read without a further question. Consent to a
 * directory outside the roots covers what is in it, but not what usually holds secrets.
 */
export const within = (path: string, opened: JudgedPath<Seeing>): JudgedPath<"read"> | undefined => {
  const judged = judgeNow(path, "read", opened.context)
  if (Either.isLeft(judged)) return undefined
  const { verdict } = judged.right
  if (verdict.decision === "allow") return judged.right
  const covered = verdict.rule === opened.verdict.rule && verdict.rule === "path/outside"
  const special = protectedVerdict(judged.right.path, "see", opened.context)
  return covered && (special === undefined || special.decision === "allow") ? judged.right : undefined
}
