import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Level } from "../policy/shell/Severity.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"
import { cutWords } from "../text/excerpt.ts"
import { cutMiddle, makeVisible } from "../text/visible.ts"
import type { ApprovalRequest, ContextMessage, Scope } from "../tool/ApprovalRequest.ts"
import type { Ids } from "../tool/Ids.ts"
import type { Preview, PreviewTarget } from "../tool/Preview.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ApprovalUnshowable } from "./ApprovalError.ts"
import { digest } from "./Digest.ts"
import type { FileHash } from "./FileHash.ts"
import { type Grantable, grantable, rehashed } from "./Grants.ts"
import { repeatedText, tooLongToRepeat } from "./rendering/Prompt.ts"
import { type Shown, shownCall } from "./rendering/Shown.ts"
import type { ProjectRules } from "./ProjectRules.ts"
import { describe } from "./Rule.ts"
import { type Subject, touchedBy } from "./Subject.ts"

/** What would be asked about a call. */
export interface Draft {
  readonly request: ApprovalRequest
  readonly grantable: Grantable
  readonly preview: Preview | undefined
  /** What the request masks, if anything. */
  readonly unmasked: Unmasked | undefined
  /**
   * Whether the digest of the request still is that of the call, of its diff and of what it would change. Its summary may say
   * something else each time, such as how old a file is: it counts only where a stored request is taken up again.
   */
  readonly stillHolds: Effect.Effect<boolean>
}

/** The parameters and the diff with their secrets: only for the screen of the person who decides. */
export type Unmasked = Pick<ApprovalRequest, "arguments" | "preview">

/** What a request is made with. */
export interface Means {
  readonly ids: Ids["Type"]
  readonly redactor: RedactorShape
  readonly files: FileHash["Type"]
  /** Whether `always` may be offered at all. */
  readonly always: boolean
  readonly timeoutMillis: number
  /** The project of a session. */
  readonly projectOf: (session: string) => ProjectRules
}

/** The request for a call that is asked about `because` of something, bound to the current state; fails if it cannot be shown. */
export const draft = (
  means: Means,
  call: ToolCall,
  subject: Subject,
  preview: Effect.Effect<Preview | undefined>,
  because: string
): Effect.Effect<Draft, ApprovalUnshowable> =>
  Effect.gen(function* () {
    const { files, ids, redactor } = means
    const shown = yield* preview
    const could = yield* grantable(call, subject, files, means.projectOf(call.sessionId))
    const { basis } = could
    const summary = shown?.summary
    const touches = touchedBy(subject)
    const boundTo = (preview: Preview | undefined, basis: ReadonlyArray<PreviewTarget> | undefined) =>
      digest(call, {
        summary,
        touches,
        diff: preview?.diff,
        targets: [...(preview?.targets ?? []), ...(basis ?? [])]
      })
    const bound = boundTo(shown, basis)
    const isLasting = call.tool.readOnly || (shown?.diff === undefined && (shown?.targets ?? []).length === 0)
    const shownNow = isLasting ? Effect.succeed(shown) : preview
    const basisNow = basis === undefined ? Effect.succeed(undefined) : rehashed(files.hash, basis)
    const id = yield* ids.next("approval")
    const visible = shownCall(redactor, call.rawParams, shown?.diff, shown?.shows)
    if (typeof visible === "string") {
      return yield* new ApprovalUnshowable({ tool: call.name, callId: call.callId, why: visible })
    }
    const requestedAt = yield* Clock.currentTimeMillis
    const request = requestOf(
      { ...means, id, call, digest: bound, preview: shown, grantable: could, requestedAt, because },
      visible
    )
    return {
      request,
      unmasked:
        request.masked === undefined
          ? undefined
          : { arguments: call.rawParams, ...(shown === undefined ? {} : { preview: shown }) },
      grantable: could,
      preview: shown,
      stillHolds: Effect.zipWith(shownNow, basisNow, (preview, basis) => boundTo(preview, basis) === bound)
    }
  })

/** Messages of the conversation that go along, and characters of each. */
const maxContext = 10
const maxContextText = 600
const maxMessage = 1000

/** Where the agent puts the last messages of the conversation for a call: `() => ReadonlyArray<ContextMessage>`. */
export const contextKey = "tollgate/approval/context"

/** Where the gate puts what a person has put in place of the parameters of a call, and a runtime that goes on with it: an `Edited`. */
export const editedKey = "tollgate/approval/edited"

/** What a person has put in place of the parameters of a call. */
export interface Edited {
  readonly parameters: unknown
}

