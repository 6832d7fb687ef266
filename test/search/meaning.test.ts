import * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, TestClock } from "effect"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import * as AiEmbeddings from "../../src/search/AiEmbeddings.ts"
import { catchUp } from "../../src/search/catchUp.ts"
import { type Embedder, EmbeddingFailed, Embeddings } from "../../src/search/Embeddings.ts"
import * as Indexer from "../../src/search/Indexer.ts"
import { Search } from "../../src/search/Search.ts"
import { Accounts } from "../../src/cost/Accounts.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import * as ServerEmbeddings from "../../src/search/ServerEmbeddings.ts"
import * as StaticEmbeddings from "../../src/search/StaticEmbeddings.ts"
import { failureOf } from "../support/failureOf.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { find, inFile, record } from "./support.ts"

const file = Effect.map(temporaryDirectory, (folder) => path.join(folder, "tollgate.db"))
const byTable = Effect.flatMap(Layer.build(StaticEmbeddings.layer()), (context) => Effect.provide(Embeddings, context))

const said = [
  "Fix the login bug where users cannot sign in after a password reset",
  "The deployment to the server failed because the disk was full",
  "Add a dark theme with new colors to the settings page",
  "Write more unit tests for the parser of dates"
]

/** Vectors of two dimensions: how much a text speaks of cats and of dogs. */
const counting = (model: string): Embedder => ({
  model,
  batch: 2,
  similar: 0.9,
  embed: (texts) =>
    Effect.succeed(
      texts.map((text) => Float32Array.of(text.split(/cat|feline/).length - 1, text.split(/dog|hound/).length - 1))
    )
})

const indexed = Effect.flatMap(Indexer.make("test"), (indexer) => catchUp(indexer, "1 minute"))

