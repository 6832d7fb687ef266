import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as crypto from "node:crypto"
import { corpus } from "../support/corpora.ts"
import { assertBehind, redactor, risky, told } from "./behind.ts"
import { fake } from "./fragments.ts"

describe("shown", () => {
  it("keeps every character that acts and every line break at its place, and counts what it masks (A15)", () => {
    FastCheck.assert(
      FastCheck.property(risky, (whole) => {
        const { masked, text: shown } = redactor.shown(whole)
        assertBehind(whole, shown)
        assert.strictEqual(masked > 0, shown !== whole)
      }),
      { numRuns: 500 }
    )
  })

  it.each([
    ['PASSWORD="abc $(touch P)" make', 'PASSWORD="[redacted-password]$(touch P)" make'],
    ["PASSWORD=abc;touch P", "PASSWORD=[redacted-password];touch P"],
    ['PASSWORD="two words" make', 'PASSWORD="[redacted-password]" make'],
    ['PASSWORD=\\"abc touch P \\"', 'PASSWORD=\\"[redacted-password] touch P \\"'],
    [`X='PASSWORD="abc' touch P '"'`, `X='PASSWORD="[redacted-password]' touch P '"'`],
    [`# '\nX='PASSWORD="abc' touch P '"'`, `# '\nX='PASSWORD="[redacted-password]' touch P '"'`],
    ["X=Authorization:x touch P", "X=Authorization:[redacted-authorization] touch P"],
    ["curl -u bob:abc `touch P`", "curl -u bob:[redacted-password] `touch P`"],
    [
      `${fake.pem}\nmake`,
      fake.pem.replace(/\n[^-]*\n/, "\n[redacted-private-key]\n[redacted-private-key]\n") + "\nmake"
    ],
    ["-----BEGIN PRIVATE KEY-----\ntouch P\nmake", "-----BEGIN PRIVATE KEY-----\ntouch P\nmake"],
    [
      `echo ${told} ${Buffer.from(told).toString("base64")}`,
      /^echo \[redacted-secret\]\$\(\[redacted-secret\]\);\[redacted-secret\] \[redacted-secret\]/
    ]
  ])("shows %j as %s (A15)", (whole, expected) => {
    const shown = redactor.shown(whole).text
    if (typeof expected === "string") assert.strictEqual(shown, expected)
    else assert.match(shown, expected)
  })

  it("masks the lines of a key behind its first, and no word between them (A15)", () => {
    const head = "-----BEGIN PRIVATE KEY-----"
    const first = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2"
    // As those of keys are: no byte more often than others.
    const bytes = FastCheck.noBias(FastCheck.uint8Array({ minLength: 12, maxLength: 100 }))
    const shown = FastCheck.sample(FastCheck.tuple(bytes, FastCheck.constantFrom("\n", "\\n")), 3000).flatMap(
      ([rest, newline]) => {
        const lines = Buffer.from(rest)
          .toString("base64")
          .match(/.{1,64}/g)!
        const { text } = redactor.shown([head, first, ...lines, "-----END PRIVATE KEY-----"].join(newline))
        return [first, ...lines].filter((line) => line.length >= 16 && text.includes(line))
      }
    )
    // What could be a path, or words: the end of a key at most.
    assert.isAtMost(shown.length, 60)
    for (const line of shown) assert.match(line, /^\+?\/.{11,38}$|^[A-Za-z]{16,24}$/)
    const last = "wopXyMVmaFsJnoAPhbDojpk="
    assert.notInclude(redactor.shown([head, first, last].join("\n")).text, last)
    for (const word of [
      "deployproduction",
      "runProductionDeploy",
      "/usr/local/bin/deploy",
      "usr/local/bin/deploy",
      "productionDatabaseUrl=touch"
    ])
      assert.include(redactor.shown([head, first, word].join("\n")).text, `\n${word}`)
  })

  it("masks a secret that has no such character wherever a log would, keys line by line (A15)", () => {
    const rows = corpus<string | { readonly concat: ReadonlyArray<string> }>("g_extras").filter(
      (row) => row.kind === "redact"
    )
    const inputs = rows.map(({ input }) => (typeof input === "string" ? input : input.concat.join("")))
    for (const input of inputs.filter((one) => !/[$();&|<>`\n]/.test(one))) {
      assert.strictEqual(redactor.shown(input).text, redactor.text(input))
    }
    for (const type of ["ed25519", "ec", "rsa"] as const) {
      const { privateKey } =
        type === "rsa"
          ? crypto.generateKeyPairSync(type, { modulusLength: 2048 })
          : type === "ec"
            ? crypto.generateKeyPairSync(type, { namedCurve: "P-384" })
            : crypto.generateKeyPairSync(type)
      const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
      for (const whole of [pem, `echo "${pem.replaceAll("\n", "\\n")}"`, pem.replaceAll(/^/gm, "+")]) {
        const { masked, text: shown } = redactor.shown(whole)
        for (const line of pem.split("\n").filter((one) => /^[^/-]{16,}/.test(one))) {
          assert.notInclude(shown, line)
        }
        assert.isAbove(masked, 0)
        assertBehind(whole, shown)
      }
    }
  })

  it("shows of a named value all from the first character that acts, and leaves nothing out unsaid (A15)", () => {
    assert.deepStrictEqual(
      redactor.shownJson({
        password: "abc$(touch P)",
        env: { TOKEN: "a b" },
        auth: { run: "x;touch P" },
        n: [1, null]
      }),
      {
        value: {
          password: "[redacted-password]$(touch P)",
          env: { TOKEN: "[redacted-token]" },
          auth: { run: "[redacted-token];touch P" },
          n: [1, null]
        },
        masked: 3,
        whole: true
      }
    )
    let deep: unknown = "x"
    for (let level = 0; level < 5000; level++) deep = { token: [deep] }
    assert.isFalse(redactor.shownJson(deep).whole)
  })
})
