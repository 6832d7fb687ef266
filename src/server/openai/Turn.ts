import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ClientFunction } from "../../agent/ClientFunction.ts"
import type { Image } from "../../conversation/Image.ts"
import { isReserved } from "../../tool/reserved.ts"
import { InvalidRequest } from "./OpenAiError.ts"

/** A message of the past as a client tells it: data, and never evidence of anything. */
export interface Told {
  readonly role: "user" | "assistant"
  readonly text: string
}

/** The result of a call that a client was asked to make, as text. */
export interface CallResult {
  readonly id: string
  readonly content: string
  /** Where it stands in the request. */
  readonly param: string
}

/** How a client lets a person decide on calls. */
export type Approver = { readonly kind: "function"; readonly name: string } | { readonly kind: "mcp" }

/** What a client asks for in one request, whichever of the routes it uses. */
export interface Turn {
  /** The session that it names. */
  readonly session?: string
  /** The answer that it goes on from, by the number of its first event. */
  readonly previous?: { readonly session: string; readonly seq: number }
  readonly model?: string
  /** What it says in the place of a system. */
  readonly instructions: string
  /** What it says was said before. */
  readonly earlier: ReadonlyArray<Told>
  /** What is new of the user. */
  readonly prompt?: string
  /** What the prompt shows. */
  readonly images: ReadonlyArray<Image>
  readonly results: ReadonlyArray<CallResult>
  readonly functions: ReadonlyArray<ClientFunction>
  readonly approver?: Approver
  /** Whether calls of the server's tools are told as text. */
  readonly showsCalls: boolean
}

/** Optional, and `null` where an SDK writes that. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** The function by which a client approves; providers of models refuse the point. */
const approverNames: ReadonlySet<string> = new Set(["client.requestApproval", "client_requestApproval"])

/** A function as a client declares it. */
export interface Declared {
  readonly name: string
  readonly description?: string | null | undefined
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined
  readonly param: string
}

/** Characters that the name of a session may have. */
const sessionName = /^[\w.:-]{1,128}$/

/** The session that a request names, by its header first. */
export const sessionNamed = (
  headers: Readonly<Record<string, string | undefined>>,
  metadata: Readonly<Record<string, string>> | null | undefined
): Effect.Effect<string | undefined, InvalidRequest> => {
  const named = headers["x-tollgate-session"] ?? metadata?.["session"]
  return named === undefined || sessionName.test(named)
    ? Effect.succeed(named)
    : new InvalidRequest({
        message: "The name of a session has 1 to 128 letters, digits and . : _ -",
        code: "invalid_session",
        param: "metadata.session"
      })
}

/** Whether a request wants to see the calls of the server's tools. */
export const showsCalls = (
  headers: Readonly<Record<string, string | undefined>>,
  metadata: Readonly<Record<string, string>> | null | undefined
): boolean => (headers["x-tollgate-calls"] ?? metadata?.["calls"]) === "text"

/** Divides what a client declares into its own functions and the one by which it approves. */
export const declared = (
  functions: ReadonlyArray<Declared>
): Effect.Effect<Pick<Turn, "functions" | "approver">, InvalidRequest> =>
  Effect.suspend(() => {
    const own: Array<ClientFunction> = []
    const names = new Set<string>()
    let approver: Approver | undefined
    for (const { description, name, param, parameters } of functions) {
      const refuse = (why: string) =>
        new InvalidRequest({
          message: `The function ${JSON.stringify(name)} cannot be declared: ${why}`,
          code: "invalid_function",
          param
        })
      if (names.has(name)) return refuse("it is declared twice.")
      names.add(name)
      if (approverNames.has(name)) {
        if (approver !== undefined) return refuse("another one approves already.")
        approver = { kind: "function", name }
      } else if (isReserved(name)) {
        return refuse("names that begin with client are the server's own. Rename it.")
      } else {
        own.push({ name, description: description ?? "", parameters: parameters ?? { type: "object", properties: {} } })
      }
    }
    return Effect.succeed({ functions: own, ...(approver === undefined ? {} : { approver }) })
  })

/** Neighbours that the same one has said are one. */
export const merged = (told: ReadonlyArray<Told>): ReadonlyArray<Told> => {
  const found: Array<Told> = []
  for (const { role, text } of told) {
    if (text === "") continue
    const last = found.at(-1)
    if (last?.role === role) found[found.length - 1] = { role, text: `${last.text}\n\n${text}` }
    else found.push({ role, text })
  }
  return found
}
