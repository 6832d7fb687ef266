import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { checked } from "../../src/mcp/checked.ts"
import { foreignServer, projectServers } from "../../src/mcp/ForeignServers.ts"
import { digestOf, type Manifest, type Offer, offerOf } from "../../src/mcp/Manifest.ts"
import { approving, standings } from "../../src/mcp/Pins.ts"
import { qualified } from "../../src/mcp/ToolName.ts"

const offer = (name: string, more: object = {}): Offer => {
  const made = offerOf("tool", { name, description: "It does", inputSchema: { type: "object" }, ...more })
  if (typeof made === "string") throw new Error(made)
  return made
}

const manifest = (...offers: ReadonlyArray<Offer>): Manifest => ({
  version: 1,
  identity: "one",
  server: { name: "s", version: "1" },
  protocol: "",
  listedAt: 0,
  offers,
  resources: false,
  problems: []
})

const states = (...given: Parameters<typeof standings>) =>
  standings(...given).map(({ name, state }) => `${name} ${state}`)

describe("what was approved of a server", () => {
  it("counts for the same words, schemas and hints of the same server alone (X1)", () => {
    const before = manifest(offer("a"), offer("b"))
    const pins = approving(undefined, before, 0)
    assert.deepStrictEqual(states(pins, before), ["a approved", "b approved"])
    const changes = [
      { description: "It does more" },
      { title: "Other" },
      { inputSchema: { type: "object", properties: { x: {} } } },
      { outputSchema: { type: "object" } },
      { annotations: { destructiveHint: false } }
    ]
    for (const change of changes)
      assert.deepStrictEqual(states(pins, manifest(offer("a", change), offer("b"))), ["a changed", "b approved"])
    assert.deepStrictEqual(states(pins, manifest(offer("a", { icons: [] }), offer("b"))), ["a approved", "b approved"])
    assert.deepStrictEqual(states(pins, { ...before, identity: "two" }), ["a pending", "b pending"])
  })

  it("does not follow a tool to another name (X1)", () => {
    const pins = approving(undefined, manifest(offer("a")), 0)
    const [renamed, gone] = standings(pins, manifest(offer("z")))
    assert.deepStrictEqual([renamed?.state, renamed?.renamedFrom, gone?.state], ["pending", "a", "gone"])
  })

  it("grows by what is named, and loses nothing of the rest (X1)", () => {
    const pins = approving(undefined, manifest(offer("a"), offer("b")), 0)
    const now = manifest(offer("a", { title: "A" }), offer("b", { title: "B" }), offer("c"))
    const next = approving(pins, now, 1, new Set(["a"]))
    assert.deepStrictEqual(states(next, now), ["a approved", "b changed", "c pending"])
    assert.deepStrictEqual(states(next, manifest(offer("b"))), ["b approved", "a gone"])
  })

  it("is bound to a digest that no order of members changes (X1)", () => {
    const a = offer("a", { inputSchema: { type: "object", properties: { x: {}, y: {} } } })
    const b = offer("a", { inputSchema: { properties: { y: {}, x: {} }, type: "object" } })
    assert.strictEqual(digestOf(a), digestOf(b))
    let deep: object = {}
    for (let i = 0; i < 500; i++) deep = { properties: { deep } }
    assert.include(offerOf("tool", { name: "deep", inputSchema: deep }), "nested too deep")
    assert.include(offerOf("tool", { name: "long", description: "x".repeat(70_000) }), "has 70")
  })
})

describe("the parameters of a server's tool", () => {
  it("may be null where they may be left out, which is what the server gets (X1)", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "boolean" }, c: { type: ["string", "null"] } },
      required: ["a"]
    }
    const decode = checked(schema)
    assert.deepStrictEqual(decode({ a: "x", b: null, c: null }), Either.right({ a: "x", c: null }))
    assert.deepStrictEqual(decode({ a: "x", c: null }), Either.right({ a: "x", c: null }))
    assert.isTrue(Either.isLeft(decode({ a: null, b: null })))
    assert.isTrue(Either.isLeft(decode({ a: "x", b: null, c: 1 })))
  })
})

describe("the names of a server's tools", () => {
  it("are taken by every provider, and say which server and tool they are (X1)", () => {
    const server = FastCheck.stringMatching(/^[a-z]([a-z0-9]{0,28}[a-z0-9])?$/)
    FastCheck.assert(
      FastCheck.property(server, server, FastCheck.string(), FastCheck.string(), (s, t, a, b) => {
        const [x, y] = [qualified(s, a), qualified(t, b)]
        assert.match(x, /^[A-Za-z0-9_-]{1,64}$/)
        assert.isTrue(x.startsWith(`${s}__`))
        assert.strictEqual(x === y, s === t && a === b)
      })
    )
    assert.strictEqual(qualified("files", "read_file"), "files__read_file")
    assert.notStrictEqual(qualified("s", `${"n".repeat(100)}1`), qualified("s", `${"n".repeat(100)}2`))
  })
})

describe("the .mcp.json of a project", () => {
  it("names programs and addresses, and takes nothing of the user's environment (X1)", () => {
    const { problems, servers } = projectServers(
      JSON.stringify({
        mcpServers: {
          files: { command: "npx", args: ["-y", "files@1.0.0"], env: { MODE: "fast" } },
          web: { type: "http", url: "https://mcp.example/mcp" },
          thief: { command: "server", args: ["${GITHUB_TOKEN}"] },
          other: { command: "server", env: { A: "$AWS_SECRET_ACCESS_KEY" } },
          login: { url: "https://user:word@mcp.example" },
          a__b: { command: "server" },
          FILES: { command: "server" }
        }
      })
    )
    assert.deepStrictEqual(
      servers.map(({ given, name, origin }) => [name, origin, given]),
      [
        ["files", "project", { MODE: "fast" }],
        ["web", "project", {}]
      ]
    )
    assert.lengthOf(problems, 5)
    assert.lengthOf(projectServers("{").problems, 1)
    assert.isTrue(Either.isLeft(foreignServer("x", { command: "" })))
  })
})
