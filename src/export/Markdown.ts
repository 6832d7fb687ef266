import * as Stream from "effect/Stream"
import { visibleJson, visibleLine } from "../text/visible.ts"
import { isRoot } from "../tool/WorkerPath.ts"
import { formOf, toStrings } from "./Body.ts"
import { changeOf } from "./Change.ts"
import { type DocumentMessage, type DocumentSession, type Entry, format, version } from "./Document.ts"
import { escaped, type Heading, toHeading } from "./Headings.ts"
import type { StoredSession } from "./StoredSession.ts"
import { isoTime } from "./isoTime.ts"

const fenced = (info: string, text: string): string => {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = "`".repeat(longest + 1)
  return `${fence}${info}\n${text}\n${fence}`
}

/** A text between fences, whose language is `info` where it can be read as it is. */
const exact = (info: string, text: string): string =>
  formOf(text) === "strings" ? fenced("strings", toStrings(text)) : fenced(info, text)

const body = (text: string): string => (formOf(text) === "plain" ? escaped(text) : exact("text", text))

const part = (heading: Heading, text: string | undefined): ReadonlyArray<string> => [
  toHeading(heading),
  ...(text === undefined ? [] : [text])
]

const roles = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const

const isJson = (text: string): boolean => /^\s*[[{]/.test(text)

/** A message as a section. */
const section = (message: DocumentMessage): ReadonlyArray<string> => {
  const { createdAt, details, reasoning, worker } = message
  const tool = details?.["tool"]
  const heading: Heading = {
    kind: roles[message.role],
    ...(message.role === "tool" ? { id: message.tool_call_id } : {}),
    ...(message.role === "tool" && typeof tool === "string" ? { name: tool } : {}),
    ...(worker === undefined || isRoot(worker) ? {} : { worker: worker.join("/") })
  }
  const { content } = message
  return [
    toHeading(heading),
    ...(createdAt === undefined ? [] : [`_${isoTime(createdAt)}_`]),
    ...(content === null
      ? []
      : [message.role === "tool" ? exact(isJson(content) ? "json" : "text", content) : body(content)]),
    ...(reasoning === undefined ? [] : part({ kind: "Thinking" }, body(reasoning))),
    ...(message.role === "assistant" ? (message.tool_calls ?? []) : []).flatMap(({ function: asked, id }) =>
      part({ kind: "Call", name: asked.name, id }, exact("json", asked.arguments))
    )
  ]
}

/** A change of a file; other events are not for readers. */
const change = (event: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const found = changeOf(event)
  return found === undefined ? [] : part({ kind: "Changed", name: found.path }, exact("diff", found.diff))
}

const front = (session: DocumentSession): string => {
  const { createdAt, id, profile, project, updatedAt } = session
  const times = { created: createdAt, updated: updatedAt }
  const rows = [
    ["format", format],
    ["version", String(version)],
    ["session", id],
    ...Object.entries(times).flatMap(([name, time]) => (time === undefined ? [] : [[name, isoTime(time)]])),
    ...Object.entries({ profile, project }).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]))
  ]
  return ["---", ...rows.map(([name, text]) => `${name}: ${visibleJson(JSON.stringify(text))}`), "---"].join("\n")
}

/** The document in Markdown: roles, order, texts and calls can be read back from it. */
export const markdown = ({ entries, session }: StoredSession) =>
  Stream.suspend(() => {
    let messages = 0
    const sections = Stream.map(entries, (entry: Entry) => {
      if ("message" in entry) messages += 1
      const lines = "message" in entry ? section(entry.message) : change(entry.happened.event)
      return lines.map((line) => `\n${line}\n`).join("")
    })
    return Stream.make(`${front(session)}\n\n# Session: ${visibleLine(session.title)}\n`).pipe(
      Stream.concat(sections),
      Stream.concat(Stream.suspend(() => Stream.make(`\n<!-- end of session: ${messages} -->\n`)))
    )
  })
