import { Parser } from "htmlparser2"
import type { FunctionCall } from "../conversation/Message.ts"
import { fromStrings, fromWord } from "../export/Body.ts"
import { type DocumentMessage, format, ordered, version } from "../export/Document.ts"
import { Draft } from "./Draft.ts"
import { refuse } from "./ImportProblem.ts"
import { maxElements, maxPiece } from "./Limits.ts"
import type { Reader } from "./Reader.ts"
import { timeOf } from "./time.ts"

/** What is not text of a page, with all that is inside. */
const unread = new Set([
  "script",
  "style",
  "template",
  "iframe",
  "object",
  "embed",
  "noscript",
  "svg",
  "math",
  "head",
  "textarea",
  "select"
])
const blocks = new Set([
  "p",
  "div",
  "li",
  "tr",
  "pre",
  "br",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "blockquote",
  "section",
  "header",
  "details",
  "summary",
  "ul",
  "ol",
  "table"
])
/** Elements that have no end. */
const empty = new Set(["br", "hr", "meta", "link", "img", "input", "base", "col", "area", "source", "track", "wbr"])

type Attributes = Readonly<Record<string, string>>

/** A text that is collected, and whether it is one JSON string for each line. */
interface Part {
  readonly kind: string
  readonly strings: boolean
  readonly depth: number
  readonly text: Array<string>
}

/** A message as far as it was read. */
interface Section {
  readonly role: string
  readonly attributes: Attributes
  readonly depth: number
  /** All that it shows. */
  readonly shown: Array<string>
  readonly calls: Array<FunctionCall>
  content?: string
  reasoning?: string
  time?: number
}

/** In a page of ours, the text of a message is in a part of its own. */
const messageOf = (section: Section, number: number, own: boolean): DocumentMessage => {
  const { attributes, calls, content, reasoning, role, shown, time } = section
  const text = content ?? (own ? undefined : shown.join("").trim())
  const worker = attributes["data-worker"]
  const more = {
    ...(time === undefined ? {} : { createdAt: time }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(worker === undefined ? {} : { worker: fromWord(worker).split("/") })
  }
  switch (role) {
    case "system":
    case "user":
      return ordered({ role, content: text ?? "", ...more })
    case "assistant": {
      const asked = calls.length === 0 ? {} : { tool_calls: calls }
      return ordered({ role, content: text ?? (calls.length === 0 ? "" : null), ...asked, ...more })
    }
    case "tool":
      return ordered({
        role,
        tool_call_id: fromWord(attributes["data-call"] ?? `tool_${number}`),
        content: text ?? "",
        ...more
      })
    default:
      return refuse(`message ${number} has the role ${JSON.stringify(role.slice(0, 80))}`)
  }
}

/** Reads a session from a page: the sections that say whose they are. Nothing of it is loaded or run. */
export const html = (): Reader => {
  const draft = new Draft()
  /** The elements that are open. */
  const open: Array<string> = []
  let own = false
  let ended = false
  let titled = false
  let skipped: number | undefined
  /** Characters of the message so far. */
  let size = 0
  let section: Section | undefined
  let part: Part | undefined
  let call: { readonly id: string; readonly name: string; readonly depth: number } | undefined

  const say = (text: string): void => {
    const held = part?.text ?? section?.shown
    if (held === undefined) return
    held.push(text)
    size += text.length
    if (size > maxPiece) refuse(`message ${draft.count + 1} is longer than ${maxPiece} characters`)
  }
  const finishPart = (done: Part): void => {
    part = undefined
    const whole = done.text.join("")
    if (done.kind === "title") {
      draft.session = { ...draft.session, title: whole.trim() }
      return
    }
    const text = done.strings ? fromStrings(whole) : whole
    if (section === undefined || text === undefined)
      return refuse(`message ${draft.count + 1} has a part that cannot be read`)
    if (done.kind === "text") section.content = text
    if (done.kind === "thinking") section.reasoning = text
    if (done.kind === "arguments" && call !== undefined) {
      section.calls.push({ id: call.id, type: "function", function: { name: call.name, arguments: text } })
    }
  }
  const opened = (name: string, attributes: Attributes): void => {
    if (own && ended) refuse("something follows the end of the session")
    if (name === "main" && attributes["data-format"] === format) {
      own = true
      if (attributes["data-version"] !== String(version)) {
        refuse(
          `the document has version ${String(attributes["data-version"]).slice(0, 20)}, and this version of Tollgate reads ${version}`
        )
      }
    }
    if (name === "footer" && own && section === undefined && attributes["data-messages"] !== undefined) {
      ended = true
      const count = attributes["data-messages"]
      if (count !== String(draft.count))
        refuse(`it should have ${count.slice(0, 20)} messages and has ${draft.count}; it was cut or changed`)
      return
    }
    const role = name === "section" ? attributes["data-role"] : undefined
    if (role !== undefined) {
      if (section !== undefined) refuse(`message ${draft.count + 1} has another one inside`)
      size = 0
      section = { role, attributes, depth: open.length, shown: [], calls: [] }
    }
    if (name === "h1" && section === undefined && !titled) {
      titled = true
      part = { kind: "title", strings: false, depth: open.length, text: [] }
    }
    if (section === undefined) return
    if (name === "time") {
      const time = timeOf(attributes["datetime"])
      if (time !== undefined) section.time = time
    }
    const { "data-call": id, "data-form": form, "data-part": kind, "data-tool": tool } = attributes
    if (name === "details" && id !== undefined && tool !== undefined) {
      call = { id: fromWord(id), name: fromWord(tool), depth: open.length }
    }
    if (kind !== undefined) part = { kind, strings: form === "strings", depth: open.length, text: [] }
    else if (blocks.has(name)) say("\n")
  }
  const closed = (): void => {
    const depth = open.length
    if (part?.depth === depth) finishPart(part)
    if (call?.depth === depth) call = undefined
    if (section?.depth === depth) {
      draft.message(messageOf(section, draft.count + 1, own))
      section = undefined
    }
  }
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (!empty.has(name) && open.length >= maxElements) refuse(`its elements are nested deeper than ${maxElements}`)
        if (skipped === undefined && unread.has(name)) skipped = open.length
        else if (skipped === undefined) opened(name, attributes)
        open.push(name)
      },
      onclosetag: (name, implied) => {
        open.pop()
        if (own && implied && (name === "section" || name === "main")) refuse("it ends in the middle; it was cut")
        if (skipped === open.length) {
          skipped = undefined
          if (name !== "head") draft.warn(`elements that are no text are left out: ${name.slice(0, 20)}`)
        } else if (skipped === undefined) closed()
      },
      ontext: (text) => {
        if (skipped === undefined) say(text)
      }
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true }
  )
  return {
    push: (text) => parser.write(text),
    end: () => {
      parser.end()
      if (own && !ended) refuse("its end is missing; it was cut")
      if (!own && draft.count === 0) refuse('it has no message: no <section data-role="…">')
      return draft.finish("html")
    }
  }
}
