import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { approveAll, calling, directory, planned, servers, tool } from "./support.ts"

const resources = [{ uri: "note://listed", name: "listed" }]

/** Reads resources of a server whose user says no to whatever is asked. */
const reading = (at: string, plan: object) =>
  Effect.gen(function* () {
    const fix = planned(at, "fix", { tools: [tool("echo")], resources, ...plan })
    yield* approveAll(at, fix.known)
    const all = yield* servers(at, [fix.known])
    const { call } = yield* calling(all, { asked: "deny", tools: all.parts })
    const isRead = (uri: string) =>
      Effect.map(Effect.either(call("read_mcp_resource", { server: "fix", uri })), Either.isRight)
    const reads = () => fix.logged().filter((line) => line.startsWith("read "))
    return { fix, isRead, reads }
  })

/** A letter as a server may get it that decodes a URI, once or before it parses it. */
const written = (letter: string) =>
  FastCheck.constantFrom(letter, encodeURIComponent(letter), `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`)

const disguised = (file: string) =>
  FastCheck.record({
    scheme: FastCheck.constantFrom("file:", "FILE:", "fi\nle:", "fil\te:", ""),
    before: FastCheck.constantFrom("", " ", "\t", "\n", "\u0001", "\u00a0", "\ufeff", "\u2028"),
    authority: FastCheck.constantFrom("", "//", "//localhost", "//host", "//127.0.0.1", "//LOCALHOST"),
    letters: FastCheck.tuple(...[...file].map(written)),
    after: FastCheck.constantFrom("", " ", "\n", "?x=1", "#x", "?/../../x")
  }).map(({ after, authority, before, letters, scheme }) =>
    [before, scheme, scheme === "" ? "" : authority, letters.join(""), after].join("")
  )

describe("resources of MCP servers", () => {
  it.scopedLive("are no way to a file that is closed to tools, however its URI is written (X1, S3)", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const { isRead, reads } = yield* reading(at, {})
      const file = path.join(at, "a.txt")
      const secret = path.join(at, ".env")
      for (const name of [file, secret]) fs.writeFileSync(name, name)
      assert.isTrue(yield* isRead(pathToFileURL(file).href))
      assert.isTrue(yield* isRead("note://listed"))
      const before = reads().length
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(disguised(secret), (uri) =>
            Effect.runPromise(isRead(uri)).then((read) => assert.isFalse(read, JSON.stringify(uri)))
          ),
          { numRuns: 150 }
        )
      )
      assert.strictEqual(reads().length, before)
    })
  )

  it.scopedLive("of a template that is not approved are closed, those that are listed stay open (X1, X2)", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const kept = { uriTemplate: "kept://{id}", name: "kept" }
      const moved = { uriTemplate: "moved://{id}", name: "moved" }
      const { fix, isRead } = yield* reading(at, { templates: [kept, moved] })
      assert.isTrue(yield* isRead("moved://1"))
      const changed = { ...moved, description: "Reads mail" }
      fix.put({
        tools: [tool("echo")],
        resources,
        templates: [kept, changed, { uriTemplate: "other://{id}", name: "other" }]
      })
      const { call } = yield* Effect.flatMap(servers(at, [fix.known]), (all) =>
        calling(all, { asked: "deny", tools: all.parts })
      )
      const ended = (uri: string) => Effect.either(call("read_mcp_resource", { server: "fix", uri }))
      for (const uri of ["kept://1", "note://listed"]) assert.isTrue(Either.isRight(yield* ended(uri)), uri)
      for (const uri of ["moved://1", "other://1", "unknown://1"])
        assert.include(String(Either.getOrThrow(Either.flip(yield* ended(uri)))), "Only the user can approve it", uri)
    })
  )

  it.scopedLive("are listed without a start of their server, and as they are once it runs (X1, X2)", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const { fix } = yield* reading(at, {})
      const all = yield* servers(at, [fix.known])
      const [slot] = all.all
      const names = Effect.map(slot!.resources, (found) => found.map(({ name }) => name))
      const news: Array<string> = []
      all.follow(({ kind }) => void news.push(kind))
      const started = fix.started()
      assert.deepStrictEqual(yield* names, ["listed"])
      assert.strictEqual(fix.started(), started)
      fix.put({ tools: [tool("echo")], resources: [...resources, { uri: "note://new", name: "new" }] })
      yield* slot!.acquire
      assert.deepStrictEqual(yield* names, ["listed", "new"])
      assert.include(news, "resources")
    })
  )
})
