/** Lines that are compared for one patch; a long one counts as several. Hundreds of changes in a file of 100,000 lines take fewer. */
const most = 30_000_000

/** Why a patch does not fit whose places were not found by then. */
export const tooManyPlaces = "its lines repeat too often in the file to find their place; split the patch"

/** Compares lines for one patch, which must find its places within a bounded time: lines that repeat can be everywhere. */
export class Comparisons {
  private left = most

  /** Whether no more are compared: all that are asked for from then on differ. */
  get isSpent(): boolean {
    return this.left <= 0
  }

  readonly isSame = (line: string | undefined, wanted: string): boolean => {
    this.left -= 1 + (wanted.length >> 5)
    return this.left > 0 && line === wanted
  }
}
