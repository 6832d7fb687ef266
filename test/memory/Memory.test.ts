import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Fiber, Layer, Redacted, TestClock } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import { migrations } from "../../src/database/migrations.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { type Embedder, EmbeddingFailed, Embeddings } from "../../src/search/Embeddings.ts"
import * as StaticEmbeddings from "../../src/search/StaticEmbeddings.ts"
import { corpus } from "../support/corpora.ts"
import { failureOf } from "../support/failureOf.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { Sqlite } from "../support/Sqlite.ts"

/** The last session has the name of a project that is not its own. */
const projects: Readonly<Record<string, string>> = { a: "p", b: "p", c: "q", p: "q" }

const sessions = Layer.effectDiscard(
  Effect.flatMap(Database, (database) =>
    Effect.forEach(Object.entries(projects), ([id, project]) =>
      database.write((connection) =>
        connection.executeRaw(
          "INSERT OR IGNORE INTO sessions (id, project, profile, created_at, updated_at, epoch) VALUES (?, ?, '', 0, 0, 0)",
          [id, project]
        )
      )
    )
  )
)

const inFile = (file: string) =>
  Layer.merge(Memory.layerSql, sessions).pipe(Layer.provideMerge(Database.layer(file)), Layer.orDie)

const newFile = Effect.map(temporaryDirectory, (folder) => path.join(folder, "tollgate.db"))

const layers = [
  ["in memory", Effect.succeed(Memory.layerMemory((id) => projects[id]))],
  ["in the database", Effect.map(newFile, inFile)]
] as const

const textsOf = Effect.map((found: ReadonlyArray<{ readonly text: string }>) => found.map(({ text }) => text))

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

