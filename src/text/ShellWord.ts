/** Any text as one word of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The same as a person would type it: in quotes only where it needs them; zsh puts a file in the place of `=x`. */
export const typed = (text: string): string => (/^(?!=.)[\w@%+=:,./-]+$/.test(text) ? text : quoted(text))
