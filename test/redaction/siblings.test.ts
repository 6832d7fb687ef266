import { assert, describe, it } from "@effect/vitest"
import { make, redactText } from "../../src/redaction/Redactor.ts"
import { siblings } from "../support/corpora.ts"

interface Pieces {
  readonly concat: ReadonlyArray<string>
}

const textOf = (input: string | Pieces): string => (typeof input === "string" ? input : input.concat.join(""))

const spellings = (text: string): Readonly<Record<string, string>> => ({
  plain: `before ${text} after`,
  JSON: JSON.stringify({ text }),
  percent: `https://host.example/p?x=1&d=${encodeURIComponent(text)}&y=2`,
  base64: `https://host.example/p?d=${Buffer.from(text).toString("base64")}`,
  "base64 in a path": `https://host.example/path/${Buffer.from(text).toString("base64url")}/x`
})

/** Whether a text gives a secret away, also to who decodes parts of it. */
const tells = (text: string, secret: string): boolean =>
  text.includes(secret) ||
  text
    .split(/[^\w+/-]/)
    .some((part) =>
      [0, 1, 2, 3].some((at) => Buffer.from(part.slice(at), "base64").toString("latin1").includes(secret))
    )

describe("siblings of the corpus of secrets", () => {
  for (const row of siblings<string | Pieces>("secrets")) {
    const text = textOf(row.input)
    if (row.kind === "redact-negative") {
      it(`${row.id} leaves ${JSON.stringify(text)} (A9)`, () => assert.strictEqual(redactText(text), text))
    } else {
      const secret = "secret" in row ? textOf(row.secret as Pieces) : text
      it(`${row.id} masks ${row.why} in every spelling and between chunks (A9)`, () => {
        for (const [name, spelling] of Object.entries(spellings(text))) {
          const redacted = redactText(spelling)
          assert.isFalse(tells(redacted, secret), name)
          assert.include(redacted, "[redacted-", name)
        }
        for (let cut = 0; cut <= text.length; cut += 7) {
          const stream = make().stream()
          assert.strictEqual(
            stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.flush(),
            redactText(text)
          )
        }
      })
    }
  }
})
