import * as Predicate from "effect/Predicate"
import type { ClientCapabilities, ElicitRequestURLParams, InputRequest } from "@modelcontextprotocol/client"
import { parsed } from "../text/Url.ts"
import { makeVisible } from "../text/visible.ts"
import type { Inquiries, Refusal } from "./Audience.ts"
import type { KnownServer } from "./KnownServer.ts"
import { visibleWords } from "./visibleWords.ts"

/** Characters of a question of a server. */
const longest = 4000

/** What a form must not ask for: a server that needs it sends the person to a page of its own. */
const secret =
  /pass ?(?:words?|wd|phrases?|codes?|keys?)|\bpwd?\b|secret|token|credential|(?:api|private|access|licen[cs]e) ?key|\b(?:pin|cv[vc]2?|otp|totp|mfa|2 ?fa|ssn|tan|iban|auth|bearer|cookies?|mnemonic)\b|(?:one time|verification|security|recovery|backup|auth\w*) codes?|social security|(?:card|account) ?(?:number|no)\b|seed (?:phrase|words)|passwort|kennwort|contrase[\u00f1n]a|mot de passe|senha|wachtwoord|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6[\u7801\u78bc]|\u30d1\u30b9\u30ef\u30fc\u30c9|\u6697\u8a3c|\ube44\ubc00\ubc88\ud638/i

/** What a message asks for by itself: only where it asks for it, for it may also speak of it. */
const wanted = new RegExp(
  String.raw`\b(?:enter|type|give|provide|paste|input|confirm|what is|your)\b[^.?!]{0,40}?(?:${secret.source})`,
  "i"
)

/** A name as the words that it is of, with nothing unseen in them: `userPin`, `user_pin`. */
const spoken = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_.\s-]+/g, " ")

const isSecret = (text: unknown): boolean => typeof text === "string" && secret.test(spoken(text))

/** Whether a form asks for what nobody should type into it. */
const asksForSecrets = (message: string, schema: unknown): boolean =>
  wanted.test(spoken(message)) ||
  (Predicate.isReadonlyRecord(schema) &&
    Predicate.isReadonlyRecord(schema["properties"]) &&
    Object.entries(schema["properties"]).some(
      ([name, property]) =>
        isSecret(name) ||
        (Predicate.isReadonlyRecord(property) &&
          (isSecret(property["title"]) || isSecret(property["description"]) || property["format"] === "password"))
    ))

/** What of a client a server may use: its forms, and what the user's configuration passes on besides. */
export const passed = ({ server }: KnownServer, capabilities: ClientCapabilities): ClientCapabilities => {
  const { passes = [] } = server
  return {
    ...(capabilities.elicitation === undefined ? {} : { elicitation: capabilities.elicitation }),
    ...(capabilities.sampling === undefined || !passes.includes("sampling") ? {} : { sampling: capabilities.sampling }),
    ...(capabilities.roots === undefined || !passes.includes("roots") ? {} : { roots: {} })
  }
}

/** Whether a client with such capabilities can be asked. */
export const isFor = ({ elicitation, roots, sampling }: ClientCapabilities, inquiry: InputRequest): boolean => {
  if (inquiry.method === "roots/list") return roots !== undefined
  if (inquiry.method === "sampling/createMessage") return sampling !== undefined
  if (elicitation === undefined) return false
  return inquiry.params.mode === "url"
    ? elicitation.url !== undefined
    : elicitation.form !== undefined || Object.keys(elicitation).length === 0
}

/** Controls, and what turns the direction of a text. */
const misleading = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Whether a form has what does not look as it is, in what goes back to its server as it is. */
const misleads = (value: unknown): boolean => {
  if (typeof value === "string") return misleading.test(value)
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(([key, one]: readonly [string, unknown]) => misleading.test(key) || misleads(one))
}

/** Whether it is a form or a page as the protocol has it: what a server needs before its answer comes as nobody has looked at it. */
const isElicitation = ({ method, params }: { readonly method: string; readonly params?: unknown }): boolean =>
  method === "elicitation/create" &&
  Predicate.isReadonlyRecord(params) &&
  typeof params["message"] === "string" &&
  (params["mode"] === "url" ? typeof params["url"] === "string" : Predicate.isReadonlyRecord(params["requestedSchema"]))

/** A question with the name of who asks, or nothing where it must not be put to a person. */
const shown = (known: KnownServer, inquiry: InputRequest): InputRequest | undefined => {
  const { passes = [] } = known.server
  if (inquiry.method === "roots/list") return passes.includes("roots") ? inquiry : undefined
  if (inquiry.method === "sampling/createMessage") return passes.includes("sampling") ? inquiry : undefined
  if (!isElicitation(inquiry)) return undefined
  const { params } = inquiry
  // Each line is the server's own: none passes for a question of Tollgate.
  const message = `MCP server ${known.name} asks: ${makeVisible(params.message).replaceAll("\n", "\n> ")}`
  if (message.length > longest) return undefined
  if (params.mode === "url") {
    const url = parsed(params.url)
    if (url === undefined || url.protocol !== "https:" || url.username !== "" || url.password !== "") return undefined
    return { ...inquiry, params: { ...params, url: url.href, message: `${message} (a page of ${url.host})` } }
  }
  const requestedSchema = visibleWords(params.requestedSchema)
  return asksForSecrets(params.message, requestedSchema) || misleads(requestedSchema)
    ? undefined
    : { ...inquiry, params: { ...params, message, requestedSchema } }
}

/** What a server of 2025-11-25 refuses a request with that needs a page to be opened first. */
export const pagesNeeded = -32042

/** JSON-RPC's own code, for any other reason. */
const otherwise = -32000

/** A refusal as the person gets it: the pages that it names are questions like the others. */
export const refusalShown = (known: KnownServer, refusal: Refusal): Refusal => {
  if (refusal.code !== pagesNeeded) return refusal
  const named = Predicate.isReadonlyRecord(refusal.data) ? refusal.data["elicitations"] : undefined
  const elicitations = (Array.isArray(named) ? named : []).flatMap((page: unknown) => {
    // The later revisions have no ids of pages, nor this error.
    if (!Predicate.isReadonlyRecord(page) || typeof page["elicitationId"] !== "string") return []
    const params = { ...(page as ElicitRequestURLParams), mode: "url" as const }
    const put = shown(known, { method: "elicitation/create", params })
    return put === undefined ? [] : [put.params]
  })
  const { message } = refusal
  return elicitations.length === 0
    ? { code: otherwise, message }
    : { code: pagesNeeded, message, data: { elicitations } }
}

/** The questions of a server that a person may be asked, and the keys of the others. */
export const sorted = (known: KnownServer, inquiries: Inquiries) => {
  const fit: Array<readonly [string, InputRequest]> = []
  const refused: Array<string> = []
  for (const [key, inquiry] of Object.entries(inquiries)) {
    const put = Predicate.isReadonlyRecord(inquiry) ? shown(known, inquiry) : undefined
    if (put === undefined) refused.push(key)
    else fit.push([key, put])
  }
  return { fit: Object.fromEntries(fit), refused }
}
