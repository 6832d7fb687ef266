/** A part of a coloured text, by what it is in its language; that is empty for nothing in particular. */
export interface Piece {
  readonly text: string
  readonly kind: string
}