/** What a person has put in place of the parameters of a call, if anything. */
export const editedOf = ({ metadata }: Pick<ToolCall, "metadata">): Edited | undefined => {
  const edited = metadata[editedKey]
  return typeof edited === "object" && edited !== null && "parameters" in edited
    ? { parameters: edited.parameters }
    : undefined
}

const contextOf = (redactor: RedactorShape, call: ToolCall): ReadonlyArray<ContextMessage> => {
  const last = call.metadata[contextKey]
  if (typeof last !== "function") return []
  const messages: ReadonlyArray<ContextMessage> = last()
  return messages.slice(-maxContext).map(({ content, role }) => ({
    role,
    content: cutMiddle(makeVisible(redactor.text(cutWords(content, 8 * maxContextText))), maxContextText)
  }))
}

const byLevel = { reads: "low", ordinary: "medium", destructive: "high", forbidden: "high" } as const satisfies Record<
  Level,
  Tool.Risk
>

/** How risky a call is: for a tool that runs shell text, by how bad the text is. `show` redacts what a person reads. */
const riskOf = (
  { category, risk }: Pick<Tool.Any, "category" | "risk">,
  subject: Subject,
  show: (text: string) => string
): Pick<ApprovalRequest, "risk" | "severity"> => {
  const severity = subject.severity()
  if (severity === undefined) return { risk }
  const { because, level } = severity
  const own = byLevel[level]
  return {
    risk: category === "shell" || own === "high" ? own : risk,
    severity: {
      level,
      because: because.map(({ command, reason }) => ({ command: show(command), reason: show(reason) }))
    }
  }
}

/** Entries of each kind that a request names. */
const maxTouches = 200

/** What the call touches, as everybody else may see it. */
const touchesIn = (subject: Subject, show: (text: string) => string): Pick<ApprovalRequest, "touches"> => {
  if (!subject.declared) return {}
  const { hosts, names, places } = subject
  const commands = subject.commands()
  const touches = {
    paths: places.slice(0, maxTouches).map(({ op, paths: [path = ""] }) => ({ op, path: show(path) })),
    hosts: hosts.slice(0, maxTouches).map(({ name, port }) => `${name}:${port}`),
    names: names.slice(0, maxTouches).map(show),
    ...(commands === undefined ? {} : { commands })
  }
  return { touches }
}

interface Parts extends Means {
  readonly id: string
  readonly call: ToolCall
  readonly digest: string
  readonly preview: Preview | undefined
  readonly grantable: Grantable
  readonly requestedAt: number
  readonly because: string
}

/** What is asked, as everybody else may see it, the parameters and the diff whole. */
const requestOf = (
  { always, because, call, digest, grantable, id, preview, redactor, requestedAt, timeoutMillis }: Parts,
  { arguments: given, diff, masked }: Shown
): ApprovalRequest => {
  const visible = (text: string) => makeVisible(redactor.shown(text).text)
  const show = (text: string) => cutMiddle(visible(text), maxMessage)
  const { repeats } = call
  const { basis, rule, subject, wider } = grantable
  const once =
    masked > 0 || preview?.once === true || basis === undefined || repeats !== undefined || tooLongToRepeat(given, diff)
  const again = repeats === undefined ? "" : `This is ${repeatedText(repeats)}. `
  const longer: ReadonlyArray<Scope> =
    always && rule !== undefined ? ["task", "session", "always"] : ["task", "session"]
  const context = contextOf(redactor, call)
  return {
    id,
    callId: call.callId,
    sessionId: call.sessionId,
    tool: call.name,
    workerPath: call.workerPath,
    ...riskOf(call.tool, subject, show),
    digest,
    arguments: given,
    ...(masked === 0 ? {} : { masked }),
    ...(editedOf(call) === undefined ? {} : { edited: true as const }),
    ...touchesIn(subject, show),
    message: show(`${again}${preview?.summary ?? call.tool.description}`),
    ...(because === "" ? {} : { because: show(because) }),
    ...(repeats === undefined ? {} : { repeats }),
    ...(preview === undefined
      ? {}
      : { preview: { ...preview, summary: show(preview.summary), ...(diff === undefined ? {} : { diff }) } }),
    scopes: once ? ["once"] : ["once", ...longer],
    ...(once ? {} : { grant: visible(subject.words) }),
    ...(once || wider === undefined ? {} : { wider: { kind: wider.kind, rule: visible(describe(wider.rule)) } }),
    ...(once || rule === undefined || !always ? {} : { rule: visible(describe(rule)) }),
    ...(context.length === 0 ? {} : { context }),
    requestedAt,
    timeoutMillis: Number.isFinite(timeoutMillis) ? timeoutMillis : 0
  }
}
