/** Made with the first text: what it loads takes longer than much else of a start. */
let segmenter: Intl.Segmenter | undefined

/** A text by what a reader takes for one character. */
export const graphemes = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text)
