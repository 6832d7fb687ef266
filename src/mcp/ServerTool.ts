import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { cutMiddle, makeVisible } from "../text/visible.ts"
import * as DynamicTool from "../tool/DynamicTool.ts"
import { lazy } from "../system/lazy.ts"
import { progress, type ToolCall } from "../tool/ToolCall.ts"
import type { Risk } from "../tool/Traits.ts"
import type { ServerProgress } from "./Audience.ts"
import { checked } from "./checked.ts"
import { fitting } from "./fitting.ts"
import { type KnownServer, settingsOf } from "./KnownServer.ts"
import { digestOf, type Offer } from "./Manifest.ts"
import { previewOf, refused, stillOpen } from "./touched.ts"
import type { TouchPolicy } from "./TouchPolicy.ts"
import { touchesOf } from "../tool/Touches.ts"
import { type CallResult, toolResult } from "./ServerResult.ts"
import { qualified } from "./ToolName.ts"
import { visibleWords } from "./visibleWords.ts"

/** Runs a tool of a server, as long as it is what was approved. */
export type Run = (
  offer: { readonly name: string; readonly digest: string },
  params: Readonly<Record<string, unknown>>,
  call: ToolCall,
  hear: (progress: ServerProgress) => Effect.Effect<void>
) => Effect.Effect<CallResult, { readonly message: string }>

/** What a server says of its tool. It can make a call look worse, never better. */
const hints = (offer: Offer) => {
  const { annotations } = offer.definition
  const said = Predicate.isReadonlyRecord(annotations) ? annotations : {}
  return { destroys: said["destructiveHint"] === true, changes: said["readOnlyHint"] === false }
}

/** Characters of a description that a model reads. */
const longestDescription = 4096

/** A tool of a server, behind the gate as any other. */
export const make = (known: KnownServer, offer: Offer, run: Run, policy: TouchPolicy): DynamicTool.DynamicTool => {
  const settings = settingsOf(known, offer.name)
  const { timeouts = {} } = known.server
  const { description, inputSchema, outputSchema, title } = offer.definition
  const { changes, destroys } = hints(offer)
  const readOnly = settings.readOnly === true && !destroys && !changes
  const idempotent = settings.idempotent === true && !destroys
  const risk: Risk = destroys ? "high" : (settings.risk ?? (readOnly ? "low" : "medium"))
  const digest = digestOf(offer)
  const fits = lazy(() => Option.liftThrowable(() => fitting(outputSchema))())
  const tool = DynamicTool.make(qualified(known.name, offer.name), {
    description: cutMiddle(makeVisible(typeof description === "string" ? description : ""), longestDescription),
    label: makeVisible(`${known.name}: ${typeof title === "string" && title !== "" ? title : offer.name}`).slice(0, 80),
    category: `mcp ${known.name}`,
    mode: "both",
    jsonSchema: Predicate.isReadonlyRecord(inputSchema) ? visibleWords(inputSchema) : {},
    readOnly,
    idempotent,
    risk,
    approval: settings.approval ?? "always",
    timeout: timeouts.call ?? Duration.minutes(10),
    idleTimeout: timeouts.idle ?? Duration.seconds(60),
    ...(settings.touches === undefined ? {} : { touches: settings.touches }),
    ...(settings.resultLimit === undefined ? {} : { resultLimit: settings.resultLimit }),
    handler: (params, call) =>
      Effect.zipRight(
        stillOpen(policy, params, call),
        Option.match(fits(), {
          onNone: () =>
            refused(call.name, "it was not called: its output schema is unusable; its server has to mend it"),
          onSome: (fit) =>
            run(
              { name: offer.name, digest },
              Predicate.isReadonlyRecord(params) ? params : {},
              call,
              ({ message, progress: current, total }) =>
                progress(call, {
                  ...(message === undefined ? {} : { label: makeVisible(message).slice(0, 200) }),
                  current,
                  ...(total === undefined ? {} : { total })
                })
            ).pipe(Effect.mapBoth({ onFailure: ({ message }) => refused(call.name, message), onSuccess: fit }))
        })
      )
  })
  const parameters = Predicate.isReadonlyRecord(inputSchema) ? inputSchema : {}
  const usual = settings.approval !== "never"
  /** What no tool may touch is refused, and what needs a question is asked about, whatever the user says of the tool. */
  const asks = (params: unknown): Effect.Effect<boolean, DynamicTool.DynamicToolFailed> =>
    Effect.suspend(() => {
      const touches = touchesOf(tool.touches, params)
      if (touches === undefined) return Effect.succeed(true)
      const { decision, reason } = policy.judge(touches)
      return decision === "deny" ? refused(tool.name, reason) : Effect.succeed(decision === "ask" || usual)
    })
  return {
    ...tool,
    ...(settings.touches === undefined ? {} : { approval: asks, asks: true, preview: previewOf(policy, tool) }),
    codec: {
      ...tool.codec,
      decode: lazy(() => checked(parameters)),
      encode: lazy(() => (result) => Either.right(toolResult(known.name, offer.name, result as CallResult)))
    }
  }
}
