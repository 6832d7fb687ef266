import { type Reading, unknown } from "./ToolTable.ts"

/** Texts, names and comments of SQL, as they follow one another. */
const parts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** Statements and functions of SQLite that read or write other files, or load programs. */
const reaches = /\b(?:attach|vacuum|pragma|load_extension|fts3_tokenizer|readfile|writefile|edit)\b/i

/** SQL without its texts and comments; a name stays, for functions can be called by one in quotes. */
const spoken = (text: string): string => text.replaceAll(parts, (part) => (/^['/-]/.test(part) ? " " : part))

/** Asks a database of the agent's own; nobody here knows what a statement does that reaches more than that. */
export const queries =
  (tool: string): Reading =>
  (input, cwd) =>
    Object.entries(input).some(
      ([name, value]) => name !== "description" && typeof value === "string" && reaches.test(spoken(value))
    )
      ? unknown(tool)(input, cwd)
      : []
