/** Characters of a line, or of blanks in a row, beyond which a grammar would let its reader wait: some take time with their square. */
const longest = 1000

/** Whether code of at most so many characters is coloured. */
export const isColourable = (text: string, most: number): boolean =>
  text.length <= most && [...text.split("\n"), ...text.split(/\S+/u)].every(({ length }) => length <= longest)
