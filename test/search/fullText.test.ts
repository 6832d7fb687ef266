import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import * as path from "node:path"
import { approvalMessage } from "../../src/agent/approvalMessage.ts"
import { Database } from "../../src/database/Database.ts"
import { additions } from "../../src/database/additions.ts"
import { migrations } from "../../src/database/migrations.ts"
import * as Indexer from "../../src/search/Indexer.ts"
import { Search } from "../../src/search/Search.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { ApprovalRequested, ApprovalResolved, trusted } from "../../src/tool/ToolEvent.ts"
import { failureOf } from "../support/failureOf.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { eventOf, find, inFile, insertEvent, insertSession, record } from "./support.ts"

const file = Effect.map(temporaryDirectory, (folder) => path.join(folder, "tollgate.db"))

/** Runs with a search in a file of its own. */
const searching = <A, E>(self: Effect.Effect<A, E, Search | Database>) =>
  Effect.flatMap(file, (name) => Effect.provide(self, inFile(name)))

const shown = (query: string) =>
  Effect.flatMap(Search, (search) =>
    Effect.map(search.find({ query }), ({ hits }) =>
      hits.map(({ snippet }) => snippet.map(({ hit, text }) => (hit ? `[${text}]` : text)).join(""))
    )
  )

describe("full text", () => {
  it.scopedLive("finds words by their stems and without accents, runs of other scripts by any part of them (K1)", () =>
    Effect.gen(function* () {
      yield* record("s", [
        "The login test is flaky since the connection pool was resized.",
        "Die Prüfung der Anmeldung schlägt manchmal fehl.",
        "重跑gen-itgc后，悬空引用仍然存在。",
        "결제 서비스가 실패했다",
        "データベースの接続が切れる",
        { role: "assistant", text: "", calls: [["run_shell", { command: "npm ci\nmake sparkle" }]] }
      ])
      const expected: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["flaky tests", ["s:1"]],
        ["CONNECTIONS", ["s:1"]],
        ["prufung", ["s:2"]],
        ["悬空引用", ["s:3"]],
        ["itgc", ["s:3"]],
        ["引用", ["s:3"]],
        ["引用 itgc", ["s:3"]],
        ["결제", ["s:4"]],
        ["接続", ["s:5"]],
        ["データベースへの接続", ["s:5"]],
        ["sparkle", ["s:6"]],
        ["run_shell", ["s:6"]],
        ["anmeldungen", []],
        ["anmel", ["s:2"]],
        ["nothing of this kind", []]
      ]
      for (const [query, hits] of expected) assert.deepStrictEqual(yield* find(query), hits, query)
    }).pipe(searching)
  )

  it.scopedLive("says what a request for approval and its answer mean, and never their JSON (K1)", () =>
    Effect.gen(function* () {
      const request = {
        id: "a",
        sessionId: "s",
        callId: "c",
        tool: "run_shell",
        message: "Feed the unicorn",
        arguments: { command: "feed" },
        scopes: ["once"]
      } as unknown as ApprovalRequest
      const events = [
        new ApprovalRequested({ request, ahead: 0 }, trusted),
        new ApprovalResolved(
          {
            callId: "c",
            tool: "run_shell",
            approvalId: "a",
            outcome: "denied",
            by: "user",
            reason: "Not the walrus",
            waitedMillis: 1
          },
          trusted
        )
      ].flatMap((event) => approvalMessage(event) ?? [])
      const database = yield* Database
      yield* database.write((connection) =>
        Effect.gen(function* () {
          yield* connection.executeRaw(insertSession, ["s", "/p", "t", 0, events.length])
          for (const [at, event] of events.entries())
            yield* connection.executeRaw(insertEvent, ["s", at + 1, at, event._tag, JSON.stringify(event)])
        })
      )
      assert.deepStrictEqual(yield* shown("walrus"), ["approval denied by user · Not the [walrus]"])
      assert.deepStrictEqual(yield* shown("unicorn"), ["approval requested: run_shell: Feed the [unicorn]"])
    }).pipe(searching)
  )

  it.scopedLive("puts messages with all words in front of those with some (K1)", () =>
    Effect.gen(function* () {
      yield* record("s", [
        "cache cache cache cache",
        "the cache is cold after the restart of a node in the cluster",
        "restart"
      ])
      assert.strictEqual((yield* find("cache restart"))[0], "s:2")
      assert.strictEqual((yield* find("cache restart")).length, 3)
      assert.deepStrictEqual(yield* find("cache restart", { limit: 1 }), ["s:2"])
    }).pipe(searching)
  )

  it.scopedLive("takes any text for words and none of it for syntax (K1)", () =>
    Effect.gen(function* () {
      yield* record("s", ["alpha beta", "alpha", "NOT NEAR gamma", "検索する本文", '" OR 1=1 --', "col:alpha* ^beta"])
      const { find: search } = yield* Search
      const words = FastCheck.constantFrom("alpha", "beta", "NOT", "NEAR", "OR", "AND", "検索", "本文を", "🦜", "é")
      const signs = FastCheck.constantFrom(
        '"',
        "'",
        "*",
        "^",
        "(",
        ")",
        "{",
        "}",
        ":",
        "+",
        "-",
        ",",
        "\\",
        "%",
        "\0",
        "\ud800",
        "\u202e",
        "\n"
      )
      const texts = FastCheck.oneof(
        FastCheck.string({ unit: "binary", maxLength: 40 }),
        FastCheck.array(FastCheck.oneof(words, signs), { maxLength: 12 }).map((parts) => parts.join(" ")),
        FastCheck.array(FastCheck.oneof(words, signs), { maxLength: 12 }).map((parts) => parts.join(""))
      )
      const seqs = (query: string) =>
        search({ query }).pipe(
          Effect.map(({ hits }) => hits.map(({ seq }) => seq)),
          Effect.catchTag("SearchInvalid", () => Effect.succeed([]))
        )
      for (const query of FastCheck.sample(texts, 50)) yield* seqs(query)
      const signed = FastCheck.array(FastCheck.tuple(words, FastCheck.array(signs, { maxLength: 3 })), {
        minLength: 1,
        maxLength: 5
      })
      for (const parts of FastCheck.sample(signed, 25)) {
        const query = parts.map(([word, between]) => `${word} ${between.join("")}`).join(" ")
        assert.deepStrictEqual(yield* seqs(query), yield* seqs(parts.map(([word]) => word).join(" ")), query)
      }
      assert.strictEqual((yield* failureOf(search({ query: " \n*" })))._tag, "SearchInvalid")
    }).pipe(searching)
  )

  it.scopedLive("shows the hits of a message on one line, whatever it is made of (K1)", () =>
    Effect.gen(function* () {
      yield* record("s", [
        "one\n\ttwo three \u0000 four",
        `${"padding ".repeat(2000)} needle ${"padding ".repeat(2000)}`,
        "\ufdd0 forged \ufdd1 mark",
        "前文。" + "あ".repeat(500) + "目印" + "い".repeat(500)
      ])
      assert.deepStrictEqual(yield* shown("three"), ["one two [three] "])
      assert.deepStrictEqual(yield* shown("four"), ["one two three [four]"])
      assert.deepStrictEqual(yield* shown("forged mark"), ["\ufdd0 [forged] \ufdd1 [mark]"])
      const [needle = ""] = yield* shown("needles")
      assert.match(needle, /^….*padding \[needle\] padding.*…$/)
      assert.isBelow(needle.length, 260)
      const [sign = ""] = yield* shown("目印")
      assert.match(sign, /^…あ+\[目印\]い+…$/)
      assert.isBelow(sign.length, 260)
    }).pipe(searching)
  )

  it.scopedLive("narrows by session, project, role, tool and time (K1)", () =>
    Effect.gen(function* () {
      yield* record(
        "a",
        [
          { text: "needle", time: 10 },
          { role: "assistant", text: "needle", time: 20 }
        ],
        "/p"
      )
      yield* record("b", [{ role: "tool", tool: "grep", text: "needle 本文検索", time: 30 }], "/p")
      yield* record("c", [{ role: "tool", tool: "read_file", text: "needle 本文", time: 40 }], "/q")
      const narrowed = (filter: Parameters<typeof find>[1], query = "needle") =>
        Effect.map(find(query, filter), (hits) => hits.toSorted())
      assert.deepStrictEqual(yield* narrowed({ session: "a" }), ["a:1", "a:2"])
      assert.deepStrictEqual(yield* narrowed({ project: "/p" }), ["a:1", "a:2", "b:1"])
      assert.deepStrictEqual(yield* narrowed({ projectOf: "c" }), ["c:1"])
      assert.deepStrictEqual(yield* narrowed({ projectOf: "nobody" }), [])
      assert.deepStrictEqual(yield* narrowed({ roles: ["assistant", "tool"] }), ["a:2", "b:1", "c:1"])
      assert.deepStrictEqual(yield* narrowed({ tool: "grep" }), ["b:1"])
      assert.deepStrictEqual(yield* narrowed({ since: 20, until: 40 }), ["a:2", "b:1"])
      assert.deepStrictEqual(yield* narrowed({ project: "/q" }, "本文"), ["c:1"])
      assert.deepStrictEqual(yield* narrowed({ project: "/q" }, "本文検索"), [])
    }).pipe(searching)
  )

  it.scopedLive("follows the log: what is changed or deleted there leaves the index (K1)", () =>
    Effect.gen(function* () {
      const { file, write } = yield* Database
      yield* record("s", ["zebracrossing and 秘密の言葉", "zebracrossing stays 言葉も残る"])
      const change = (text: string, ...params: ReadonlyArray<unknown>) =>
        write((connection) => connection.executeRaw(text, params))
      yield* change(
        "UPDATE events SET event = ? WHERE session_id = 's' AND seq = 2",
        eventOf({ text: "giraffe 静か" })[1]
      )
      assert.deepStrictEqual(yield* find("zebracrossing"), ["s:1"])
      assert.deepStrictEqual(yield* find("giraffe"), ["s:2"])
      yield* change("DELETE FROM events WHERE session_id = 's' AND seq = 1")
      for (const gone of ["zebracrossing", "秘密の言葉", "言葉も残る", "言葉"])
        assert.deepStrictEqual(yield* find(gone), [], gone)
      const outside = new Sqlite(file)
      for (const [table, gone] of [
        ["messages_words", "zebra"],
        ["messages_trigrams", "秘密の"]
      ] as const) {
        outside.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)
        outside.exec(`CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', '${table}', 'row')`)
        assert.deepStrictEqual(outside.all(`SELECT term FROM temp.vocabulary WHERE term LIKE '${gone}%'`), [])
        assert.deepStrictEqual(
          outside.all(`SELECT id FROM ${table}_data WHERE instr(block, ?) > 0`, Buffer.from(gone)),
          []
        )
        outside.exec("DROP TABLE temp.vocabulary")
      }
      outside.close()
    }).pipe(searching)
  )

  it.scopedLive(
    "indexes what an earlier version stored step by step, broken records left out, and says what is left (K1, K4)",
    () =>
      Effect.gen(function* () {
        const name = yield* file
        const before = additions.findIndex((step) => step.some((statement) => statement.includes("TABLE unindexed")))
        const old = new Sqlite(name)
        for (const statement of [...migrations, ...additions.slice(0, before)].flat()) old.exec(statement)
        old.exec(`PRAGMA user_version = ${migrations.length}`)
        old.exec(`UPDATE store SET additions = ${before}`)
        old.exec("BEGIN")
        for (const session of ["early", "late"]) {
          old.run(insertSession, session, "/p", "", session === "late" ? 2 : 1, 250)
          for (let seq = 1; seq <= 250; seq++) {
            const [tag, json] = eventOf({ text: `word${seq}x of ${session} 本文` })
            old.run(insertEvent, session, seq, seq, seq % 2 === 0 ? tag : "ModelRequested", seq === 100 ? "{" : json)
          }
        }
        old.exec("COMMIT")
        old.close()
        yield* Effect.gen(function* () {
          const search = yield* Search
          const indexer = yield* Indexer.make("test")
          assert.deepStrictEqual((yield* search.find({ query: "word250x" })).notes, [
            "2 earlier sessions are still being indexed"
          ])
          assert.isTrue(yield* indexer.step)
          assert.deepStrictEqual(yield* find("word250x"), ["late:250"])
          assert.deepStrictEqual(yield* find("word2x"), [])
          yield* record("new", ["word250x again"])
          let steps = 1
          while (yield* indexer.step) steps++
          assert.isAbove(steps, 4)
          assert.deepStrictEqual((yield* find("word250x")).toSorted(), ["early:250", "late:250", "new:1"])
          assert.deepStrictEqual((yield* find("word2x")).toSorted(), ["early:2", "late:2"])
          assert.deepStrictEqual(yield* find("word3x"), [])
          assert.strictEqual((yield* find("本文", { limit: 100 })).length, 100)
          assert.deepStrictEqual((yield* search.find({ query: "word250x" })).notes, [])
          assert.deepStrictEqual(yield* indexer.progress, { sessions: 0, embedded: 0, messages: 249 })
        }).pipe(Effect.provide(inFile(name)))
      })
  )
})
