import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { makeVisible } from "../../text/visible.ts"
import type { Piece } from "./Piece.ts"
import { ownValue } from "../../text/ownValue.ts"

type Highlighted = (text: string, language: string) => ReadonlyArray<Piece>

/** What colours; comes with the first code that is shown. */
const highlighter = signal<Highlighted | undefined>(undefined)
let asked = false

const wanted = (): Highlighted | undefined => {
  if (!asked) {
    asked = true
    void import("./highlight.ts").then(({ highlighted }) => {
      highlighter.value = highlighted
    })
  }
  return highlighter.value
}

const aliases: Readonly<Record<string, string>> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  py: "python",
  rs: "rust",
  html: "xml",
  svg: "xml",
  yml: "yaml",
  md: "markdown",
  toml: "ini",
  jsonl: "json",
  jsonc: "json"
}

const languageOf = (name: string): string => ownValue(aliases, name.toLowerCase()) ?? name.toLowerCase()

/** The language of a file, by its name. */
export const languageOfPath = (path: string): string => languageOf(/\.([A-Za-z0-9]+)$/.exec(path)?.[1] ?? "")

/** A text, in which everything is visible already, in the colours of its language. */
export const coloured = (text: string, language: string): ComponentChildren => {
  const pieces = language === "" ? undefined : wanted()?.(text, languageOf(language))
  return pieces === undefined
    ? text
    : pieces.map(({ kind, text }) => (kind === "" ? text : <span class={`c-${kind}`}>{text}</span>))
}

export const Code = ({ language, text }: { readonly text: string; readonly language: string }) => (
  <pre class="code" tabIndex={0} role="group" aria-label={language === "" ? "Code" : `Code, ${makeVisible(language)}`}>
    <code>{coloured(makeVisible(text), language)}</code>
  </pre>
)
