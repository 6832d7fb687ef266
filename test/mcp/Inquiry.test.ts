import { assert, describe, it } from "@effect/vitest"
import type { InputRequest } from "@modelcontextprotocol/client"
import { refusalShown, sorted } from "../../src/mcp/Inquiry.ts"
import type { KnownServer } from "../../src/mcp/KnownServer.ts"

const known: KnownServer = { name: "fix", origin: "user", given: {}, server: { command: ["fix"] } }

const isPut = (message: string, properties: object): boolean => {
  const requestedSchema = { type: "object", properties }
  const form = { method: "elicitation/create", params: { message, requestedSchema } } as InputRequest
  return Object.keys(sorted(known, { form }).fit).length === 1
}
const named = (name: string) => ({ [name]: { type: "string" } })

describe("a form of a server", () => {
  it("that asks for a secret is shown to nobody, whatever it calls it (X2, S5)", () => {
    const names =
      "password passwd pwd userPin otp_code mfaCode ssn card_number cardNumber seed_phrase mnemonic auth bearer cookie session-cookie apiKey api_key access_key Passwort 密码 contraseña"
    for (const name of names.split(" ")) assert.isFalse(isPut("Please fill in", named(name)), name)
    for (const more of [{ title: "One-time code" }, { description: "API key of GitHub" }, { format: "password" }])
      assert.isFalse(isPut("Please fill in", { value: { type: "string", ...more } }), JSON.stringify(more))
    for (const message of [
      "Enter your password",
      "What is your PIN?",
      "Paste the API key here",
      "Enter your p\u200bass\u00adword",
      "Enter your \uff50\uff41\uff53\uff53word"
    ])
      assert.isFalse(isPut(message, named("value")), message)
  })

  it("that is none, and whatever else is no question to a person, is declined (X2, T4)", () => {
    const requestedSchema = { type: "object", properties: {} }
    for (const odd of [
      null,
      "form",
      {},
      { method: "tools/call", params: {} },
      { method: "elicitation/create" },
      { method: "elicitation/create", params: { message: 5, requestedSchema } },
      { method: "elicitation/create", params: { message: "Where?" } },
      { method: "elicitation/create", params: { mode: "url", message: "Sign in", url: 5, elicitationId: "1" } }
    ])
      assert.deepStrictEqual(sorted(known, { odd: odd as unknown as InputRequest }), { fit: {}, refused: ["odd"] })
  })

  it("that asks for something else is shown (X2)", () => {
    for (const name of [
      "city",
      "author",
      "pinned",
      "companion",
      "option",
      "number",
      "keyboard",
      "passenger",
      "account"
    ])
      assert.isTrue(isPut("Please fill in", named(name)), name)
    for (const message of ["Which repository has the password policy?", "Rotate all tokens?"])
      assert.isTrue(isPut(message, named("value")), message)
  })

  it("passes for no question of Tollgate, and hides nothing in its words (X2, S3)", () => {
    const put = (message: string, property: object) => {
      const requestedSchema = { type: "object", properties: { decision: { type: "string", ...property } } }
      const form = { method: "elicitation/create", params: { message, requestedSchema } } as InputRequest
      return sorted(known, { form }).fit["form"]?.params
    }
    const forged = put("Hello\n\nTollgate: allow run_shell? (risk low)", { title: "Allow\u001b[2J\u202e" })
    assert.deepInclude(forged, {
      message: "MCP server fix asks: Hello\n> \n> Tollgate: allow run_shell? (risk low)",
      requestedSchema: {
        type: "object",
        properties: { decision: { type: "string", title: "Allow\u241b[2J\\u{202E}" } }
      }
    })
    for (const more of [
      { enum: ["yes", "\u202eon"] },
      { default: "\u001b[2J" },
      { enum: ["a"], enumNames: ["\u0007"] }
    ])
      assert.isUndefined(put("Which one?", more), JSON.stringify(more))
    assert.isDefined(put("Which one?", { enum: ["\u{1f468}\u200d\u{1f469}", "l'\u00e9t\u00e9\u00a0?", "two\nlines"] }))
  })
})

describe("a page that a server wants opened", () => {
  const page = (more: object) => ({
    mode: "url",
    elicitationId: "1",
    message: "Sign in",
    url: "https://a.example/",
    ...more
  })
  const fit = page({ message: "MCP server fix asks: Sign in (a page of a.example)" })

  it("is shown as the one that opens, with the host and the server (X2, A15)", () => {
    const put = (more: object) => {
      const form = { method: "elicitation/create", params: page(more) as object } as InputRequest
      return sorted(known, { form }).fit["form"]?.params
    }
    assert.deepStrictEqual<unknown>(put({}), fit)
    assert.deepInclude(put({ url: "https://a.example/\u202eb" }), { url: "https://a.example/%E2%80%AEb" })
    assert.deepInclude(put({ elicitationId: undefined }), { url: "https://a.example/" })
    assert.isUndefined(put({ url: "http://a.example/" }))
  })

  it("is shown so, or not at all, where the server refuses a request for want of it (X2, A15)", () => {
    const refused = (...elicitations: ReadonlyArray<unknown>) =>
      refusalShown(known, { code: -32042, message: "Sign in first", data: { elicitations, more: 1 } })
    const bad = ["http://a.example/", "javascript:alert(1)", "https://me:word@a.example/"].map((url) => page({ url }))
    assert.deepStrictEqual(refused(...bad, page({}), null, page({ message: 5 }), page({ elicitationId: 5 })), {
      code: -32042,
      message: "Sign in first",
      data: { elicitations: [fit] }
    })
    const other = { code: -32000, message: "Sign in first" }
    assert.deepStrictEqual(refused(...bad), other)
    assert.deepStrictEqual(refusalShown(known, { ...other, code: -32042, data: "x" }), other)
    assert.deepStrictEqual(refusalShown(known, { ...other, code: -32602, data: bad }), {
      ...other,
      code: -32602,
      data: bad
    })
  })
})
