/** One word of a POSIX shell, whatever it contains. */
export const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
