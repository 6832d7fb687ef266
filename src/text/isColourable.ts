/** Characters of a line beyond which a grammar would let its reader wait: some take time with the square of a line. */
const longestLine = 1000

/** Whether code of at most so many characters is coloured. */
export const isColourable = (text: string, most: number): boolean =>
  text.length <= most && text.split("\n").every(({ length }) => length <= longestLine)
