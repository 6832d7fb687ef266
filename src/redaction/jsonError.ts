/** Whether a text goes on wrongly, rather than being whole or too short. */
const isWrong = (text: string): boolean => {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    const message = error instanceof Error ? error.message : ""
    const position = /at position (\d+)/.exec(message)?.[1]
    return position === undefined ? !/end of JSON/i.test(message) : Number(position) < text.length
  }
}

/** Where a text that is not JSON goes wrong, without repeating any of it: it may hold a secret. */
export const jsonError = (text: string): string => {
  if (text.trim() === "") return "it is empty"
  if (!isWrong(text)) return "it is not JSON: it ends too early"
  let right = 0
  let wrong = text.length
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2)
    if (isWrong(text.slice(0, middle))) wrong = middle
    else right = middle
  }
  const before = text.slice(0, right).split("\n")
  return `it is not JSON: unexpected character at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}
