/** What a name says of its value; the first that fits gives the kind of secret. */
const kinds: ReadonlyArray<readonly [kind: string, pattern: RegExp]> = [
  ["authorization", /authorization$/],
  ["cookie", /cookies?$/],
  ["password", /password|passwd|passphrase|passcode|pwd$|pass$/],
  ["api-key", /apikey|appkey$/],
  ["private-key", /privatekey|signingkey|encryptionkey|masterkey/],
  ["access-key", /accesskey|accountkey|authkey|sharedkey/],
  ["secret", /secret|mnemonic$|(?:seed|recovery)phrase$/],
  ["credential", /credential/],
  ["signature", /(?:amz|goog)signature$/],
  ["token", /token$|jwt$|bearer$|^auth$|^sig$|otp$/]
]

/** Endings of names that speak about a secret without holding it. */
const about =
  /(?:count|length|policy|field|fields|required|id|ids|name|names|ttl|expires?|expiry|expiration|expiresin|expiresat|type|types|url|uri|file|path|hint|min|max|size|limit|rotation|manager|store|reset|strength|less|label|title|description|placeholder|helper|askpass)$/

/** Ordinary names that would match by accident. */
const harmless =
  /^(?:bypass|compass|pass|surpass|trespass|overpass|secretary|nexttoken|pagetoken|nextpagetoken|stoptoken)$/

/** Endings by which a name is that of a file, of which something is said. */
const file = /\.(?:json[5c]?|ya?ml|toml|xml|csv|txt|md|html?|[cm]?[jt]sx?|py|rb|go|rs|java|php|sh)$/i

/** What the name of every secret has in it, as it is written. */
const named = /auth|cookie|pass|pwd|key|secret|mnemonic|phrase|cred|sig|token|jwt|bearer|otp/i

/** The kind of secret that a key of this name holds, in any case and with any separators. */
export const secretName = (name: string): string | undefined => {
  const folded = name
    .slice(-128)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
  if (!named.test(name) || file.test(name)) return undefined
  const stem = folded.replace(/\d{1,4}$/, "")
  if (stem.length < 3 || folded.includes("redacted") || harmless.test(stem) || about.test(stem)) return undefined
  return kinds.find(([, pattern]) => pattern.test(stem))?.[0]
}

/** Whether a name that ends here is that of the system's file of accounts, of which something is said; it has no passwords. */
export const isAccounts = (text: string, end: number): boolean =>
  /\/passwd-?$/.test(text.slice(Math.max(0, end - 8), end))
