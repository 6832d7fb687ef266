import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { DocumentEvent, DocumentSession, format, version } from "../export/Document.ts"
import { mistakesOf } from "../redaction/Mistake.ts"
import { documentMessage } from "./documentMessage.ts"
import { Draft } from "./Draft.ts"
import { refuse } from "./ImportProblem.ts"
import { maxMessages, maxText } from "./Limits.ts"
import { type Data, isData, parseData, parsePiece } from "./JsonPiece.ts"
import { JsonPieces, type Piece } from "./JsonPieces.ts"
import { openAiMessage } from "./openAiMessage.ts"
import type { Reader } from "./Reader.ts"

const sessionOf = Schema.decodeUnknownEither(DocumentSession)
const eventOf = Schema.decodeUnknownEither(DocumentEvent)

const because = (error: Parameters<typeof mistakesOf>[0]): string => {
  const [mistake] = mistakesOf(error)
  return mistake === undefined ? "" : `: ${mistake.path.join(".")}: ${mistake.problem}`
}

/** Reads a document of Tollgate, or the messages of a request to a model, from JSON. */
export const document = (): Reader => {
  const pieces = new JsonPieces()
  const draft = new Draft()
  /** What stood before the format was known. */
  let early: Array<{ readonly where: string; readonly data: Data }> = []
  let size = 0
  let known: "tollgate" | "messages" | undefined
  const top: { format?: unknown; version?: unknown; session?: unknown } = {}

  const add = (data: Data, where: string): void => {
    if (known === "messages") for (const message of openAiMessage(data, where, draft)) draft.message(message)
    else draft.message(documentMessage(data, where, draft))
  }
  const decide = (kind: "tollgate" | "messages"): void => {
    known = kind
    for (const { data, where } of early) add(data, where)
    early = []
  }
  const message = (text: string, index: number): void => {
    const where = `message ${index + 1}`
    const data = parseData(text, where)
    if (known !== undefined) return add(data, where)
    size += text.length
    if (early.length >= maxMessages || size > maxText) refuse("it has too many messages before its format")
    early.push({ where, data })
  }
  const event = (text: string, index: number): void => {
    const where = `event ${index + 1}`
    const found = eventOf(parseData(text, where))
    if (Either.isLeft(found)) return refuse(`${where} is invalid${because(found.left)}`)
    if (typeof found.right.event["_tag"] !== "string") return refuse(`${where} has no tag`)
    draft.happened(found.right)
  }
  const take = ({ index, name, text }: Piece): void => {
    if (name === undefined) {
      if (known === undefined) decide("messages")
      return message(text, index ?? 0)
    }
    if (name === "messages" && index !== undefined) return message(text, index)
    if (name === "events" && index !== undefined && known === "tollgate") return event(text, index)
    if (index !== undefined) return draft.warn(`unknown fields of the file are left out: ${name.slice(0, 80)}`)
    const value = parsePiece(text, JSON.stringify(name.slice(0, 80)))
    if (name === "messages" || name === "events") return refuse(`${JSON.stringify(name)} is not an array`)
    if (name === "format" || name === "version" || name === "session") top[name] = value
    else draft.warn(`unknown fields of the file are left out: ${name.slice(0, 80)}`)
    if (name === "format") {
      if (value !== format) refuse(`its format is ${JSON.stringify(value)?.slice(0, 80)}; ${format} can be read`)
      decide("tollgate")
    }
  }
  const whole = (): void => {
    if (top.version !== version) {
      refuse(
        typeof top.version === "number" && top.version > version
          ? `the document has version ${top.version}, and this version of Tollgate reads ${version}; upgrade it`
          : `the version of the document has to be the number ${version}`
      )
    }
    if (isData(top.session)) {
      for (const name of Object.keys(top.session)) {
        if (!Object.hasOwn(DocumentSession.fields, name))
          draft.warn(`unknown fields of the session are left out: ${name.slice(0, 80)}`)
      }
    }
    const session = sessionOf(top.session)
    if (Either.isLeft(session)) return refuse(`its session is invalid${because(session.left)}`)
    draft.session = session.right
  }
  return {
    push: (text) => pieces.push(text).forEach(take),
    end: () => {
      pieces.end()
      if (known === undefined) {
        if (top.version !== undefined || top.session !== undefined) refuse(`it names no format; ${format} can be read`)
        decide("messages")
      }
      if (known === "tollgate") whole()
      else if (draft.count === 0) refuse("it has no messages")
      return draft.finish(known === "tollgate" ? "json" : "messages")
    }
  }
}
