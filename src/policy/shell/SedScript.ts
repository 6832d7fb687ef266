/** A pattern between two marks: no mark but an escaped one, and brackets that close before the next. */
const pattern = (mark: string): string =>
  String.raw`(?:[^${mark}\\[\n]|\\[^\n]|\[(?!\^?\])\^?(?:\[:[a-z]+:\]|[^\]${mark}\\[\n])+\])*`
const sedPattern = String.raw`\/${pattern("/")}\/I?`
const address = `(?:\\d{1,9}|\\$|${sedPattern})`
/** `s` with one of four delimiters, and without the flags that write a file or run what comes out. */
const substitution = ["/", "|", "#", ","]
  .map((mark) => {
    const replacement = String.raw`(?:[^${mark}\\\n]|\\[^\n])*`
    const quoted = mark === "|" ? String.raw`\|` : mark === "/" ? String.raw`\/` : mark
    return `s${quoted}${pattern(mark)}${quoted}${replacement}${quoted}[gpI]*\\d{0,3}[gpI]*`
  })
  .join("|")
const end = "(?:[ ]*;[ ]*|[ ]*$)"

/** A sed script that only selects and changes lines on their way: addresses with `p`, `d`, `q`, `=` or `s`. */
export const sedScript = new RegExp(
  `^(?:(?:(?:${address}(?:,(?:\\+?\\d{1,9}|\\$|${sedPattern}))?[ ]?!?)[pdq=]|(?:${address}(?:,(?:\\+?\\d{1,9}|\\$|${sedPattern}))?[ ]?!?)?(?:[pd=]|${substitution}))${end})+$`
)
