/** The words of a command as a person types it; quotes hold one together. What is left open reaches to the end. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:"[^"]*"?|'[^']*'?|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"?|'([^']*)'?/g, (_, double?: string, single?: string) => double ?? single ?? "")
  )
