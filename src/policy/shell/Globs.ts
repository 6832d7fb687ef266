/** Names of secrets that a pattern must not be able to match. */
const secrets =
  ".env .envrc .npmrc .netrc .pypirc id_rsa id_dsa id_ecdsa id_ed25519 secret.key server.key private.key server.pem key.pem cert.pem server.p12 server.pfx".split(
    " "
  )
/** Their endings are common, so that only a pattern that also begins like one of them is suspect. */
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

/** Whether a pattern that a search expands itself, hidden files included, can match no secret by name. */
export const isHarmlessFilter = (pattern: string): boolean => {
  if (pattern.startsWith("!")) return true
  const braces = /^([^{}]*)\{([\w.,-]+)\}([^{}]*)$/.exec(pattern)
  const plain = braces === null ? [pattern] : braces[2]!.split(",").map((part) => `${braces[1]}${part}${braces[3]}`)
  return plain.every((one) => {
    const segments = one.split("/")
    const last = segments.pop() ?? ""
    if (last.startsWith(".") || segments.some((segment) => segment.startsWith("."))) return false
    return special.test(last)
      ? isHarmlessSegment(last) && last !== "*"
      : !secrets.includes(last) && !suspects.includes(last)
  })
}
