import { lookalikes } from "../text/lookalikes.ts"

const ascii = /^[ -~]*$/

/** A name with letters, case, separators and everything invisible folded away; the tables of Unicode are loaded where it needs them. */
const fold = (name: string): string => {
  const plain = ascii.test(name)
  return Array.from(
    name
      .normalize("NFKD")
      .replace(plain ? / /g : /[\p{C}\p{Z}\p{M}]/gu, "")
      .toLowerCase(),
    (letter) => (letter === "|" ? "l" : (lookalikes[letter] ?? letter))
  )
    .join("")
    .replace(plain ? /[^a-z0-9]+/g : /[^\p{L}\p{N}]+/gu, ".")
    .replace(/^\.+/u, "")
}

/** Whether a name is, or passes for, one of the runtime's own `client.*` tools; no tool may be registered under it. */
export const isReserved = (name: string): boolean => {
  const folded = fold(name.slice(0, 256))
  return folded === "client" || folded.startsWith("client.") || /^client(?:requestapproval|showapproval)/u.test(folded)
}

/**
 * Whether an unknown name reaches for the runtime's own, e.g. with a prefix. Wider than `isReserved`: a tool may be
 * called `http_client`, but a model that calls `functions.client.x` means the runtime's.
 */
export const reachesForReserved = (name: string): boolean => {
  const folded = fold(name.slice(0, 256))
  return isReserved(name) || /(?:^|\.)client\./u.test(folded) || /(?:request|show)\.?approval/u.test(folded)
}