describe("search by meaning", () => {
  it.scopedLive("finds by the table of the package what has no word in common, and says which side found it (K1)", () =>
    Effect.gen(function* () {
      const table = yield* byTable
      yield* Effect.gen(function* () {
        yield* record("s", said)
        yield* indexed
        const { find: search } = yield* Search
        const by = (query: string) =>
          Effect.map(search({ query }), ({ hits }) => hits.map((hit) => [hit.seq, hit.by] as const))
        assert.deepStrictEqual((yield* by("night mode for the preferences screen"))[0], [3, "meaning"])
        assert.deepStrictEqual((yield* by("storage space ran out on the machine"))[0], [2, "meaning"])
        assert.deepStrictEqual((yield* by("login password"))[0], [1, "both"])
        assert.deepStrictEqual(yield* find("login", { by: "text" }), ["s:1"])
        assert.strictEqual((yield* find("log-in of accounts", { by: "meaning", session: "nobody" })).length, 0)
      }).pipe(Effect.provide(inFile(yield* file, table)))
    })
  )

  it.scopedLive("keeps vectors beside model and dimensions, and makes them anew for another model (K1)", () =>
    Effect.gen(function* () {
      const name = yield* file
      const stored = () => {
        const outside = new Sqlite(name, { readonly: true })
        const rows = outside.all(
          "SELECT message_id, model, dimensions, length(vector) AS bytes FROM vectors ORDER BY 1"
        )
        outside.close()
        return rows.map((row) => Object.values(row))
      }
      const opened = (model: string) => Effect.provide(inFile(name, counting(model)))
      yield* Effect.gen(function* () {
        yield* record("s", ["a cat", "…", "a dog", "cat and dog", "felines"])
        yield* indexed
        assert.deepStrictEqual(
          stored(),
          [1, 3, 4, 5].map((id) => [id, "one", 2, 2])
        )
        assert.deepStrictEqual((yield* find("feline", { by: "meaning" })).toSorted(), ["s:1", "s:5"])
        yield* record("t", ["cats"])
        assert.deepStrictEqual((yield* (yield* Search).find({ query: "hound" })).notes, [
          "1 of 6 messages are found by their words alone so far"
        ])
        yield* indexed
        assert.deepStrictEqual((yield* find("feline", { by: "meaning" })).toSorted(), ["s:1", "s:5", "t:1"])
        assert.deepStrictEqual(yield* find("feline", { by: "meaning", session: "t" }), ["t:1"])
      }).pipe(opened("one"))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual((yield* (yield* Search).find({ query: "hound", by: "meaning" })).hits, [])
        const indexer = yield* Indexer.make("test")
        const seen: Array<number> = []
        yield* catchUp(indexer, "1 minute", ({ embedded }) => Effect.sync(() => seen.push(embedded)))
        assert.deepStrictEqual(seen, [2, 4, 6])
        assert.deepStrictEqual(yield* find("hound", { by: "meaning" }), ["s:3"])
        assert.isTrue(stored().every(([, model]) => model === "two"))
        const { write } = yield* Database
        yield* write((connection) => connection.executeRaw("DELETE FROM events WHERE session_id = 's' AND seq = 3", []))
        assert.deepStrictEqual(yield* find("hound", { by: "meaning" }), [])
        assert.strictEqual(stored().length, 4)
      }).pipe(opened("two"))
    })
  )

  it.scopedLive("goes on by text alone where its embedder fails, and says so (K1)", () =>
    Effect.gen(function* () {
      const broken: Embedder = {
        ...counting("far"),
        embed: () => new EmbeddingFailed({ model: "far", reason: "no answer" })
      }
      yield* Effect.gen(function* () {
        yield* record("s", ["a cat"])
        assert.strictEqual((yield* failureOf(indexed))._tag, "EmbeddingFailed")
        const { hits, notes } = yield* (yield* Search).find({ query: "cat" })
        assert.deepStrictEqual(
          hits.map(({ by }) => by),
          ["text"]
        )
        assert.deepStrictEqual(notes, [
          "searched by text alone: The embedding model far failed: no answer",
          "1 of 1 messages are found by their words alone so far"
        ])
      }).pipe(Effect.provide(inFile(yield* file, broken)))
    })
  )

  it.scopedLive(
    "leaves out a message that its model refuses, and goes on behind it; where all are refused, it waits (K1)",
    () =>
      Effect.gen(function* () {
        const refusing = (refused: string): Embedder => ({
          ...counting("picky"),
          embed: (texts) =>
            texts.some((text) => text.includes(refused))
              ? new EmbeddingFailed({ model: "picky", reason: "HTTP 400", isRefused: true })
              : counting("picky").embed(texts)
        })
        const name = yield* file
        yield* Effect.gen(function* () {
          yield* record("s", ["a cat", "a dog"])
          assert.strictEqual((yield* failureOf(indexed))._tag, "EmbeddingFailed")
        }).pipe(Effect.provide(inFile(name, refusing("a "))))
        yield* Effect.gen(function* () {
          yield* record("t", ["cat, too long", "cat", "dog"])
          yield* indexed
          assert.deepStrictEqual((yield* find("feline", { by: "meaning" })).toSorted(), ["s:1", "t:2"])
          assert.deepStrictEqual((yield* find("hound", { by: "meaning" })).toSorted(), ["s:2", "t:3"])
        }).pipe(Effect.provide(inFile(name, refusing("too long"))))
      })
  )

  it.scoped("is worked at by one process at a time, and goes on where one has died (K1)", () =>
    Effect.gen(function* () {
      yield* record("s", ["cat", "dog", "cat", "dog"])
      const one = yield* Indexer.make("one")
      const other = yield* Indexer.make("other")
      assert.isTrue(yield* one.step)
      assert.isFalse(yield* other.step)
      yield* TestClock.adjust("31 seconds")
      assert.isTrue(yield* other.step)
      assert.isFalse(yield* one.step)
      assert.deepStrictEqual(yield* one.progress, { sessions: 0, embedded: 4, messages: 4 })
      yield* record("t", ["cat"])
      yield* other.release
      assert.isTrue(yield* one.step)
    }).pipe((self) => Effect.flatMap(file, (name) => Effect.provide(self, inFile(name, counting("one")))))
  )
})

