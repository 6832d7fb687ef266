import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { asking, models } from "../host/Directed.ts"
import { served } from "./served.ts"

describe("a rule over calls of before", () => {
  it.scopedLive("says which of them it decides and which go another way, and saves and runs nothing (A11, X4)", () =>
    Effect.gen(function* () {
      const { ask, directory } = yield* served({ models })
      const trial = (rule: object) => ask("/v1/rules/trial", { body: rule })
      const empty = yield* trial({ decision: "deny", tool: "*" })
      assert.deepStrictEqual(empty.json, {
        mode: "ask",
        calls: 0,
        fitting: 0,
        changed: 0,
        unjudged: 0,
        examples: []
      })

      const calls = ["a.txt", "docs/b.txt"].map((path) => ["write_file", { path, content: "x" }] as const)
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      yield* ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t1", prompt: asking(calls) } })
      for (const decision of ["approve", "deny"]) {
        const { json } = yield* Effect.repeat(ask("/v1/approvals"), {
          until: ({ json }) => json.approvals.length > 0
        })
        const [{ request }] = json.approvals
        yield* ask(`/v1/approvals/${request.id}`, { body: { digest: request.digest, decision } })
        yield* Effect.repeat(ask("/v1/approvals"), {
          until: ({ text }) => !text.includes(request.id)
        })
      }
      yield* Effect.repeat(ask("/v1/sessions/s1"), { until: ({ json }) => json.tasks.length === 0 })

      const found = (yield* trial({ decision: "deny", tool: "write_file", path: "docs/**" })).json
      assert.deepInclude(found, { calls: 2, fitting: 1, changed: 1, unjudged: 0 })
      const [example, ...more] = found.examples
      assert.deepStrictEqual(more, [])
      assert.deepInclude(example, { session: "s1", tool: "write_file", was: "refused", before: "ask", after: "deny" })
      assert.strictEqual(JSON.parse(example.arguments).path, "docs/b.txt")
      assert.include(example.because, "deny write_file on docs/**")

      const same = (yield* trial({ decision: "ask", tool: "write_file", project: directory })).json
      assert.deepInclude(same, { calls: 2, fitting: 2, changed: 0 })
      const allowed = (yield* trial({ decision: "allow", tool: "write_file" })).json
      assert.deepStrictEqual(
        allowed.examples.map(({ after, was }: typeof allowed) => [was, after]),
        [
          ["refused", "allow"],
          ["approved", "allow"]
        ]
      )
      assert.deepInclude((yield* trial({ decision: "deny", tool: "git_push" })).json, { calls: 2, fitting: 0 })

      // In another mode the calls run already, whatever the rule says.
      const edits = (yield* trial({ decision: "allow", tool: "write_file", mode: "allow-edits" })).json
      assert.deepInclude(edits, { mode: "edits", calls: 2, fitting: 2, changed: 0 })
      assert.strictEqual(edits.examples[0].before, "allow")
      assert.strictEqual((yield* trial({ decision: "deny", tool: "*", mode: "none" })).status, 400)

      const wrong = yield* trial({ decision: "deny", tool: "*", path: "**" })
      assert.deepStrictEqual([wrong.status, wrong.json.error], [422, "PatternRejected"])
      assert.strictEqual((yield* trial({ decision: "deny", tool: "*", project: "/nowhere" })).status, 404)
      assert.strictEqual((yield* trial({ decision: "maybe", tool: "*" })).status, 400)
      assert.deepStrictEqual((yield* ask("/v1/rules")).json, { rules: [] })
    })
  )
})
