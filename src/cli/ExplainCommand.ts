import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ApprovalPolicy } from "../approval/ApprovalPolicy.ts"
import { Approvals } from "../approval/Approvals.ts"
import type { Explanation } from "../approval/Explanation.ts"
import type { RuleStore, RuleStoreFailed } from "../approval/RuleStore.ts"
import { Configuration } from "../config/Configuration.ts"
import type { Trust } from "../config/Trust.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { Redactor } from "../redaction/Redactor.ts"
import type { Preview } from "../tool/Preview.ts"
import type * as Tool from "../tool/Tool.ts"
import * as KnownRules from "./KnownRules.ts"
import { hanging } from "./terminal/Layout.ts"
import { asked, own, type Own } from "../host/asked.ts"
import type { ToolServices } from "../host/ToolServices.ts"
import type { ProjectGone } from "../runtime/Projects.ts"
import type { Surroundings } from "../host/Surroundings.ts"
import { explaining, sourceOf } from "./callVerdict.ts"
import { project } from "./here.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import * as Records from "../host/Stores.ts"
import { Screen } from "./terminal/Screen.ts"
import { type Parameters, parametersOf, type Spoken, toolOf } from "./toolCall.ts"
import type { AnyTool } from "../tool/ToolCall.ts"
import { tools } from "../tools/Builtin.ts"
import { serverTools } from "./mcp/slots.ts"
import { toolServices } from "./toolServices.ts"
import { oneLine } from "../text/visible.ts"

export interface ExplainOptions extends Spoken {
  readonly tool: string
  readonly approve: Option.Option<ApprovalPolicy>
  readonly json: boolean
}

/** What a person would be shown of the call. */
const summary = (tool: Tool.Any, params: unknown): Own<string | undefined> => {
  const preview: ((params: never) => unknown) | undefined = tool.preview
  return own(() =>
    preview === undefined
      ? Effect.succeed(undefined)
      : Effect.zipWith(
          preview(params as never) as Effect.Effect<Preview, Error, ToolServices>,
          Redactor,
          (shown, { text }) => text(shown.summary)
        )
  )
}

const verdicts = {
  allow: "would run without asking",
  ask: "would be asked about",
  deny: "would be denied",
  fail: "would end the task: no one is attached to answer"
} as const

interface Answer extends Explanation {
  /** The file that the rule is written in. */
  readonly source?: string
  readonly notes: ReadonlyArray<string>
}

const refused = ({ name }: Tool.Any, reason: string): Answer => ({
  verdict: "deny",
  because: `${name} itself rejects the call: ${reason}`,
  notes: []
})

const explained = (
  tool: Tool.Any,
  parameters: Parameters,
  params: unknown
): Effect.Effect<
  Answer,
  RuleStoreFailed | DatabaseError | ProjectGone,
  Approvals | Configuration | RuleStore | Trust | Surroundings | ToolServices
> =>
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const known = yield* KnownRules.all
    const wanted = yield* asked(tool, params)
    if (Either.isLeft(wanted)) return refused(tool, wanted.left)
    const approvals = yield* Approvals
    const found = yield* approvals.explain({ tool, parameters, project: yield* project, asks: wanted.right })
    const passes = found.verdict === "ask" || found.verdict === "allow"
    const shown = passes ? yield* summary(tool, params) : Either.right(undefined)
    if (Either.isLeft(shown)) return refused(tool, shown.left)
    const notes = [
      ...(found.verdict === "ask" && shown.right !== undefined ? [`Its preview: ${shown.right}`] : []),
      ...(known.some(({ ignored }) => ignored !== undefined)
        ? ["Some rules are ignored here; tollgate approvals rules says why."]
        : []),
      ...((settings.hooks ?? []).length > 0 ? ["A hook can still refuse or change the call."] : [])
    ]
    return { ...found, ...sourceOf(known, found.rule), notes }
  })

const rendered = (tool: string, { because, notes, source, verdict }: Answer, { style, width }: Screen["Type"]) => {
  const mark = { allow: style.green("✓"), ask: style.yellow("?"), deny: style.red("✗"), fail: style.red("✗") }[verdict]
  const lines = [because, ...(source === undefined ? [] : [`It is written in ${source}.`]), ...notes]
  return [
    `${mark} ${style.bold(tool)} ${verdicts[verdict]}\n`,
    ...lines.map((line) => hanging("  ", oneLine(line), width() - 1))
  ].join("")
}

/** Explains what would happen to a call and which rule or mode decides; asks, changes and records nothing. */
export const explain = (options: ExplainOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { settings } = yield* Configuration
    const all: ReadonlyArray<AnyTool> = [...tools, ...(yield* serverTools)]
    const tool = yield* toolOf(options.tool, all)
    const { parameters, params } = yield* parametersOf(tool, options)
    const mode = Option.getOrElse(options.approve, () => settings.approvals?.policy ?? "ask")
    const answer = yield* explained(tool, parameters, params).pipe(
      Effect.provide(explaining(mode)),
      Effect.provide(toolServices)
    )
    yield* screen.answer(
      options.json ? `${JSON.stringify({ tool: tool.name, ...answer })}\n` : rendered(tool.name, answer, screen)
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(Records.decided),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )
