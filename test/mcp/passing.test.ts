// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { isReadonlyRecord } from "effect/Predicate"
import { type ChildProcess, spawn } from "node:child_process"
import * as readline from "node:readline"
import { type Place, place, scripted } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { added as approved, tool } from "./support.ts"

const odd = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "\ud800",
    "a\udc00b",
    "\u0000",
    "\u202e",
    "\u2028",
    "<|im_start|>",
    "sign:1"
  )
)
const name = fc.oneof({ weight: 4, arbitrary: odd }, { weight: 1, arbitrary: fc.constant("__proto__") })
const data: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  one: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), odd, tie("list"), tie("object")),
  list: fc.array(tie("one"), { maxLength: 4 }),
  object: fc.dictionary(name, tie("one"), { maxKeys: 4 })
})).object
const more = { _meta: data, annotations: fc.record({ priority: fc.float({ min: 0, max: 1, noNaN: true }) }) }
const bytes = fc.uint8Array({ maxLength: 300 }).map((all) => Buffer.from(all).toString("base64"))
const resource = fc.oneof(
  fc.record({ uri: fc.constant("note://a"), text: odd, _meta: data }, { requiredKeys: ["uri", "text"] }),
  fc.record(
    { uri: fc.constant("note://a"), blob: bytes, mimeType: fc.constant("x/y") },
    { requiredKeys: ["uri", "blob"] }
  )
)
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text: odd, ...more }, { requiredKeys: ["type", "text"] }),
  fc.record(
    { type: fc.constantFrom("image", "audio"), data: bytes, mimeType: fc.constant("image/png"), ...more },
    { requiredKeys: ["type", "data", "mimeType"] }
  ),
  fc.record({ type: fc.constant("resource"), resource, ...more }, { requiredKeys: ["type", "resource"] }),
  fc.record(
    {
      type: fc.constant("resource_link"),
      uri: fc.constant("note://a"),
      name: odd,
      title: odd,
      size: fc.nat(),
      ...more
    },
    { requiredKeys: ["type", "uri", "name"] }
  )
)
const results = fc.record(
  {
    content: fc.array(block, { maxLength: 4 }),
    structuredContent: data,
    _meta: data,
    isError: fc.boolean(),
    further: data
  },
  { requiredKeys: ["content"] }
)

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

/** The text of data, whatever the order of their names. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isReadonlyRecord(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one
  )

/** A PNG of one dot, whose comment is what looks like a secret. */
const png = Buffer.concat([
  Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "base64"),
  Buffer.from("0000002174455874436f6d6d656e7400", "hex"),
  Buffer.from("password=correcthorsebattery"),
  Buffer.from([0, 255, 216, 0])
]).toString("base64")

const known = "wait-for-4711"
const digits = "880123456789"

