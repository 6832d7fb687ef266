/** Bounds of what instructions import: files below one another, and files in all. */
export const limits = { depth: 5, files: 32 }

const fence = /^\s*(?:(?:>|[-*+]|\d{1,9}[.)])\s*)*(`{3,}|~{3,})/
const reference = /(?<=^|[\s(])@([^\s@`'"<>()[\]{}|*?\\]+)/g

/** A text without its code spans: a run of backticks and the next one of the same length. */
const withoutSpans = (text: string): string => {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ length: run.length, index }))
  const byLength = new Map<number, Array<(typeof runs)[number]>>()
  for (const run of runs) {
    const same = byLength.get(run.length)
    if (same === undefined) byLength.set(run.length, [run])
    else same.push(run)
  }
  let shown = ""
  let from = 0
  for (const { index, length } of runs) {
    const same = byLength.get(length) ?? []
    while (same[0] !== undefined && same[0].index <= Math.max(index, from - 1)) same.shift()
    const [end] = same
    if (index < from || end === undefined) continue
    shown += `${text.slice(from, index)} `
    from = end.index + length
  }
  return shown + text.slice(from)
}

/** The paragraphs of a Markdown text outside of its fences. */
const paragraphs = (text: string): ReadonlyArray<string> => {
  const found: Array<Array<string>> = [[]]
  let open: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const mark = fence.exec(line)?.[1]
    if (open !== undefined) {
      const inner = line.replace(/^[\s>]*/, "").trimEnd()
      if (inner.length >= open.length && inner === open[0]!.repeat(inner.length)) open = undefined
    } else if (mark !== undefined) {
      open = mark
      found.push([])
    } else if (line.trim() === "") found.push([])
    else found.at(-1)?.push(line)
  }
  return found.map((lines) => lines.join("\n"))
}

/** What a Markdown text refers to as `@path`, in order and each once; what stands in code refers to nothing. */
export const importsIn = (text: string): ReadonlyArray<string> =>
  text.includes("@")
    ? [
        ...new Set(
          paragraphs(text).flatMap((one) =>
            [...withoutSpans(one).matchAll(reference)].flatMap(([, path = ""]) => path.replace(/[.,;:!]+$/, "") || [])
          )
        )
      ]
    : []
