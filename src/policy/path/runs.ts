/**
 * Whether a pattern takes a whole text, where a run takes any number of pieces and every other part takes one. Goes back
 * to the last run only, so the work is bounded by the product of the lengths.
 */
export const takesAll = <Part extends {}, Piece extends {}>(
  pattern: ReadonlyArray<Part>,
  text: ReadonlyArray<Piece>,
  isRun: (part: Part) => boolean,
  takes: (part: Part, piece: Piece) => boolean
): boolean => {
  let part = 0
  let piece = 0
  let retryPart = -1
  let retryPiece = 0
  for (let next = text[0]; next !== undefined; next = text[piece]) {
    const current = pattern[part]
    if (current !== undefined && isRun(current)) {
      retryPart = ++part
      retryPiece = piece
    } else if (current !== undefined && takes(current, next)) {
      part++
      piece++
    } else if (retryPart >= 0) {
      part = retryPart
      piece = ++retryPiece
    } else {
      return false
    }
  }
  return pattern.slice(part).every(isRun)
}
