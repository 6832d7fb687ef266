/** Names of secrets that a pattern must not be able to match. */
const secrets =
  ".env .envrc .npmrc .netrc .pypirc id_rsa id_dsa id_ecdsa id_ed25519 secret.key server.key private.key server.pem key.pem cert.pem server.p12 server.pfx".split(
    " "
  )
/** Their endings are common: only a pattern that also begins like one of them is suspect. */
const suspects =
  "credentials credentials.json secrets secrets.json secrets.yaml secrets.yml secrets.toml service-account.json".split(
    " "
  )

const special = /[*?[\]{}]/

/** At most one `*` in a segment, beside letters that no secret's name has around it. */
const isHarmlessSegment = (segment: string): boolean => {
  const [before, after, ...more] = segment.toLowerCase().split("*")
  if (before === undefined || after === undefined || more.length > 0) return false
  if (special.test(before) || special.test(after) || before.startsWith(".")) return false
  const matches = (name: string): boolean =>
    name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after)
  return !secrets.some(matches) && (before === "" || !suspects.some(matches))
}

/** Whether a pattern that the shell expands, hidden files excepted, can match no secret by name. */
export const isHarmlessGlob = (pattern: string): boolean =>
  pattern
    .split("/")
    .every((segment) => !special.test(segment) || segment === "*" || segment === "**" || isHarmlessSegment(segment))

const alternatives = (pattern: string): ReadonlyArray<string> => {
  const braces = /^([^{}]*)\{([\w.,-]+)\}([^{}]*)$/.exec(pattern)
  return braces === null ? [pattern] : braces[2]!.split(",").map((part) => `${braces[1]}${part}${braces[3]}`)
}

/** Whether the last name of a pattern of a search or an ignore file may match a name; yes where that is not clear. */
export const mayMatch = (pattern: string, name: string): boolean =>
  alternatives(pattern.toLowerCase()).some((one) => {
    const last = one.trimEnd().replace(/\/$/, "").split("/").at(-1) ?? ""
    if (/[?[\]{}\\]/.test(last)) return true
    if (!last.includes("*")) return last === name.toLowerCase()
    const [before = "", after = ""] = [/^[^*]*/.exec(last)?.[0], /[^*]*$/.exec(last)?.[0]]
    return name.toLowerCase().startsWith(before) && name.toLowerCase().endsWith(after)
  })

/** Whether a pattern that a search expands itself, hidden files included, can match no secret by name. */
export const isHarmlessFilter = (pattern: string): boolean => {
  if (pattern.startsWith("!")) return true
  if (pattern.includes("\\")) return false
  return alternatives(pattern.toLowerCase().trimEnd()).every((one) => {
    const segments = one.split("/")
    const last = segments.pop() ?? ""
    if (last.startsWith(".") || segments.some((segment) => segment.startsWith("."))) return false
    return special.test(last)
      ? isHarmlessSegment(last) && last !== "*"
      : !secrets.includes(last) && !suspects.includes(last)
  })
}
