import { type CreateElicitationRequest, type CreateElicitationResponse, methods } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isReadonlyRecord } from "effect/Predicate"
import { makeVisible } from "../text/visible.ts"
import { type EditorFailed, malformed } from "./Editor.ts"

/** The field of a form that asks for one thing. */
const field = "value"

/** Where a form belongs: to a call of a session, if any. */
export interface FormPlace {
  readonly session: string
  readonly call?: string
}

const form = (
  { call, session }: FormPlace,
  message: string,
  schema: Extract<CreateElicitationRequest, { mode: "form" }>["requestedSchema"]
): CreateElicitationRequest => ({
  mode: "form",
  sessionId: session,
  ...(call === undefined ? {} : { toolCallId: call }),
  message: makeVisible(message),
  requestedSchema: schema
})

/** Asks for one text. */
export const textForm = (
  place: FormPlace,
  message: string,
  title: string,
  more: { readonly default?: string; readonly enum?: ReadonlyArray<string> } = {}
): CreateElicitationRequest => {
  const { enum: among, default: usual } = more
  return form(place, message, {
    type: "object",
    properties: {
      [field]: {
        type: "string",
        title,
        ...(usual === undefined ? {} : { default: usual }),
        ...(among === undefined ? {} : { enum: [...among] })
      }
    },
    required: [field]
  })
}

/** Asks for a yes. */
export const confirmForm = (place: FormPlace, message: string, title: string): CreateElicitationRequest =>
  form(place, message, {
    type: "object",
    properties: { [field]: { type: "boolean", title, default: false } },
    required: [field]
  })

/** What was answered; nothing where the form was declined or left. */
const valueIn = (response: CreateElicitationResponse): Effect.Effect<Option.Option<unknown>, EditorFailed> => {
  if (response.action === "decline" || response.action === "cancel") return Effect.succeedNone
  const content: unknown = response.action === "accept" && "content" in response ? response.content : undefined
  return isReadonlyRecord(content) && content[field] !== undefined
    ? Effect.succeedSome(content[field])
    : malformed(methods.client.elicitation.create)
}

/** The text that was answered; nothing where the form was declined or left. */
export const textIn = (response: CreateElicitationResponse): Effect.Effect<Option.Option<string>, EditorFailed> =>
  Effect.filterOrFail(
    valueIn(response),
    (value): value is Option.Option<string> => Option.isNone(value) || typeof value.value === "string",
    () => malformed(methods.client.elicitation.create)
  )

export const isConfirmed = (response: CreateElicitationResponse): Effect.Effect<boolean, EditorFailed> =>
  Effect.map(valueIn(response), (value) => Option.isSome(value) && value.value === true)