for (const [name, layer] of layers) {
  const given = <A, E>(self: Effect.Effect<A, E, Memory>) => Effect.flatMap(layer, (one) => Effect.provide(self, one))

  describe(`Memory, ${name}`, () => {
    it.scoped("shows a session what is its own and its project's, and nothing else (K3)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        for (const sessionId of Object.keys(projects)) {
          yield* memory.record({ sessionId, scope: "session", text: `word of session ${sessionId}` })
          yield* memory.record({ sessionId, scope: "project", text: `word of the project, by ${sessionId}` })
        }
        const expected = {
          a: ["word of the project, by b", "word of the project, by a", "word of session a"],
          b: ["word of the project, by b", "word of session b", "word of the project, by a"],
          c: ["word of the project, by p", "word of the project, by c", "word of session c"],
          p: ["word of the project, by p", "word of session p", "word of the project, by c"],
          nobody: []
        }
        for (const [sessionId, texts] of Object.entries(expected)) {
          assert.deepStrictEqual(yield* textsOf(memory.list({ sessionId })), texts)
          const found = yield* textsOf(memory.retrieve({ sessionId, query: "word" }))
          assert.deepStrictEqual(found.toSorted(), texts.toSorted())
        }
      }).pipe(given)
    )

    it.scoped("keeps texts of the same words once per place, also where they are noted at the same time (K3)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        yield* TestClock.setTime(5000)
        const note = {
          sessionId: "a",
          scope: "session",
          text: "  node 20\n",
          kind: "fact",
          metadata: { origin: "test" }
        } as const
        const all = yield* Effect.forEach(times(5), () => memory.record(note), { concurrency: "unbounded" })
        assert.strictEqual(all.filter(({ added }) => added).length, 1)
        const metadata = { origin: "test" }
        const entry = {
          scope: "session",
          sessionId: "a",
          project: "p",
          text: "node 20",
          createdAt: 5000,
          kind: "fact",
          metadata
        }
        for (const kept of all) assert.deepStrictEqual(kept.entry, { ...entry, id: all[0]!.entry.id } as never)
        const others = [
          { ...note, sessionId: "b" },
          { ...note, scope: "project" },
          { ...note, text: "node 22" }
        ] as const
        for (const other of others) assert.isTrue((yield* memory.record(other)).added)
        const alike = yield* memory.record({ ...note, text: "Nodé  20!" })
        assert.deepStrictEqual([alike.added, alike.entry.text], [false, "node 20"])
        assert.isFalse((yield* memory.record({ ...note, sessionId: "b", scope: "project" })).added)
        assert.strictEqual((yield* memory.list({ sessionId: "a" })).length, 3)
      }).pipe(given)
    )

    it.scoped("finds by meaning what has none of the words, and puts first what has both (K3)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        const texts = ["Use pnpm to install packages", "Commit messages are in German", "Prices are in cents"]
        for (const text of texts) yield* memory.record({ sessionId: "a", scope: "project", text })
        yield* memory.record({ sessionId: "c", scope: "project", text: "Commit texts are in French" })
        const found = (query: string) => textsOf(memory.retrieve({ sessionId: "b", query }))
        assert.deepStrictEqual(yield* found("setup of libraries"), [texts[0]!])
        assert.deepStrictEqual(yield* found("write the commit text"), [texts[1]!])
        assert.deepStrictEqual((yield* found("prices of libraries"))[0], texts[2])
        assert.deepStrictEqual(yield* found("xyzzy"), [])
        const [best] = yield* memory.retrieve({ sessionId: "b", query: "write the commit text" })
        assert.strictEqual(best?.score, 1)
      }).pipe((self) =>
        Effect.flatMap(layer, (one) => Effect.provide(self, one.pipe(Layer.provide(StaticEmbeddings.layer()))))
      )
    )

    it.scoped("asks for each meaning once per model, and goes by words where that fails or takes long (K3)", () =>
      Effect.gen(function* () {
        const asked: Array<ReadonlyArray<string>> = []
        let model = "one"
        let answer: Effect.Effect<void, EmbeddingFailed> = Effect.void
        const embedder: Embedder = {
          get model() {
            return model
          },
          batch: 2,
          similar: 0.9,
          embed: (texts) =>
            Effect.as(
              Effect.zipLeft(
                answer,
                Effect.sync(() => asked.push(texts))
              ),
              texts.map(() => Float32Array.of(1, 1))
            )
        }
        const all = Layer.provide(yield* layer, Layer.succeed(Embeddings, embedder))
        yield* Effect.gen(function* () {
          const memory = yield* Memory
          const notes = ["red", "green", "blue"]
          const found = Effect.map(textsOf(memory.retrieve({ sessionId: "a", query: "green" })), (texts) =>
            texts.toSorted()
          )
          assert.deepStrictEqual(yield* found, [])
          assert.deepStrictEqual(asked, [], "nothing is remembered, so nothing is asked")
          for (const text of notes) yield* memory.record({ sessionId: "a", scope: "session", text })
          assert.deepStrictEqual(yield* found, notes.toSorted())
          assert.strictEqual(asked.length, 3, "the query and two batches")
          assert.deepStrictEqual(asked.flat().toSorted(), ["blue", "green", "green", "red"])
          assert.deepStrictEqual(yield* found, notes.toSorted())
          assert.strictEqual(asked.length, 4, "the query alone")
          model = "two"
          assert.deepStrictEqual(yield* found, notes.toSorted())
          assert.strictEqual(asked.length, 7)
          answer = new EmbeddingFailed({ model, reason: "is away" })
          assert.deepStrictEqual(yield* found, ["green"])
          answer = Effect.never
          const late = yield* Effect.fork(found)
          yield* TestClock.adjust("3 seconds")
          assert.deepStrictEqual(yield* Fiber.join(late), ["green"])
        }).pipe(Effect.provide(all))
      })
    )

    it.scoped("forgets by id, and gives no id a second time (K3)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        const { entry } = yield* memory.record({ sessionId: "a", scope: "session", text: "the beans" })
        assert.isTrue(yield* memory.forget(entry.id))
        assert.isFalse(yield* memory.forget(entry.id))
        assert.deepStrictEqual(yield* memory.retrieve({ sessionId: "a", query: "beans" }), [])
        const again = yield* memory.record({ sessionId: "a", scope: "session", text: "the beans" })
        assert.isTrue(again.added)
        assert.isAbove(again.entry.id, entry.id)
      }).pipe(given)
    )

    it.scoped("finds words in any case, without accents and by their beginnings, the best first (K3)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        const note = (text: string) => memory.record({ sessionId: "a", scope: "session", text })
        for (const text of [
          "Deployments go out on Friday",
          "The crème is in the fridge",
          "部署前跑测试",
          "an answer is an answer",
          "deploy with make, and make only",
          "nothing of the kind"
        ]) {
          yield* note(text)
        }
        const find = (query: string) => textsOf(memory.retrieve({ sessionId: "a", query }))
        assert.deepStrictEqual(yield* find("how is make deployed?"), [
          "deploy with make, and make only",
          "an answer is an answer",
          "The crème is in the fridge"
        ])
        assert.deepStrictEqual(yield* find("DEPLOY make"), [
          "deploy with make, and make only",
          "Deployments go out on Friday"
        ])
        assert.deepStrictEqual(yield* find("Creme"), ["The crème is in the fridge"])
        assert.deepStrictEqual(yield* find("部署"), ["部署前跑测试"])
        assert.deepStrictEqual(yield* find("a"), [])
      }).pipe(given)
    )

    it.scoped("keeps to limit, least score and budget, with scores from 1 down (K3)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        const note = (text: string) => memory.record({ sessionId: "a", scope: "session", text })
        yield* note(`beans ${"and more ".repeat(30).trim()}`)
        yield* note("beans beans")
        yield* note("a few beans of the best kind")
        yield* Effect.forEach(times(10), (index) => note(`other ${index}`))
        const find = (options: object) => memory.retrieve({ sessionId: "a", query: "beans", ...options })
        const all = yield* find({})
        assert.deepStrictEqual(
          all.map(({ text }) => text.length),
          [11, 28, 275]
        )
        const scores = all.map(({ score }) => score)
        assert.strictEqual(scores[0], 1)
        assert.isTrue(scores.every((score, at) => score > 0 && score <= (scores[at - 1] ?? 1)))
        assert.deepStrictEqual(yield* find({ limit: 2 }), all.slice(0, 2))
        assert.deepStrictEqual(yield* find({ limit: -1 }), [])
        assert.deepStrictEqual(yield* find({ minScore: scores[1] }), all.slice(0, 2))
        assert.deepStrictEqual(yield* find({ minScore: 1.1 }), [])
        assert.deepStrictEqual(yield* find({ tokenBudget: 3 + 7 + 69 }), all)
        assert.deepStrictEqual(yield* find({ tokenBudget: 3 + 7 + 68 }), all.slice(0, 2))
        assert.deepStrictEqual(yield* find({ tokenBudget: 3 + 6 }), all.slice(0, 1))
        const wide = yield* memory.retrieve({ sessionId: "a", query: "more beans" })
        assert.deepStrictEqual(
          yield* memory.retrieve({ sessionId: "a", query: "more beans", tokenBudget: 10 }),
          wide.slice(1)
        )
        yield* Effect.forEach(times(120), (index) => note(`pea ${index}`))
        assert.strictEqual((yield* memory.retrieve({ sessionId: "a", query: "pea", limit: 1e9 })).length, 100)
        assert.strictEqual((yield* memory.list({ sessionId: "a", limit: 1e9 })).length, 100)
        assert.strictEqual((yield* memory.list({ sessionId: "a", limit: 2 })).length, 2)
      }).pipe(given)
    )

    it.scoped("takes whatever is typed as words to look for (K1)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        for (const text of ["alpha", "not near", "secret", "drop table", "unrelated"]) {
          yield* memory.record({ sessionId: "a", scope: "session", text })
        }
        const find = (query: string) => textsOf(memory.retrieve({ sessionId: "a", query }))
        const sorted = (query: string) => Effect.map(find(query), (found) => found.toSorted())
        for (const { input } of corpus("g_extras").filter(({ kind }) => kind === "fts5")) {
          const found = yield* sorted(String(input))
          assert.strictEqual(found.includes("alpha"), /alpha/.test(String(input)), String(input))
        }
        const expected = {
          'alpha" OR title:"secret': ["alpha", "secret"],
          "alpha AND secret": ["alpha", "secret"],
          "alpha NOT secret": ["alpha", "not near", "secret"],
          "NEAR(alpha secret, 0)": ["alpha", "not near", "secret"],
          "text: secret": ["secret"],
          "- alpha": ["alpha"],
          "+alpha ^ secret*": ["alpha", "secret"],
          '"""': [],
          "'; DROP TABLE memories;--": ["drop table"],
          "* ^ ( ) { } [ ] \\ % _ ? \0 -": [],
          "🫘👩‍🌾": [],
          "\ud800 alpha \udc00": ["alpha"],
          "\u0301\u0301": [],
          "": [],
          " \n\t ": [],
          [times(5000).join(" ")]: [],
          [`alpha ${times(5000).join(" ")}`]: ["alpha"],
          [`${times(31).join(" ")} 30 alpha`]: ["alpha"],
          [`${times(32).join(" ")} alpha`]: [],
          ["(".repeat(100_000)]: [],
          ["x".repeat(1_000_000)]: []
        }
        for (const [query, texts] of Object.entries(expected)) {
          assert.deepStrictEqual(yield* sorted(query), texts, query.slice(0, 60))
        }
      }).pipe(given)
    )

    it.scoped("keeps what is odd as it is, and refuses what is blank, too long or of no session (K3)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        const odd = ['it\'s "quoted" -- odd1', "odd2 \0 after", "odd3 🫘 👩‍🌾", `${"y".repeat(3994)} odd4`, "odd5 \ud800"]
        for (const [index, text] of odd.entries()) {
          const { entry } = yield* memory.record({ sessionId: "a", scope: "session", text })
          assert.strictEqual(entry.text, text.toWellFormed())
          assert.isFalse((yield* memory.record({ sessionId: "a", scope: "session", text })).added)
          const found = yield* memory.retrieve({ sessionId: "a", query: `odd${index + 1}` })
          assert.deepStrictEqual(
            found.map(({ id }) => id),
            [entry.id]
          )
        }
        const refusal = (text: string, sessionId = "a") =>
          Effect.map(failureOf(memory.record({ sessionId, scope: "session", text })), ({ message }) => message)
        assert.include(yield* refusal(" \n\t "), "blank")
        assert.include(yield* refusal("x".repeat(4001)), "the text has 4001 characters; the limit is 4000")
        assert.include(yield* refusal("x", "nobody"), "unknown session nobody")
        assert.strictEqual((yield* memory.list({ sessionId: "a" })).length, odd.length)
      }).pipe(given)
    )

    it.scoped("stores no secret, by its looks or by its value (S5)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        const token = `ghp_${"a1B2".repeat(9)}`
        const { entry } = yield* memory.record({
          sessionId: "a",
          scope: "project",
          text: `push with ${token}, log in as hunter2-known`
        })
        assert.match(entry.text, /^push with .*, log in as /)
        for (const secret of [token, "hunter2-known"]) {
          assert.notInclude(JSON.stringify(yield* memory.list({ sessionId: "a" })), secret)
        }
      }).pipe(given, Effect.provide(Redactor.layer({ secrets: [Redacted.make("hunter2-known")] })))
    )

    it.scoped("keeps the newest thousand of a place, and other places are not touched (K3)", () =>
      Effect.gen(function* () {
        const memory = yield* Memory
        const note = (index: number) => memory.record({ sessionId: "a", scope: "session", text: `bean${1000 + index}` })
        yield* memory.record({ sessionId: "a", scope: "project", text: "bean of the project" })
        yield* memory.record({ sessionId: "b", scope: "session", text: "bean of another session" })
        yield* Effect.forEach(times(1003), note, { concurrency: "unbounded" })
        const find = (query: string) => textsOf(memory.retrieve({ sessionId: "a", query }))
        assert.deepStrictEqual(yield* find("bean1000 bean1001 bean1002"), [])
        assert.deepStrictEqual(yield* find("bean1003"), ["bean1003"])
        assert.deepStrictEqual(yield* find("project"), ["bean of the project"])
        assert.strictEqual((yield* memory.list({ sessionId: "b" })).length, 2)
        assert.isFalse((yield* note(500)).added)
        assert.deepStrictEqual(yield* find("bean1003"), ["bean1003"])
      }).pipe(given)
    )
  })
}

