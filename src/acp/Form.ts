import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk"
import * as Option from "effect/Option"
import { makeVisible } from "../text/visible.ts"

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

/** What was answered; nothing where the form was declined, left or answered with something else. */
export const textIn = (response: CreateElicitationResponse): Option.Option<string> => {
  const value = valueIn(response)
  return typeof value === "string" ? Option.some(value) : Option.none()
}

export const isConfirmed = (response: CreateElicitationResponse): boolean => valueIn(response) === true

const valueIn = (response: CreateElicitationResponse): unknown =>
  response.action === "accept" && "content" in response && typeof response.content === "object"
    ? (response.content as Readonly<Record<string, unknown>> | null)?.[field]
    : undefined
