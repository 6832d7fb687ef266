/** A pattern as sed delimits it: no slash but an escaped one, and brackets that close before the next. */
const sedPattern = String.raw`\/(?:[^/\\[\n]|\\[^\n]|\[(?!\^?\])\^?(?:\[:[a-z]+:\]|[^\]/\\[\n])+\])*\/I?`
const address = `(?:\\d{1,9}|\\$|${sedPattern})`
/** `s` with one of three delimiters, and without the flags that write a file or run what comes out. */
const substitution = ["/", "|", "#", ","]
  .map((mark) => {
    const not = String.raw`(?:[^${mark}\\[\n]|\\[^\n]|\[(?!\^?\])\^?(?:\[:[a-z]+:\]|[^\]${mark}\\[\n])+\])*`.replaceAll(
      "|\\\\[^",
      "|\\\\[^"
    )
    const replacement = String.raw`(?:[^${mark}\\\n]|\\[^\n])*`
    const quoted = mark === "|" ? String.raw`\|` : mark === "/" ? String.raw`\/` : mark
    return `s${quoted}${not}${quoted}${replacement}${quoted}[gpI]*\\d{0,3}[gpI]*`
  })
  .join("|")
const end = "(?:[ ]*;[ ]*|[ ]*$)"

/** A sed script that only selects and changes lines on their way: addresses with `p`, `d`, `q`, `=` or `s`. */
export const sedScript = new RegExp(
  `^(?:(?:(?:${address}(?:,(?:\\+?\\d{1,9}|\\$|${sedPattern}))?[ ]?!?)[pdq=]|(?:${address}(?:,(?:\\+?\\d{1,9}|\\$|${sedPattern}))?[ ]?!?)?(?:[pd=]|${substitution}))${end})+$`
)
