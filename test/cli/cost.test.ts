// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as path from "node:path"
import { modelServer } from "../support/ModelServer.ts"
import { place, type Place, scripted, tollgate as run } from "./command.ts"

describe("tollgate cost, as a user runs it", () => {
  let at: Place
  beforeAll(() => {
    at = place()
  })
  afterAll(() => at.remove())

  const turns = [
    {
      when: "look",
      steps: [
        { call: { name: "list_dir", arguments: { path: "." } } },
        { usage: { inputTokens: 1000, outputTokens: 100 } }
      ]
    },
    { repeat: true, steps: [{ say: "Done." }, { usage: { inputTokens: 2000, outputTokens: 200 } }] }
  ]
  const configure = (price: unknown, more: object = {}) => {
    const script = path.join(at.home, "script.json")
    scripted(at, turns, { profiles: { test: { provider: "scripted", script, maxAttempts: 1, price } }, ...more })
  }
  const task = (...more: ReadonlyArray<string>) => run(at, ["run", "--mode", "deny", ...more])

  it("sums up by model, tool, day and session, over several runs of one session (C1)", async () => {
    assert.match((await run(at, ["cost"])).stdout, /^No model requests yet\.$/m)
    configure({ input: 3, output: 15 })
    await task("look around")
    await task("--continue", "go on")
    const of = async (by: string) =>
      JSON.parse((await run(at, ["cost", "--by", by, "--json"])).stdout) as ReadonlyArray<{
        key: string
        nanoUsd: number
        requests: number
      }>
    // One answer of 1,000 and 100 tokens, which called a tool, and two of 2,000 and 200.
    assert.deepInclude((await of("model"))[0], { key: "scripted", nanoUsd: 22_500_000, requests: 3 })
    assert.deepStrictEqual(
      (await of("tool")).map(({ key, nanoUsd }) => [key, nanoUsd]),
      [
        ["(answers)", 18_000_000],
        ["list_dir", 4_500_000]
      ]
    )
    for (const by of ["session", "project"]) assert.strictEqual((await of(by)).length, 1, by)
    const shown = (await run(at, ["cost", "--since", "1d"])).stdout
    assert.match(shown, /^\d{4}-\d{2}-\d{2} {2}\$0\.0225 {2}█{16} {2}3 requests · 5\.0k in, 500 out$/m)
    assert.match((await run(at, ["cost", "--since", "tomorrow"])).stderr, /--since takes how long ago/)
  })

  it("refuses the request that a budget has no room for, with the command that raises it, which then helps (C2)", async () => {
    configure({ input: 3, output: 15 }, { budgets: { session: 0.02 } })
    const refused = await task("--continue", "more")
    assert.strictEqual(refused.code, 1)
    const [, command = ""] = /tollgate (config set budgets\.session [\d.]+)/.exec(refused.stderr + refused.stdout) ?? []
    assert.notStrictEqual(command, "")
    await run(at, command.split(" "))
    assert.strictEqual((await task("--continue", "more")).code, 0)
  })

  it("never takes a model of unknown price for free: where a budget applies nothing is sent (C1, C2)", async () => {
    const profiles = { test: { provider: "chat-completions", model: "qwen3", baseUrl: "http://127.0.0.1:9/v1" } }
    scripted(at, turns, { profiles, budgets: { day: 100 } })
    const refused = await task("more")
    assert.strictEqual(refused.code, 1)
    const said = refused.stderr + refused.stdout
    assert.include(said, "The price of model qwen3 is unknown, and a budget applies.")
    assert.include(said, "tollgate config set profiles.test.price")
  })

  it("books what doctor and search ask servers for, as what any request costs, and a budget holds for them (C1, C2)", async () => {
    const server = await modelServer({ usage: { prompt_tokens: 70, completion_tokens: 3 } })
    const remote = { provider: "chat-completions", baseUrl: server.baseUrl, price: { input: 2, output: 10 } }
    const more = {
      profile: "test",
      profiles: { test: { ...remote, model: "talks" } },
      search: { embeddings: "provider", profile: "test", model: "embeds" }
    }
    const model = async (name: string) =>
      (JSON.parse((await run(at, ["cost", "--by", "model", "--json"])).stdout) as ReadonlyArray<object>).find(
        (row) => "key" in row && row.key === name
      )
    scripted(at, turns, more)
    await run(at, ["doctor"])
    assert.deepInclude(await model("talks"), { requests: 1, nanoUsd: 170_000 })
    await run(at, ["search", "anything"])
    const asked = server.seen.filter((one) => one.endsWith("embeds")).length
    assert.isAbove(asked, 0)
    assert.deepInclude(await model("embeds"), { requests: asked })
    scripted(at, turns, { ...more, budgets: { day: 0.000001 } })
    const before = server.seen.length
    assert.match((await run(at, ["doctor"])).stdout, /✗ profile test .*\n +tollgate config set budgets\.day/)
    await run(at, ["search", "anything else"])
    assert.deepStrictEqual(server.seen.slice(before), [])
    await server.close()
  })
})
