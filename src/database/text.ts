import * as Schema from "effect/Schema"

/**
 * Texts of any characters: as JSON, because SQLite cuts a text that is bound or read directly at U+0000. Bind
 * `asJson(text)` where the statement has `? ->> '$'`, and decode `json_quote(column)` by `Text`.
 */
export const Text = Schema.parseJson(Schema.String)

/** Half a surrogate pair becomes U+FFFD, as in a text that is bound. */
export const asJson = (text: string): string => JSON.stringify(text.toWellFormed())
