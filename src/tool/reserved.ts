/** What a name looks like once letters, case, separators and everything invisible are folded away. */
const fold = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{C}\p{Z}\p{M}]/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ".")
    .replace(/^\.+/u, "")

/** Whether a name is, or passes for, one of the runtime's own `client.*` tools (A4). */
export const isReserved = (name: string): boolean => {
  const folded = fold(name)
  return folded === "client" || folded.startsWith("client.") || /^client(?:requestapproval|showapproval)/u.test(folded)
}
