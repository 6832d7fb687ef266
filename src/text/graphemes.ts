/** Made with the first text: what it loads takes longer than much else of a start. */
let segmenter: Intl.Segmenter | undefined

/** A text in pieces that take a time in proportion to it: a segmenter needs more for one that is long. */
export const slices = (text: string): ReadonlyArray<string> =>
  text.length <= maxSlice ? [text] : (text.match(/[^]{1,500}(?![\udc00-\udfff])|[^]/g) ?? [])

const maxSlice = 500

/** A text by what a reader takes for one character. */
export const graphemes = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text)

/** The same one after the other, for a text of any length. */
export function* eachGrapheme(text: string): Generator<Intl.SegmentData> {
  for (const slice of slices(text)) yield* graphemes(slice)
}
