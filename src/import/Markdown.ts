import type { FunctionCall } from "../conversation/Message.ts"
import { fromStrings } from "../export/Body.ts"
import { type DocumentMessage, format, ordered, version } from "../export/Document.ts"
import { fromHeading, type Heading, isSection, unescaped } from "../export/Headings.ts"
import { Draft } from "./Draft.ts"
import { refuse } from "./ImportProblem.ts"
import { maxPiece } from "./Limits.ts"
import { Lines } from "./Lines.ts"
import type { Reader } from "./Reader.ts"
import { timeOf } from "./time.ts"

/** A heading and the lines below it. */
interface Part {
  readonly heading: Heading
  readonly line: number
  readonly lines: Array<string>
}

const fenceOpening = /^(`{3,})(text|json|strings|diff)?$/

/** The lines between the fences of a part that is nothing else; nothing where there is more. */
const fencedText = (lines: ReadonlyArray<string>): { readonly info: string; readonly text: string } | undefined => {
  const [, fence, info = ""] = fenceOpening.exec(lines[0] ?? "") ?? []
  if (fence === undefined || lines.length < 2 || lines.indexOf(fence, 1) !== lines.length - 1) return undefined
  return { info, text: lines.slice(1, -1).join("\n") }
}

const withoutBlanks = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isText = (line: string) => line.trim() !== ""
  const first = lines.findIndex(isText)
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1)
}

/** The text of a part; nothing where it has none. */
const textOf = ({ line, lines }: Part): string | undefined => {
  const own = withoutBlanks(lines)
  if (own.length === 0) return undefined
  const fenced = fencedText(own)
  if (fenced === undefined) return unescaped(own.join("\n")).trim()
  if (fenced.info !== "strings") return fenced.text
  return fromStrings(fenced.text) ?? refuse(`line ${line}: what follows is no list of JSON strings`)
}

const timeLine = /^_((?:\d{4}|[+-]\d{6})-[-\dT:.]+Z)_$/

/** A message out of its parts. */
class Section {
  private readonly parts: Array<Part> = []
  private size = 0

  begin(heading: Heading, line: number): void {
    this.parts.push({ heading, line, lines: [] })
  }

  add(line: string): void {
    this.parts.at(-1)?.lines.push(line)
    this.size += line.length + 1
    if (this.size > maxPiece) refuse(`a message is longer than ${maxPiece} characters`)
  }

  /** The message; nothing where a change of a file stands before the first one. */
  message(number: number): DocumentMessage | undefined {
    const [first, ...others] = this.parts
    if (first === undefined || !isSection(first.heading)) return undefined
    const { heading, lines } = first
    const at = lines.findIndex((line) => line.trim() !== "")
    const time = timeOf(timeLine.exec(lines[at] ?? "")?.[1])
    const text = textOf(time === undefined ? first : { ...first, lines: lines.slice(at + 1) })
    const calls: Array<FunctionCall> = []
    let reasoning: string | undefined
    for (const part of others) {
      const said = textOf(part) ?? ""
      if (part.heading.kind === "Thinking") reasoning = said
      if (part.heading.kind !== "Call") continue
      const { id = `call_${number}_${calls.length + 1}`, name = "unknown" } = part.heading
      calls.push({ id, type: "function", function: { name, arguments: said } })
    }
    const more = {
      ...(time === undefined ? {} : { createdAt: time }),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(heading.worker === undefined ? {} : { worker: heading.worker.split("/") })
    }
    switch (heading.kind) {
      case "System":
        return ordered({ role: "system", content: text ?? "", ...more })
      case "Assistant": {
        const asked = calls.length === 0 ? {} : { tool_calls: calls }
        return ordered({ role: "assistant", content: text ?? (calls.length === 0 ? "" : null), ...asked, ...more })
      }
      case "Tool": {
        const { id = `tool_${number}`, name } = heading
        const details = name === undefined ? {} : { details: { tool: name } }
        return ordered({ role: "tool", tool_call_id: id, content: text ?? "", ...details, ...more })
      }
      default:
        return ordered({ role: "user", content: text ?? "", ...more })
    }
  }
}

/** The fields in front of a document, whose values are texts and nothing else. */
class Front {
  readonly fields = new Map<string, string>()

  add(line: string, number: number): void {
    const [, name = "", value = ""] = /^([a-z]{1,40}): (.{0,4000})$/.exec(line) ?? []
    if (name === "" || /^[!&*|>{[]/.test(value)) refuse(`line ${number} is no field with a text`)
    if (this.fields.has(name)) refuse(`line ${number}: ${name} is given twice`)
    this.fields.set(name, value.startsWith('"') ? (fromStrings(value) ?? refuse(`line ${number} is no text`)) : value)
  }

  check(): void {
    const said = this.fields.get("format")
    const number = this.fields.get("version") ?? String(version)
    if (said !== undefined && said !== format)
      refuse(`its format is ${JSON.stringify(said.slice(0, 80))}; ${format} can be read`)
    if (said !== undefined && number !== String(version)) {
      refuse(`the document has version ${number.slice(0, 20)}, and this version of Tollgate reads ${version}`)
    }
  }
}

/** Reads a session from Markdown: a title, and a heading for each message. */
export const markdown = (): Reader => {
  const lines = new Lines()
  const draft = new Draft()
  const front = new Front()
  let where: "start" | "front" | "top" | "messages" | "end" = "start"
  let titled = false
  let section: Section | undefined
  /** The fence that is open at the beginning of a part, whose lines are no headings. */
  let fence: string | undefined
  let fresh = false
  let number = 0

  const close = (): void => {
    const message = section?.message(draft.count + 1)
    if (message !== undefined) draft.message(message)
    section = undefined
  }
  const begin = (heading: Heading): void => {
    if (isSection(heading)) {
      close()
      section = new Section()
    }
    section ??= new Section()
    section.begin(heading, number)
    fresh = true
    where = "messages"
  }
  const top = (line: string): void => {
    const [, title] = /^# (?:Session: ?)?(.*)$/.exec(line) ?? []
    if (title !== undefined && !titled) {
      titled = true
      draft.session = { ...draft.session, title: title.trim() }
    } else if (line.trim() !== "") {
      draft.warn("text before the first message is left out")
      if (!titled) refuse("it begins neither with a title (# Session: …) nor with a message (## User)")
    }
  }
  const take = (line: string): void => {
    number += 1
    if (where === "start") {
      if (line.trim() === "") return
      where = line === "---" ? "front" : "top"
      if (where === "front") return
    }
    if (where === "front") {
      if (line !== "---") return front.add(line, number)
      front.check()
      where = "top"
      return
    }
    if (fence !== undefined) {
      if (line === fence) fence = undefined
      return section?.add(line)
    }
    const end = /^<!-- end of session: (\d{1,9}) -->$/.exec(line)
    if (end !== null) {
      close()
      where = "end"
      if (Number(end[1]) !== draft.count)
        refuse(`it should have ${end[1]} messages and has ${draft.count}; it was cut or changed`)
      return
    }
    if (where === "end") {
      if (line.trim() !== "") refuse(`line ${number}: something follows the end of the session`)
      return
    }
    const heading = fromHeading(line)
    const begins = heading !== undefined && (isSection(heading) || section !== undefined || heading.kind === "Changed")
    if (begins) return begin(heading)
    if (section === undefined) return top(line)
    if (fresh && line.trim() !== "") {
      // The time of a message stands before its text.
      if (!timeLine.test(line)) fresh = false
      fence = fenceOpening.exec(line)?.[1]
    }
    section.add(line)
  }
  return {
    push: (text) => lines.push(text).forEach(take),
    end: () => {
      lines.end().forEach(take)
      if (where === "start") refuse("the file is empty")
      if (where === "front") refuse("its front matter has no end")
      if (fence !== undefined) refuse("it ends inside of a text between fences; it was cut")
      if (where !== "end" && front.fields.has("format")) refuse("its end is missing; it was cut")
      close()
      const id = front.fields.get("session")
      const created = timeOf(front.fields.get("created"))
      draft.session = {
        ...draft.session,
        ...(id === undefined ? {} : { id }),
        ...(created === undefined ? {} : { createdAt: created })
      }
      return draft.finish("markdown")
    }
  }
}
