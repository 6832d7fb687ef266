import * as Effect from "effect/Effect"
import { tokensOf as ofImage } from "../conversation/Image.ts"
import type { FunctionCall, StoredMessage } from "../conversation/Message.ts"
import { Accounts, type Ending, type Settled } from "../cost/Accounts.ts"
import type { BudgetReached } from "../cost/Budget.ts"
import type { CostError } from "../cost/CostError.ts"
import { BudgetAlerted, type CostEvent, ModelCharged } from "../cost/CostEvent.ts"
import type { Payer } from "../cost/Payer.ts"
import type { Terms } from "../cost/Terms.ts"
import type { FunctionDefinition, ModelRequest } from "../model/Model.ts"
import { ofPartEffect } from "../middleware/PartCrashed.ts"
import type { Usage } from "../model/ModelPart.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { memo } from "../system/memo.ts"
import { trusted } from "../tool/ToolEvent.ts"

/** The account of one request: each of its attempts is reserved before it is sent and settled once, however it ends. */
export interface RequestAccount {
  /** Reserves for another attempt, which may go to another model. */
  readonly again: (next: Terms | undefined) => Effect.Effect<void, CostError>
  readonly answered: (
    usage: Usage,
    size: number,
    calls: ReadonlyArray<FunctionCall>
  ) => Effect.Effect<ReadonlyArray<CostEvent>>
  /** The attempt came to nothing, once so many characters of its answer had come. */
  readonly failed: (outcome: "failed" | "interrupted", size: number) => Effect.Effect<ReadonlyArray<CostEvent>>
}

/** Bytes that make up a token at least, on average over a text: half of what they do in prose. */
const bytesPerToken = 2
/** Tokens around each message and each function. */
const frame = 8

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

const ofFunction = memo(
  new WeakMap<FunctionDefinition, number>(),
  ({ description, name, parameters }) => frame + tokensOf(JSON.stringify({ name, description, parameters }))
)

/** A conversation is counted again for each of its requests, so its messages are counted once. */
const ofMessage = memo(new WeakMap<StoredMessage, number>(), ({ message, provider, reasoning }) => {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : []
  return (
    frame +
    tokensOf(message.content ?? "") +
    (message.role === "user" ? (message.images ?? []) : []).reduce((sum, image) => sum + ofImage(image), 0) +
    calls.reduce((sum, { function: { arguments: given, name } }) => sum + frame + tokensOf(name) + tokensOf(given), 0) +
    tokensOf(reasoning ?? "") +
    (provider === undefined ? 0 : tokensOf(JSON.stringify(provider)))
  )
})

/** About the most tokens that a request is; usually twice as many as it has. */
export const mostTokensOf = ({ functions, messages }: ModelRequest): number =>
  messages.reduce((sum, message) => sum + ofMessage(message), 0) +
  functions.reduce((sum, definition) => sum + ofFunction(definition), 0)

/** What `Accounts` does. */
const keeping = "keeps accounts"

/** Opens the account of a request with its first attempt. */
export const open = (
  request: ModelRequest & { readonly payer: Payer },
  profile: string,
  model: Terms,
  /** Asks a person to raise a budget that was reached. */
  ask: (reached: BudgetReached) => Effect.Effect<boolean> = () => Effect.succeed(false)
): Effect.Effect<RequestAccount, CostError> =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { text: redacted } = yield* Redactor
    let number = 0
    let terms = model
    const { payer } = request
    const reserved = Effect.suspend(() =>
      ofPartEffect(keeping, () =>
        accounts.open({ payer, profile, terms, number, inputTokens: () => mostTokensOf(request) })
      )
    )
    const { raise } = accounts
    /** More than one budget may be reached, one after the other. */
    const within: typeof reserved =
      raise === undefined
        ? reserved
        : Effect.catchTag(reserved, "BudgetReached", (reached) =>
            Effect.flatMap(
              Effect.interruptible(ofPartEffect(keeping, () => raise(payer, reached, ask(reached)))),
              (worth) => (worth ? within : reached)
            )
          )
    const attempt = Effect.suspend(() => {
      number++
      return within
    })
    let opened: Effect.Effect.Success<typeof attempt> | undefined = yield* attempt
    const settle = (ending: Ending) =>
      Effect.suspend((): Effect.Effect<ReadonlyArray<CostEvent>> => {
        const current = opened
        opened = undefined
        return current === undefined
          ? Effect.succeed([])
          : Effect.map(
              ofPartEffect(keeping, () => current.settle(ending)),
              eventsOf
            )
      })
    const tokensIn = (size: number) => Math.ceil(size / bytesPerToken)
    return {
      again: (next) =>
        Effect.uninterruptible(
          Effect.suspend(() => {
            terms = next ?? terms
            return Effect.map(attempt, (made) => {
              opened = made
            })
          })
        ),
      answered: (usage, size, calls) =>
        // An answer has read the request, also where nothing came of it.
        settle({
          outcome: "answered",
          usage,
          outputTokens: tokensIn(size),
          tools: calls.map((call) => redacted(call.function.name))
        }),
      failed: (outcome, size) => settle({ outcome, ...(size === 0 ? {} : { outputTokens: tokensIn(size) }) })
    }
  })

const eventsOf = ({ alerts, charge, free }: Settled): ReadonlyArray<CostEvent> => {
  const { amount, attempt, estimated, model, outcome, profile, usage } = charge
  const charged = new ModelCharged(
    { profile, model, attempt, outcome, usage, estimated, ...(amount === undefined ? {} : { amount }) },
    trusted
  )
  return [
    ...(free ? [] : [charged]),
    ...alerts.map(({ limit, percent, scope, spent }) => new BudgetAlerted({ scope, percent, spent, limit }, trusted))
  ]
}
