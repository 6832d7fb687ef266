import * as FastCheck from "effect/FastCheck"

/** Joined when they are used, so that scanners of this repository find nothing. */
export const fake = {
  github: ["ghp", "_", "a1B2".repeat(9)].join(""),
  anthropic: ["sk-", "ant-", "api03-", "Aa0-_".repeat(12)].join(""),
  aws: ["AK", "IA", "ABCDEFGHIJKLMNOP"].join(""),
  jwt: ["ey", "JhbGciOiJIUzI1NiJ9", ".", "eyJzdWIiOiIxMjM0In0", ".", "c2lnbmF0dXJl-_"].join(""),
  slack: ["xo", "xb-", "123456789012-", "abcdefABCDEF"].join(""),
  pem: [
    "-----BEGIN",
    " RSA PRIVATE KEY",
    "-----\nMIIEpAIBAAKCAQEA\nabc+/=\n",
    "-----END RSA PRIVATE KEY",
    "-----"
  ].join("")
}

const words =
  "the quick |user=bob&|key|token|password|api_key|Authorization|Cookie|Bearer |Basic |Digest |--password |https://|u:p@|host/|" +
  '"|\'|`|\\"|\\\\|\\|=|:|, |;|{|}|[|]|(|)|<|>|<password>|</password>|\n|\r\n| |\t|%20|%3A|%|+|-----|-----BEGIN |PRIVATE KEY-----|' +
  "hunter2|getToken()|null|null,|it's|x|é|😀|b'|&|?q=|::|==|=>|redacted|[redacted-token]|a"

/** Texts full of beginnings and ends of secrets. */
export const fragment: FastCheck.Arbitrary<string> = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.constantFrom(...words.split("|")) },
  { weight: 2, arbitrary: FastCheck.constantFrom(...Object.values(fake)) },
  {
    weight: 1,
    arbitrary: FastCheck.constantFrom(...Object.values(fake)).map((_) => Buffer.from(`x ${_} y`).toString("base64"))
  },
  { weight: 1, arbitrary: FastCheck.constantFrom(...Object.values(fake)).map(encodeURIComponent) },
  { weight: 1, arbitrary: FastCheck.string({ maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: FastCheck.tuple(
      FastCheck.constantFrom("a", "A1", "\\", "é", "=", "-"),
      FastCheck.integer({ min: 1, max: 9000 })
    ).map(([text, count]) => text.repeat(count))
  }
)

export const text = FastCheck.array(fragment, { maxLength: 24 }).map((_) => _.join(""))

/** Cuts a text at these places, which are counted from its start and wrap around. */
export const chunks = (whole: string, cuts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const places = [0, ...cuts.map((_) => _ % (whole.length + 1)).toSorted((a, b) => a - b), whole.length]
  return places.slice(1).map((end, index) => whole.slice(places[index], end))
}
