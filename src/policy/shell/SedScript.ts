/** A pattern as sed delimits it: no slash but an escaped one, and brackets that close before the next. */
const sedPattern = String.raw`\/(?:[^/\\[\n]|\\[^\n]|\[\^?(?:\[:[a-z]+:\]|[^\]/\\[\n])+\])*\/I?`

/** A sed script that only selects lines: addresses with `p`, `d`, `q` or `=`. */
export const sedScript = new RegExp(
  `^(?:(?:\\d{1,9}|\\$|${sedPattern})(?:,(?:\\+?\\d{1,9}|\\$|${sedPattern}))?[ ]?!?[pdq=](?:[ ]*;[ ]*|$))+$`
)
