import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ApprovalPolicy, WrittenPolicy } from "../approval/ApprovalPolicy.ts"
import { type TriedCall, tryRule } from "../host/RuleTrial.ts"
import { cutMiddle } from "../text/visible.ts"
import { Viewing } from "./Access.ts"
import { NotFound, Rejected } from "./ApiError.ts"
import { base } from "./Base.ts"
import { placeOf } from "./placeOf.ts"
import { NewRule } from "./Rules.ts"
import { stored } from "./stored.ts"

/** Calls that are shown, and characters of the arguments of each. */
const maxShown = 100
const maxArguments = 1000

const Verdict = Schema.Literal("allow", "ask", "deny", "fail")

const Tried = Schema.Struct({
  session: Schema.String,
  /** Epoch milliseconds. */
  time: Schema.optionalWith(Schema.Number, { exact: true }),
  tool: Schema.String,
  /** JSON, cut in the middle where it is long. */
  arguments: Schema.String,
  /** What became of it then. */
  was: Schema.Literal("ran", "approved", "refused", "failed", "unknown"),
  /** By the rules as they are, and with the rule. */
  before: Verdict,
  after: Verdict,
  because: Schema.String
})

const Proposal = Schema.Struct({
  ...NewRule.fields,
  /** In which the calls are judged; that of new sessions if unset. */
  mode: Schema.optionalWith(WrittenPolicy, { exact: true })
}).annotations({ identifier: "RuleProposal", parseOptions: { onExcessProperty: "error" } })

export type Proposal = typeof Proposal.Encoded

const Trial = Schema.Struct({
  /** In which the calls were judged. */
  mode: ApprovalPolicy,
  /** Calls that were judged, and those of them that the rule decides, and that go another way by it. */
  calls: Schema.Number,
  fitting: Schema.Number,
  changed: Schema.Number,
  /** Calls of tools that are gone, or with parameters that they do not take any more. */
  unjudged: Schema.Number,
  /** Those that go another way first, then those that the rule decides, the latest first. */
  examples: Schema.Array(Tried)
})
export type Trial = typeof Trial.Type

export const group = HttpApiGroup.make("ruleTrials").add(
  HttpApiEndpoint.post("trial", "/v1/rules/trial")
    .setPayload(Proposal)
    .addSuccess(Trial)
    .addError(NotFound)
    .addError(Rejected)
    .annotate(
      OpenApi.Description,
      "What a rule would change of the latest calls of a project: at most 500 of its latest 50 sessions are judged without it and with it, in one mode. Nothing is saved and nothing runs."
    )
    .middleware(Viewing)
)

const isChanged = ({ after, before }: TriedCall): boolean => after !== before

const shown = ({ after, because, before, input, session, time, tool, was }: TriedCall): typeof Tried.Type => ({
  session,
  ...(time === undefined ? {} : { time }),
  tool,
  arguments: cutMiddle(String(input), maxArguments),
  was,
  before,
  after,
  because
})

export const live = HttpApiBuilder.group(base.add(group), "ruleTrials", (handlers) => {
  // Each reads logs and judges: one at a time, so that many hold nobody up.
  const one = Effect.unsafeMakeSemaphore(1)
  return handlers.handle("trial", ({ payload: { mode, project, ...written } }) =>
    Effect.gen(function* () {
      const place = yield* placeOf(project)
      const found = tryRule(place, { ...written, id: "the proposed rule", level: "user" }, mode).pipe(
        one.withPermits(1),
        Effect.catchTag("PatternRejected", ({ _tag, message }) => new Rejected({ message, error: _tag })),
        Effect.catchIf(
          (error) => error._tag !== "Rejected",
          (error) => stored(Effect.fail(error))
        )
      )
      const { mode: judgedIn, tried, unjudged } = yield* found
      const changed = tried.filter(isChanged)
      const fitting = tried.filter(({ fits }) => fits)
      const examples = [...changed, ...fitting.filter((call) => !isChanged(call))].slice(0, maxShown).map(shown)
      return {
        mode: judgedIn,
        calls: tried.length,
        fitting: fitting.length,
        changed: changed.length,
        unjudged,
        examples
      }
    })
  )
})
