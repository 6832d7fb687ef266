import * as Schema from "effect/Schema"

/**
 * Texts of any characters: SQLite takes and gives one as JSON, because a text that is bound or read as it is ends at U+0000. Bind
 * `asJson(text)` where the statement has `? ->> '$'`, and decode what it gives as `json_quote(column)` by `Text`.
 */
export const Text = Schema.parseJson(Schema.String)

/** Half a surrogate pair becomes U+FFFD, as in a text that is bound. */
export const asJson = (text: string): string => JSON.stringify(text.toWellFormed())
