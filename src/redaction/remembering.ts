/** Characters of a text that is remembered, and texts at a time. */
const maxText = 1024
const maxKnown = 512

/** The same redaction, told once of short texts that come again and again: names, kinds, who decided. */
export const remembering = (redact: (text: string) => string): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text) => {
    if (text.length > maxText) return redact(text)
    const found = known.get(text)
    if (found !== undefined) return found
    const told = redact(text)
    if (known.size >= maxKnown) known.clear()
    known.set(text, told)
    return told
  }
}