describe("Memory in the database", () => {
  it.effect.prop(
    "answers any text with what the other layer answers, at the same scores (K3)",
    [
      FastCheck.array(
        FastCheck.array(FastCheck.constantFrom("bean", "beans", "pea", "is", "Crème", "部署前", "☕"), {
          minLength: 1,
          maxLength: 8
        }),
        { maxLength: 12 }
      ),
      FastCheck.oneof(
        FastCheck.string({ unit: "binary", maxLength: 200 }),
        FastCheck.string({ unit: FastCheck.constantFrom(..."beanpisc' \"()*^:-+{}ANDORT\n") }),
        FastCheck.constantFrom("bean", "bea pea", "IS creme", "部署")
      )
    ],
    ([notes, query]) =>
      Effect.gen(function* () {
        const answers = yield* Effect.forEach(layers, ([, layer]) =>
          Effect.gen(function* () {
            const memory = yield* Memory
            yield* Effect.forEach(notes, (words, index) =>
              memory.record({ sessionId: index % 3 === 0 ? "c" : "a", scope: "session", text: words.join(" ") })
            )
            return yield* memory.retrieve({ sessionId: "a", query })
          }).pipe((self) => Effect.flatMap(layer, (given) => Effect.provide(self, given)))
        )
        const [local, stored] = answers.map((found) =>
          found.map(({ score, text }) => [text, score.toFixed(9)]).toSorted()
        )
        assert.deepStrictEqual(stored, local)
      }).pipe(Effect.scoped),
    { fastCheck: { numRuns: 60 } }
  )

  it.scoped("is there after a restart, without a secret anywhere in the file (K3, S5)", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const token = `ghp_${"a1B2".repeat(9)}`
      const record = Effect.flatMap(Memory, ({ record }) =>
        record({ sessionId: "a", scope: "project", text: `the beans are at ${token}` })
      )
      yield* Effect.provide(record, inFile(file))
      const found = yield* Effect.provide(
        Effect.flatMap(Memory, ({ retrieve }) => retrieve({ sessionId: "b", query: "beans" })),
        inFile(file)
      )
      assert.strictEqual(found.length, 1)
      for (const name of fs.readdirSync(path.dirname(file))) {
        assert.notInclude(fs.readFileSync(path.join(path.dirname(file), name), "latin1"), token)
      }
    })
  )

  it.scoped("has its index in step, also with changes from outside, and names an entry that is none (K3)", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      yield* Effect.gen(function* () {
        const memory = yield* Memory
        const note = (text: string) => memory.record({ sessionId: "a", scope: "session", text })
        const forgotten = yield* note("carrots")
        const { entry } = yield* note("beans")
        assert.isTrue(yield* memory.forget(forgotten.entry.id))
        const outside = new Sqlite(file)
        outside.run("UPDATE memories SET text = 'peas' WHERE id = ?", entry.id)
        outside.exec("INSERT INTO memories_index (memories_index, rank) VALUES ('integrity-check', 1)")
        assert.deepStrictEqual(yield* memory.retrieve({ sessionId: "a", query: "beans" }), [])
        assert.deepStrictEqual(yield* textsOf(memory.retrieve({ sessionId: "a", query: "peas" })), ["peas"])
        outside.exec("UPDATE memories SET created_at = 'yesterday'")
        outside.close()
        const error = yield* failureOf(memory.retrieve({ sessionId: "a", query: "peas" }))
        assert.strictEqual(error._tag, "MemoryFailed")
        assert.include(error.message, file)
        assert.isTrue(yield* memory.forget(entry.id))
      }).pipe(Effect.provide(inFile(file)))
    })
  )

  it.scoped("comes to a file of the version before it, whose sessions remember from then on (K4)", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const before = migrations.findIndex((step) =>
        step.some((statement) => /^CREATE TABLE memories\b/.test(statement))
      )
      const old = new Sqlite(file)
      for (const statement of migrations.slice(0, before).flat()) old.exec(statement)
      old.exec(
        "INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch) VALUES ('old', 'p', 'q', 0, 0, 0)"
      )
      old.exec("INSERT INTO rules (project, id, rule, saved_at) VALUES ('p', 'r', '{}', 0)")
      old.exec(`PRAGMA user_version = ${before}`)
      old.close()
      const found = yield* Effect.provide(
        Effect.gen(function* () {
          const memory = yield* Memory
          assert.deepStrictEqual(yield* memory.list({ sessionId: "old" }), [])
          yield* memory.record({ sessionId: "old", scope: "project", text: "beans" })
          return yield* memory.retrieve({ sessionId: "a", query: "beans" })
        }),
        inFile(file)
      )
      assert.strictEqual(found[0]?.sessionId, "old")
      const upgraded = new Sqlite(file, { readonly: true })
      assert.strictEqual(upgraded.values("PRAGMA user_version")[0], migrations.length)
      assert.deepStrictEqual(upgraded.values("SELECT id FROM rules"), ["r"])
      upgraded.close()
    })
  )
})