describe("embeddings", () => {
  it.scoped("of the table know identifiers, other scripts and words that it lacks (K1)", () =>
    Effect.gen(function* () {
      const { embed } = (yield* byTable)!
      const similarity = (one: string, other: string) =>
        Effect.map(embed([one, other]), ([a = new Float32Array(), b = new Float32Array()]) => {
          const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, at) => sum + value * y[at]!, 0)
          return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
        })
      const closer: ReadonlyArray<readonly [string, string, string]> = [
        ["readUserFile", "load the document of a person", "the weather tomorrow"],
        ["データベース接続", "データベースの接続が切れる", "静かな朝の散歩"],
        ["Anmeldefehler", "Fehler bei der Anmeldung", "Regenschirmständer"]
      ]
      for (const [text, near, far] of closer) {
        assert.isAbove(yield* similarity(text, near), yield* similarity(text, far), text)
      }
      const [nothing] = yield* embed(["… \0 !"])
      assert.isTrue(nothing?.every((value) => value === 0))
    })
  )

  it.scoped("of the table that is missing fail with what to do (K1)", () =>
    Effect.gen(function* () {
      const embedder = yield* Effect.provide(Embeddings, StaticEmbeddings.layer({ table: "/nowhere/words.bin" }))
      const error = yield* failureOf(embedder!.embed(["a"]))
      assert.include(error.message, "its table cannot be read")
    })
  )

  const served = (answer: (body: unknown) => Response, more: Partial<ServerEmbeddings.ServerOptions> = {}) => {
    const sent: Array<{ url: string; authorization: string | undefined; body: unknown }> = []
    const client = HttpClient.make((request, url) =>
      Effect.sync(() => {
        const body = request.body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(request.body.body)) : {}
        sent.push({ url: url.href, authorization: request.headers["authorization"], body })
        return HttpClientResponse.fromWeb(request, answer(body))
      })
    )
    const endpoint = {
      model: "embedder",
      baseUrl: "https://models.example/v1",
      apiKey: Redacted.make("sk-secret"),
      ...more
    }
    const embedder = Effect.provide(
      Embeddings,
      ServerEmbeddings.layer(endpoint).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))
    )
    return { sent, embedder }
  }

  it.scoped("of a server come in the order of the texts, whatever the order of its answer (K1)", () =>
    Effect.gen(function* () {
      const data = [
        { index: 1, embedding: [0, 1] },
        { index: 0, embedding: [1, 0] }
      ]
      const { embedder, sent } = served(() => Response.json({ data }))
      const vectors = yield* (yield* embedder)!.embed(["a", "b"])
      assert.deepStrictEqual(
        vectors.map((vector) => [...vector]),
        [
          [1, 0],
          [0, 1]
        ]
      )
      const body = { model: "embedder", input: ["a", "b"] }
      const url = "https://models.example/v1/embeddings"
      assert.deepStrictEqual(sent, [{ url, authorization: "Bearer sk-secret", body }])
    })
  )

  it.scoped("of a server are booked by what it counted, and refused where no budget is left (C1, K1)", () =>
    Effect.gen(function* () {
      const data = [{ index: 0, embedding: [1, 0] }]
      const { embedder, sent } = served(() => Response.json({ data, usage: { prompt_tokens: 1_000_000 } }), {
        model: "text-embedding-3-small",
        profile: "mine"
      })
      const ledger = yield* Ledger
      const { embed } = (yield* Effect.provide(
        embedder,
        // What is of no session, task and project has no budget of theirs.
        Accounts.layer({ budgets: { day: 0.02, session: 0.000_001, task: 0.000_001, project: 0.000_001 } })
      ))!
      yield* embed(["a"])
      const [charge] = yield* ledger.charges({ limit: 10 })
      assert.deepInclude(charge, {
        profile: "mine",
        model: "text-embedding-3-small",
        outcome: "answered",
        estimated: false
      })
      assert.strictEqual(charge?.amount, 20_000_000)
      const refused = yield* failureOf(embed(["b"]))
      assert.strictEqual(refused._tag, "EmbeddingFailed")
      assert.include(refused.message, "today")
      assert.strictEqual(sent.length, 1)
    }).pipe(Effect.provide(Ledger.layerMemory))
  )

  it.scoped("of a server that answers wrongly fail, without the key (K1)", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<() => Response> = [
        () => new Response("no such key sk-secret", { status: 401 }),
        () => new Response("the input is too long", { status: 400 }),
        () => new Response("<html>"),
        () => Response.json({ data: [{ index: 0, embedding: [1] }] }),
        () =>
          Response.json({
            data: [
              { index: 0, embedding: [1] },
              { index: 1, embedding: [1, 2] }
            ]
          })
      ]
      for (const answer of answers) {
        const { embedder } = served(answer)
        const error = yield* failureOf((yield* embedder)!.embed(["a", "b"]))
        if (error._tag !== "EmbeddingFailed") return assert.fail(error._tag)
        assert.strictEqual(error.isRefused, error.message.includes("too long"))
        assert.notInclude(error.message, "sk-secret")
      }
    })
  )

  it.scoped("of @effect/ai are its EmbeddingModel's (K1)", () =>
    Effect.gen(function* () {
      const model = yield* EmbeddingModel.make({
        embedMany: (texts) => Effect.succeed(texts.map((text, index) => ({ index, embeddings: [text.length] })))
      })
      const layer = AiEmbeddings.layer({ model: "m" }).pipe(
        Layer.provide(Layer.succeed(EmbeddingModel.EmbeddingModel, model))
      )
      const vectors = yield* (yield* Effect.provide(Embeddings, layer))!.embed(["a", "bcd"])
      assert.deepStrictEqual(
        vectors.map((vector) => [...vector]),
        [[1], [3]]
      )
    })
  )
})
