import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Configuration } from "../config/Configuration.ts"
import { judgeUrl } from "../policy/network/UrlPolicy.ts"
import type { PathOp } from "../policy/path/PathOp.ts"
import { judgeNow } from "../policy/path/PathPolicy.ts"
import { allow, type Verdict } from "../policy/Verdict.ts"
import { Processes } from "../process/Processes.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { judgeCommand } from "../tools/shell/JudgedCommand.ts"
import { Workspace } from "../tools/Workspace.ts"
import { type Judged, ofPath, ofShell, ofUrl } from "./callVerdict.ts"
import * as ToolServices from "../host/ToolServices.ts"
import { webOf } from "../host/webOf.ts"
import { place } from "./here.ts"

/** Where the tools of a run from here would work. */
export const workspace = Layer.unwrapEffect(
  Effect.zipWith(Configuration, place, ({ home, settings }, { directory }) =>
    Workspace.layer(ToolServices.workspaceOf({ home, settings, directory }))
  )
)

/** The same, and where commands would run. */
export const shell = Layer.merge(workspace, Sandbox.layerDetect.pipe(Layer.provideMerge(Processes.layer)))

/** The call for a command in the working directory, and the policy's verdict. */
export const judgedShell = (command: string) =>
  judgeCommand(command, undefined).pipe(
    Effect.map((judged) => judged.verdict),
    Effect.catchTag("CommandRefused", (refused) => Effect.succeed(refused.verdict)),
    Effect.map((verdict) => ofShell(command, verdict))
  )

/** The call for an operation on a path, the policy's verdict, and the current target of the path; opens nothing. */
export const judgedPath = (
  path: string,
  op: PathOp
): Effect.Effect<{ readonly judged: Judged; readonly more: object }, never, Workspace> =>
  Effect.map(Workspace, ({ context }) => {
    const { verdict, ...more } = Either.match(judgeNow(path, op, context), {
      onLeft: (verdict) => ({ verdict, op }),
      onRight: (judged) => ({ verdict: judged.verdict, op, path: judged.path })
    })
    return { judged: ofPath(path, op, verdict), more }
  })

const unresolved = (host: string): Verdict =>
  allow(
    "network/url",
    `the URL itself is allowed; ${host} is resolved and its addresses are checked when it is fetched`
  )

/** The call that fetches a URL, and the policy's verdict; resolves and sends nothing. */
export const judgedUrl = (url: string): Effect.Effect<Judged, never, Configuration> =>
  Effect.map(Configuration, ({ settings }) => {
    const { rules, unasked } = webOf(settings)
    return Either.match(judgeUrl(url, rules), {
      onLeft: (verdict) => ofUrl(url, verdict, false),
      onRight: ({ host, literal, port }) =>
        ofUrl(
          url,
          literal === undefined ? unresolved(host) : allow("network/literal", `${literal} may be fetched from`),
          unasked.some((pattern) => pattern.matches(host, port))
        )
    })
  })
