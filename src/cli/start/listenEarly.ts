import { isLoopback, parse, usual } from "../../server/Address.ts"
import { open } from "../../server/EarlySocket.ts"

/** The address that `tollgate serve` will listen on, as far as that is plain. */
const addressOf = (words: ReadonlyArray<string>) => {
  const at = words.findIndex((word) => word === "--listen" || word.startsWith("--listen="))
  if (at < 0) return usual
  return parse(words[at]?.slice("--listen=".length) || (words[at + 1] ?? ""))
}

/**
 * Listens for `tollgate serve` while the program still loads, and then goes on. Who connects meanwhile waits for the program, which
 * judges them; other machines are let in only once it has.
 */
export const listenEarly = (words: ReadonlyArray<string>, then: () => void): void => {
  const address = words.includes("--help") || words.includes("-h") ? undefined : addressOf(words)
  if (address === undefined || !isLoopback(address.host)) then()
  else open(address, then)
}
