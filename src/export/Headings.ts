import { fromWord, toWord, word } from "./Body.ts"

/** What begins a part of a document in Markdown. */
export interface Heading {
  readonly kind: "System" | "User" | "Assistant" | "Tool" | "Thinking" | "Call" | "Changed"
  /** Of a tool or a file. */
  readonly name?: string
  /** Of a call. */
  readonly id?: string
  /** The path of a worker below the root. */
  readonly worker?: string
}

const sections = ["System", "User", "Assistant", "Tool"]
const parts = ["Thinking", "Call", "Changed"]
const kinds = `(?:## (${sections.join("|")})|### (${parts.join("|")}))`
const line = new RegExp(String.raw`^${kinds}(?: \((${word})\))?(?: (${word}))?(?: @(${word}))?\s*$`)
const own = new RegExp(String.raw`^\\*(?:${kinds}\b|<!-- end of session)`)

/** Begins a message, and not a part of one. */
export const isSection = ({ kind }: Heading): boolean => sections.includes(kind)

export const toHeading = ({ id, kind, name, worker }: Heading): string =>
  [
    sections.includes(kind) ? "##" : "###",
    kind,
    ...(name === undefined ? [] : [`(${toWord(name)})`]),
    ...(id === undefined ? [] : [toWord(id)]),
    ...(worker === undefined ? [] : [`@${toWord(worker)}`])
  ].join(" ")

export const fromHeading = (text: string): Heading | undefined => {
  if (!text.startsWith("##")) return undefined
  const [, section, part, name, id, worker] = line.exec(text) ?? []
  const kind = section ?? part
  if (kind === undefined) return undefined
  return {
    kind: kind as Heading["kind"],
    ...(name === undefined ? {} : { name: fromWord(name) }),
    ...(id === undefined ? {} : { id: fromWord(id) }),
    ...(worker === undefined ? {} : { worker: fromWord(worker) })
  }
}

/** Text in which no line is taken for a heading. */
export const escaped = (text: string): string =>
  text
    .split("\n")
    .map((one) => (own.test(one) ? `\\${one}` : one))
    .join("\n")

export const unescaped = (text: string): string =>
  text
    .split("\n")
    .map((one) => (one.startsWith("\\") && own.test(one) ? one.slice(1) : one))
    .join("\n")
