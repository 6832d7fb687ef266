import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import { make } from "../../src/redaction/Redactor.ts"
import { chunks, fake, text } from "./fragments.ts"

const told = 'a "told\\ value"\nof two lines'
const redactor = make({ secrets: [Redacted.make(told), Redacted.make("987654321")] })

const secrets = [fake.github, fake.anthropic, fake.aws, fake.jwt, fake.slack, told]

const inText = (secret: string): FastCheck.Arbitrary<string> =>
  FastCheck.constantFrom(
    `line\n${secret}\nline`,
    `\t${secret}`,
    `cd /x\nexport DEPLOY=${secret}\n`,
    `curl -H "Authorization: Bearer x"\n${secret}`,
    secret
  )

/** JSON that holds a secret in a string, which may be JSON again. */
const holding = (secret: string): FastCheck.Arbitrary<string> =>
  FastCheck.tuple(inText(secret), FastCheck.integer({ min: 0, max: 3 }), FastCheck.boolean()).map(
    ([inner, levels, pretty]) => {
      let json: unknown = { command: inner, n: [1, null, true, "x"] }
      for (let level = 0; level < levels; level++) json = { level, body: JSON.stringify(json) }
      return JSON.stringify(json, undefined, pretty ? 2 : 0)
    }
  )

/** Every string in a value, decoded as often as it can be. */
const strings = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") {
    try {
      return [value, ...strings(JSON.parse(value))]
    } catch {
      return [value]
    }
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, one]) => [key, ...strings(one)])
    : []
}

const streamed = (whole: string, cuts: ReadonlyArray<number>): string => {
  const stream = redactor.jsonStream()
  return chunks(whole, cuts).map(stream.push).join("") + stream.flush()
}

const cuts = FastCheck.array(FastCheck.nat(), { maxLength: 30 })

describe("jsonText", () => {
  it("finds a secret behind every escape, also in JSON within JSON, however it is cut (S5)", () => {
    const cases = FastCheck.constantFrom(...secrets).chain((secret) =>
      FastCheck.tuple(FastCheck.constant(secret), holding(secret), cuts)
    )
    FastCheck.assert(
      FastCheck.property(cases, ([secret, whole, at]) => {
        for (const shown of [redactor.jsonText(whole), streamed(whole, at)]) {
          for (const one of strings(JSON.parse(shown))) assert.notInclude(one, secret)
          assert.include(shown, "[redacted-")
        }
      }),
      { numRuns: 400 }
    )
  })

  it("leaves JSON without secrets as it is, byte for byte, and any text as long as it is cut (S5)", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.json({ maxDepth: 6 }), cuts, (whole, at) => {
        const spelled = whole.replaceAll("/", "\\/").replaceAll("a", "\\u0061")
        for (const one of [whole, spelled]) assert.deepStrictEqual(redactor.jsonText(one), one)
        assert.deepStrictEqual(JSON.parse(streamed(whole, at)), JSON.parse(whole))
      }),
      { numRuns: 300 }
    )
    FastCheck.assert(
      FastCheck.property(
        text,
        FastCheck.constantFrom("{", "[", '{"a":"', '["x",{"password":"', ""),
        cuts,
        (rest, head, at) => {
          assert.strictEqual(streamed(head + rest, at), streamed(head + rest, []))
        }
      ),
      { numRuns: 500 }
    )
  })

  it.each([
    [`{"password":"x y","user":"bob"}`, `{"password":"[redacted-password]","user":"bob"}`],
    [`{"token":123456,"max_tokens":5,"secret":null}`, `{"token":"[redacted-token]","max_tokens":5,"secret":null}`],
    [`{"tokens":["x"],"auth":{"a":["y",1]}}`, `{"tokens":["x"],"auth":{"a":["[redacted-token]","[redacted-token]"]}}`],
    [`["login","--password","hunter2","-v"]`, `["login","--password","[redacted-password]","-v"]`],
    [`{"h":[["Cookie", "a=b" ],["cookie","a","b"]]}`, `{"h":[["Cookie", "[redacted-cookie]" ],["cookie","a","b"]]}`],
    [`[{"name":"Authorization","value":"x"}]`, `[{"name":"Authorization","value":"[redacted-authorization]"}]`],
    [`{"PWD":"/srv/x","pwd":"/abc9"}`, `{"PWD":"/srv/x","pwd":"[redacted-password]"}`],
    [`{"pin":987654321}`, `{"pin":"[redacted-secret]"}`],
    [`{"a":"\\u0067${fake.github.slice(1)}"}`, `{"a":"[redacted-github-token]"}`],
    [`{command: "x\\n${fake.github}"}`, `{command: "x\\n[redacted-github-token]"}`],
    [`{"a":"x\\n${fake.github}`, `{"a":"x\\n[redacted-github-token]`]
  ])("redacts %j as %j (S5)", (whole, expected) => {
    assert.strictEqual(redactor.jsonText(whole), expected)
    for (let cut = 0; cut <= whole.length; cut++) assert.strictEqual(streamed(whole, [cut]), expected)
  })

  it("is not stopped by depth (S5)", () => {
    const deep = `${'{"a":['.repeat(50_000)}"\\n${fake.github}"`
    assert.notInclude(redactor.jsonText(deep), fake.github)
  })
})
