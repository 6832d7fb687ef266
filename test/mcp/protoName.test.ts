// @effect-diagnostics newPromise:off - what a real server gets and answers by HTTP
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { FastCheck as fc } from "effect"
import * as http from "node:http"
import type * as net from "node:net"
import * as Inquiry from "../../src/mcp/Inquiry.ts"
import type { KnownServer } from "../../src/mcp/KnownServer.ts"
import { disguised, disguisedData, plain, plainText } from "../../src/mcp/ProtoName.ts"
import type { CallResult } from "../../src/mcp/ServerResult.ts"
import { approveAll, directory, planned, servers, tool } from "./support.ts"

const name = "__proto__"

/** The same JSON string, with some letters written otherwise. */
const spelled = fc
  .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
  .map((flags) =>
    [...name].map((letter, at) => (flags[at] === true ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter)).join("")
  )

const data: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  one: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue(),
    fc.constantFrom(name, '"', "\\", `"${name}":`),
    tie("list"),
    tie("object")
  ),
  list: fc.array(tie("one"), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom(name, "a", "", '"', "\\", `"${name}"`), tie("one"), { maxKeys: 4 })
})).object

const keysOf = (value: unknown): ReadonlyArray<string> =>
  typeof value !== "object" || value === null
    ? []
    : [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysOf)]

/** A server on the web whose tool gives back what it is called with. */
const web = Effect.acquireRelease(
  Effect.async<{ readonly server: http.Server; readonly heard: Array<unknown> }>((resume) => {
    const heard: Array<unknown> = []
    const server = http.createServer((request, response) => {
      let body = ""
      request.on("data", (piece: Buffer) => (body += piece.toString()))
      request.on("end", () => {
        if (request.method !== "POST") return void response.writeHead(405).end()
        const { id, method, params } = JSON.parse(body) as {
          readonly id?: unknown
          readonly method: string
          readonly params?: { readonly protocolVersion?: string; readonly arguments?: unknown }
        }
        if (id === undefined) return void response.writeHead(202).end()
        const { arguments: given, protocolVersion } = params ?? {}
        if (method === "tools/call") heard.push(given)
        const result =
          method === "initialize"
            ? { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "w", version: "1" } }
            : method === "tools/list"
              ? { tools: [{ name: "gives", inputSchema: { type: "object" } }] }
              : method === "tools/call"
                ? { content: [], structuredContent: given, _meta: given }
                : undefined
        const error = { code: -32601, message: "Method not found" }
        const message = JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) })
        response.writeHead(200, { "content-type": "text/event-stream" })
        // Over several lines, as an event may be.
        response.end(`data: ${message.replaceAll(":", "\ndata::")}\n\n`)
      })
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, heard })))
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

describe("a member that is called __proto__", () => {
  it("is disguised in any JSON text, however it is spelled, and plain again after (X2)", () => {
    fc.assert(
      fc.property(data, spelled, (value, written) => {
        const text = JSON.stringify(value)
        const other = text.replaceAll(/(?<!\\)"__proto__"/g, () => `"${written}"`)
        const read: unknown = JSON.parse(disguised(other))
        assert.notInclude(keysOf(read), name)
        assert.strictEqual(JSON.stringify(plain(read)), text)
        assert.strictEqual(plainText(JSON.stringify(read)), text)
        assert.strictEqual(plainText(JSON.stringify(disguisedData(value))), text)
        assert.notInclude(keysOf(disguisedData(value)), name)
      })
    )
    assert.strictEqual(disguised('{"a":"__proto__'), '{"a":"__proto__')
  })

  it("names a question of a server like any other (X2)", () => {
    const known: KnownServer = { name: "fix", origin: "user", given: {}, server: { command: ["x"] } }
    const form = {
      method: "elicitation/create",
      params: { message: "Go on?", requestedSchema: { type: "object", properties: {} } }
    }
    const inquiries = JSON.parse(`{"__proto__":${JSON.stringify(form)}}`) as never
    assert.deepStrictEqual(Object.keys(Inquiry.sorted(known, inquiries).fit), [name])
  })

  it.scopedLive("passes to a server on the web and back as data (X2)", () =>
    Effect.gen(function* () {
      const base = yield* directory
      const { heard, server } = yield* web
      const { port } = server.address() as net.AddressInfo
      const known: KnownServer = {
        name: "fix",
        origin: "user",
        given: {},
        server: { url: `http://127.0.0.1:${port}/mcp` }
      }
      yield* approveAll(base, known)
      const [slot] = (yield* servers(base, [known])).all
      const { connection } = yield* slot!.acquire
      const text = '{"__proto__":{"isError":true},"b":[{"__proto__":"a"}]}'
      const result = yield* connection.request<CallResult>("gives", (client, options) =>
        client.callTool({ name: "gives", arguments: JSON.parse(text) as Record<string, unknown> }, options)
      )
      assert.strictEqual(JSON.stringify(heard), `[${text}]`)
      assert.strictEqual(JSON.stringify(result.structuredContent), text)
      assert.strictEqual(JSON.stringify(result._meta), text)
    })
  )

  it.scopedLive("counts in what is approved of a tool (X1, X2)", () =>
    Effect.gen(function* () {
      const base = yield* directory
      const odd = (outer: string, inner = outer) => {
        const text = `{"type":"object","__proto__":{"title":"${outer}"},"properties":{"__proto__":{"title":"${inner}"}}}`
        return { tools: [tool("odd", {}, { inputSchema: JSON.parse(text) as unknown })] }
      }
      const fix = planned(base, "fix", odd("one"))
      const { offers } = yield* approveAll(base, fix.known)
      assert.lengthOf(JSON.stringify(offers).split('"__proto__":{"title":"one"}'), 3)
      const states = Effect.gen(function* () {
        const [slot] = (yield* servers(base, [fix.known])).all
        yield* slot!.acquire
        return (yield* slot!.standings).map(({ state }) => state)
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(yield* states, ["approved"])
      for (const next of [odd("two", "one"), odd("one", "two")]) {
        fix.put(next)
        assert.deepStrictEqual(yield* states, ["changed"])
      }
    })
  )
})
