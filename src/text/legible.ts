const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Untrusted text made fit for a message: cut to `limit` code units, well formed, control characters escaped. */
export const legible = (text: string, limit: number): string =>
  `${text.slice(0, limit).toWellFormed().replace(invisible, escaped)}${text.length > limit ? "…" : ""}`
