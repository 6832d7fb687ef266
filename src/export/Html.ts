import * as Stream from "effect/Stream"
import { isRoot } from "../tool/WorkerPath.ts"
import { formOf, toStrings, toWord } from "./Body.ts"
import { changeOf } from "./Change.ts"
import { type DocumentMessage, type DocumentSession, format, version } from "./Document.ts"
import { isoTime } from "./isoTime.ts"
import { type Markup, markup } from "./Markup.ts"
import { pagePolicy, pageStyle } from "./pageStyle.ts"
import { diff, isPlain, rendered } from "./Rendered.ts"
import type { StoredSession } from "./StoredSession.ts"

/** A part of a message that can be read back: its source, as it is or one JSON string for each line. */
const source = (part: "text" | "thinking" | "arguments", text: string, to: Markup, words = false): void => {
  const strings = formOf(text) === "strings"
  const attributes = {
    "data-part": part,
    ...(strings ? { "data-form": "strings" } : {}),
    ...(words && !strings ? { class: "words" } : {})
  }
  to.element("pre", attributes, () => to.text(strings ? toStrings(text) : text))
}

const folded = (
  summary: string,
  kind: string,
  to: Markup,
  inside: () => void,
  more: Readonly<Record<string, string>> = {}
) =>
  to.element("details", { class: kind, ...more }, () => {
    to.element("summary", {}, () => to.text(summary))
    inside()
  })

const time = (millis: number, to: Markup): void =>
  to.element("time", { datetime: isoTime(millis) }, () =>
    to.text(
      isoTime(millis)
        .replace("T", " ")
        .replace(/\.\d+Z$/, " UTC")
    )
  )

const titles = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const

const content = (message: DocumentMessage, to: Markup): void => {
  const { content, role } = message
  if (content === null) return
  if (role === "tool") return folded("Result", "result", to, () => source("text", content, to))
  if (role !== "assistant" || isPlain(content)) return source("text", content, to, true)
  to.element("div", { class: "rendered" }, () => rendered(content, to))
  folded("Markdown", "source", to, () => source("text", content, to))
}

const message = (one: DocumentMessage): string =>
  markup((to) => {
    const { createdAt, details, reasoning, role, worker } = one
    const tool = details?.["tool"]
    const below = worker === undefined || isRoot(worker) ? undefined : worker.join("/")
    const attributes = {
      "data-role": role,
      ...(one.role === "tool" ? { "data-call": toWord(one.tool_call_id) } : {}),
      ...(below === undefined ? {} : { "data-worker": toWord(below) })
    }
    to.element("section", attributes, () => {
      to.element("header", {}, () => {
        to.element("h2", {}, () => to.text(typeof tool === "string" ? `${titles[role]} ${tool}` : titles[role]))
        if (below !== undefined) to.element("span", {}, () => to.text(below))
        if (createdAt !== undefined) time(createdAt, to)
      })
      if (reasoning !== undefined) folded("Thinking", "thinking", to, () => source("thinking", reasoning, to))
      content(one, to)
      for (const { function: asked, id } of one.role === "assistant" ? (one.tool_calls ?? []) : []) {
        const names = { "data-call": toWord(id), "data-tool": toWord(asked.name) }
        folded(`Call ${asked.name}`, "call", to, () => source("arguments", asked.arguments, to), names)
      }
    })
  })

const change = (event: Readonly<Record<string, unknown>>): string => {
  const found = changeOf(event)
  return found === undefined
    ? ""
    : markup((to) => folded(`Changed ${found.path}`, "change", to, () => diff(found.diff, to)))
}

/** Where the entries go. */
const here = "\u{f8ff}entries\u{f8ff}"

/** The page around the entries. */
const frame = (session: DocumentSession): readonly [before: string, after: string] => {
  const { createdAt, directory, id, profile, project, title, updatedAt } = session
  const name = title || id
  const facts = { Session: id, Profile: profile, Project: project, Directory: directory }
  const page = markup((to) =>
    to.element("html", { lang: "en" }, () => {
      to.element("head", {}, () => {
        to.element("meta", { charset: "utf-8" })
        to.element("meta", { "http-equiv": "Content-Security-Policy", content: pagePolicy })
        to.element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" })
        to.element("meta", { name: "referrer", content: "no-referrer" })
        to.element("title", {}, () => to.text(name))
        to.element("style", {}, () => to.text(pageStyle))
      })
      to.element("body", {}, () =>
        to.element("main", { "data-format": format, "data-version": String(version) }, () => {
          to.element("h1", {}, () => to.text(name))
          to.element("dl", {}, () => {
            const row = (label: string, value: () => void) => {
              to.element("dt", {}, () => to.text(label))
              to.element("dd", {}, value)
            }
            for (const [label, text] of Object.entries(facts)) if (text !== undefined) row(label, () => to.text(text))
            if (createdAt !== undefined) row("Created", () => time(createdAt, to))
            if (updatedAt !== undefined) row("Updated", () => time(updatedAt, to))
          })
          to.text(here)
        })
      )
    })
  )
  const at = page.lastIndexOf(here)
  return [`<!doctype html>\n${page.slice(0, at)}\n`, page.slice(at + here.length)]
}

/** The document as one page that needs nothing else: it runs nothing, loads nothing, and shows every text as text. */
export const html = ({ entries, session }: StoredSession) =>
  Stream.suspend(() => {
    const [before, after] = frame(session)
    let messages = 0
    const sections = Stream.map(entries, (entry) => {
      if ("message" in entry) messages += 1
      const text = "message" in entry ? message(entry.message) : change(entry.happened.event)
      return text === "" ? "" : `${text}\n`
    })
    const footer = Stream.suspend(() => {
      const count = String(messages)
      const end = markup((to) =>
        to.element("footer", { "data-messages": count }, () =>
          to.text(count === "1" ? "1 message" : `${count} messages`)
        )
      )
      return Stream.make(`${end}${after}\n`)
    })
    return Stream.make(before).pipe(Stream.concat(sections), Stream.concat(footer))
  })