describe("what passes through the gateway", () => {
  let at: Place
  let gateway: ChildProcess | undefined
  beforeEach(() => {
    at = place()
  })
  afterEach(async () => {
    const ended = gateway?.exitCode === null ? new Promise((resolve) => gateway?.once("exit", resolve)) : undefined
    gateway?.stdin?.end()
    await ended
    gateway = undefined
    at.remove()
  })

  /** A client that reads what the gateway writes, and a server that gives what it is asked for. */
  const opened = async (env: Readonly<Record<string, string>>, tools: ReadonlyArray<object> = []) => {
    scripted(at, [])
    await approved(at, "fix", { tools: [tool("gives", { does: "gives" }), ...tools] })
    const args = [await built(), "mcp", "gateway", "--dangerously-allow-all", "--server", "fix"]
    const way = spawn(process.execPath, args, {
      cwd: at.work,
      env: { ...at.env, ...env },
      stdio: ["pipe", "pipe", "ignore"]
    })
    gateway = way
    const waiting = new Map<unknown, (message: Message) => void>()
    const heard: Array<Message> = []
    // The library of the protocol reads less than there is.
    readline.createInterface({ input: way.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Message
      if (message.method !== undefined) heard.push(message)
      waiting.get(message.id)?.(message)
    })
    const send = (message: object) => void way.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    let ids = 0
    const request = (method: string, params: object) =>
      new Promise<Message>((resolve) => {
        const id = ++ids
        waiting.set(id, resolve)
        send({ id, method, params })
      })
    await request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "host", version: "1" }
    })
    send({ method: "notifications/initialized" })
    const call = async (name: string, given: object = {}): Promise<unknown> => {
      const answer = await request("tools/call", { name, arguments: given, _meta: { progressToken: name } })
      return answer.result ?? answer
    }
    return { call, heard, given: (result: unknown) => call("gives", { result }) }
  }

  for (const [which, env] of [
    ["without secrets to look for", {}],
    ["with secrets that it does not have", { MY_TOKEN: known, MY_PIN_TOKEN: digits }]
  ] as const)
    it(`is what the server gave, ${which} (X2)`, async () => {
      const { given } = await opened(env)
      await fc.assert(
        fc.asyncProperty(results, async (result) => {
          assert.strictEqual(canonical(await given(result)), canonical(result))
        }),
        { numRuns: 100 }
      )
    })

  it("is called with what its client gave, whatever the names of it (X2)", async () => {
    const { call } = await opened({}, [tool("echo")])
    await fc.assert(
      fc.asyncProperty(data, async (given) => {
        const { content } = (await call("echo", given as object)) as {
          readonly content: readonly [{ readonly text: string }]
        }
        const sent = content[0].text.slice("echo ".length)
        assert.strictEqual(canonical(JSON.parse(sent)), canonical(given))
      }),
      { numRuns: 100, examples: [[JSON.parse('{"__proto__":{"a":[{"__proto__":null}]}}')]] }
    )
  })

  it("is the whole of it, however many values it has, and an image to its last byte (X2)", async () => {
    const many = Array.from({ length: 30_000 }, (_, index) => index % 10)
    const nested = JSON.parse("[".repeat(50) + "]".repeat(50)) as unknown
    const result = {
      content: [
        { type: "image", data: png, mimeType: "image/png" },
        { type: "resource_link", uri: "note://a", name: "a", icons: [{ src: `data:image/png;base64,${png}` }] }
      ],
      structuredContent: { many, nested }
    }
    const line = `{"jsonrpc":"2.0","id":ID,"result":${JSON.stringify(result)}}`
    const { call } = await opened({ MY_TOKEN: known }, [tool("many", { does: "raw", line })])
    assert.isTrue(canonical(await call("many")) === canonical(result))
  })

  it("has no secret on the way to a result or in place of one: progress, log and error (X2, S5)", async () => {
    const { call, heard } = await opened({ MY_TOKEN: known }, [tool("tells", { does: "tells" })])
    const answer = (await call("tells", { text: known })) as { readonly error?: { readonly message: string } }
    assert.strictEqual(answer.error?.message, "bad [redacted-secret]")
    assert.sameMembers(
      heard.map(({ method }) => method),
      ["notifications/progress", "notifications/message"]
    )
    assert.notInclude(JSON.stringify([answer, heard]), known)
  })

  it("has no secret, be it a number or within bytes, which stay base64 (X2, S5)", async () => {
    const { given } = await opened({ MY_TOKEN: known, MY_PIN_TOKEN: digits })
    const text = Buffer.from("api_key=sk-abcdefghijklmnopqrstuvwxyz123456 and more").toString("base64")
    const image = Buffer.concat([Buffer.from([255, 0, 137]), Buffer.from(known), Buffer.from([0, 200])])
    const said = (await given({
      content: [
        { type: "image", data: image.toString("base64"), mimeType: "image/png" },
        { type: "resource", resource: { uri: "note://a", blob: text } }
      ],
      structuredContent: { at: Number(digits), other: 880123456780 }
    })) as {
      readonly content: readonly [{ readonly data: string }, { readonly resource: { readonly blob: string } }]
      readonly structuredContent: unknown
    }
    assert.deepStrictEqual(said.structuredContent, { at: "[redacted-secret]", other: 880123456780 })
    const [{ data: shown }, { resource: held }] = said.content
    const decoded = Buffer.from(shown, "base64")
    assert.strictEqual(decoded.toString("base64"), shown)
    assert.strictEqual(decoded.toString("latin1"), "\u00ff\u0000\u0089[redacted-secret]\u0000\u00c8")
    assert.strictEqual(Buffer.from(held.blob, "base64").toString(), "api_key=[redacted-openai-key] and more")
  })
})
