/** What a line asks for by how it begins. */
export type Line =
  | { readonly _tag: "Prompt"; readonly text: string }
  /** A slash command, with its slash. */
  | { readonly _tag: "Command"; readonly text: string }
  /** A command for the shell; empty where nothing stands behind the sign. */
  | { readonly _tag: "Shell"; readonly text: string }
  /** A note to remember; empty where nothing stands behind the sign. */
  | { readonly _tag: "Note"; readonly text: string }

/**
 * What a typed line is: `/NAME` is a command, `//` a prompt with a slash, `!` a command for the shell, and `#` a note of one
 * line; a text of several lines that begins so is Markdown.
 */
export const lineOf = (typed: string): Line => {
  const text = typed.trim()
  const [, command] = /^!\s*([^]*)$/.exec(text) ?? []
  if (command !== undefined) return { _tag: "Shell", text: command }
  const [isNote, note = ""] = /^#(?:\s*([^#\s].*))?$/.exec(text) ?? []
  if (isNote !== undefined && !text.includes("\n")) return { _tag: "Note", text: note }
  if (text.startsWith("//")) return { _tag: "Prompt", text: text.slice(1) }
  // No command has a slash in its name; a path that is pasted has.
  return { _tag: /^\/(?!\S*\/)/.test(text) ? "Command" : "Prompt", text }
}
