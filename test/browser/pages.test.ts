// @effect-diagnostics asyncFunction:off - drives a real browser
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Redacted, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { Models } from "../../src/model/Models.ts"
import { TokenStore } from "../../src/server/TokenStore.ts"
import { served } from "../server/served.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { call, type Machine, open, playing, say, start, violations } from "./Page.ts"

let machine: Machine
beforeAll(async () => {
  machine = await start()
})
afterAll(() => machine.stop())

const write = (name: string) => call([["write_file", { path: name, content: "x" }]])

const models = playing({ write: [write("a.txt"), write("docs/b.txt"), say("Written.")] })

/** A server whose model costs something, with budgets; one call of a session was allowed, the other denied. */
const used = Effect.gen(function* () {
  const base = yield* temporaryDirectory
  fs.mkdirSync(path.join(base, "state"))
  const budgets = { day: 5, session: 2, unknownPrice: { input: 10, output: 10 } }
  fs.writeFileSync(path.join(base, "state", "config.json"), JSON.stringify({ budgets }))
  const server = yield* served({ models, page: machine.page, base })
  yield* server.ask("/v1/sessions", { body: { id: "s1" } })
  yield* server.ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t", prompt: "write" } })
  for (const decision of ["approve", "deny"]) {
    const { json } = yield* Effect.repeat(server.ask("/v1/approvals"), {
      until: ({ json }) => json.approvals.length > 0
    })
    const { digest, id } = json.approvals[0].request as { readonly id: string; readonly digest: string }
    const reason = decision === "deny" ? { reason: "not there" } : {}
    yield* server.ask(`/v1/approvals/${id}`, { body: { digest, decision, ...reason } })
    yield* Effect.repeat(server.ask("/v1/approvals"), { until: ({ text }) => !text.includes(id) })
  }
  yield* Effect.repeat(server.ask("/v1/sessions/s1"), { until: ({ json }) => json.tasks.length === 0 })
  return server
})

const goTo = async (page: Page, name: string) => {
  await page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name, exact: true }).click()
  await page.getByRole("heading", { name, level: 1 }).waitFor()
}

describe("the pages beside the sessions", () => {
  it.scopedLive("try a rule over past calls, save it, and revoke it after a question, by keys alone (U11, A11)", () =>
    Effect.gen(function* () {
      const server = yield* used
      const { faults, page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await goTo(page, "Rules")
        await page.getByText("No rules yet.").waitFor()
        const form = page.getByRole("form", { name: "A new rule" })
        await form.getByLabel("Decision").selectOption("deny")
        await form.getByLabel("Tool").fill("write_file")
        await form.getByLabel("Fits").selectOption("paths that match")
        await form.getByRole("textbox", { name: "paths that match" }).fill("{a,b}/**")
        await page.keyboard.press("Enter")
        await page.getByRole("alert").filter({ hasText: "braces are not supported" }).waitFor()
        await form.getByRole("textbox", { name: "paths that match" }).fill("docs/**")
        await page.keyboard.press("Enter")
        await page.getByText("Of the last 2 calls the rule decides 1; 1 would go another way.").waitFor()
        await page.getByText("is asked about → with the rule it is denied").waitFor()
        await page.getByText("It was refused.").waitFor()
        assert.include(await page.locator(".trial .exact").innerText(), "docs/b.txt")
        await page.getByText("They are judged in the mode ask.").waitFor()
        await form.getByLabel("Tried in the mode").selectOption("edits")
        await form.getByRole("button", { name: "Try it over past calls" }).press("Enter")
        await page.getByText("runs → with the rule it is denied").waitFor()
        await page.getByText("They are judged in the mode edits.").waitFor()
        await form.getByRole("button", { name: "Save" }).press("Enter")
        await page.getByText("Saved. It applies from the next task on.").waitFor()
        await page.locator(".rule-words", { hasText: "deny write_file on docs/**" }).waitFor()
        // What is tried with the rule in place changes nothing any more.
        await form.getByRole("button", { name: "Try it over past calls" }).press("Enter")
        await page.getByText("0 would go another way").waitFor()
      })
      assert.strictEqual((yield* server.ask("/v1/rules")).json.rules[0].rule.path, "docs/**")
      yield* Effect.promise(async () => {
        const revoke = page.getByRole("button", { name: /^Revoke deny write_file/ })
        await revoke.press("Enter")
        await page.getByRole("heading", { name: "Revoke this rule?" }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        assert.strictEqual(await revoke.count(), 1)
        await revoke.press("Enter")
        await page.getByRole("button", { name: "Revoke", exact: true }).press("Enter")
        await page.getByText("No rules yet.").waitFor()
      })
      assert.deepStrictEqual((yield* server.ask("/v1/rules")).json.rules, [])
      // The one fault is what the browser says of the answer 422.
      assert.isTrue(faults.every((fault) => fault.includes("422")))
    })
  )

  it.scopedLive("show the audit with its verification, which notices what somebody else has changed (U11, A9)", () =>
    Effect.gen(function* () {
      const server = yield* used
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await goTo(page, "Audit")
        await page.getByText(/✓ Verified: \d+ entries, none missing, none changed\./).waitFor()
        await page.locator(".row", { hasText: "denied by user local" }).getByText("not there").waitFor()
        await page.getByRole("searchbox", { name: "Filter the entries below" }).fill("granted")
        await page.locator(".row", { hasText: "denied" }).waitFor({ state: "detached" })
        const granted = page.locator(".row", { hasText: "granted for once by user local" })
        await granted.getByText("Details").click()
        assert.match(await granted.locator(".facts").innerText(), /hash\s+[0-9a-f]{64}/)
        await page.getByText("By tool").click()
        await page.getByRole("row", { name: /^write_file 2 1 1/ }).waitFor()
      })
      const database = new Sqlite(path.join(server.directory, "../state/tollgate.db"))
      for (const name of database.values(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'"
      )) {
        database.exec(`DROP TRIGGER ${name}`)
      }
      const [id] = database.values("SELECT id FROM audit WHERE outcome = 'denied'")
      database.run("UPDATE audit SET reason = 'fine' WHERE id = ?", id)
      database.close()
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Verify again" }).click()
        await page
          .getByRole("alert")
          .filter({ hasText: `✗ Not what was written, from entry ${id} on` })
          .waitFor()
      })
    })
  )

  it.scopedLive("show what has been spent, and how much of the budgets (U11, R7)", () =>
    Effect.gen(function* () {
      const server = yield* used
      const { page } = yield* open(machine, server)
      const { spent } = (yield* server.ask("/v1/cost")).json
      // Three requests of 1,200 tokens in and 80 out.
      assert.deepStrictEqual(spent, { day: 38_400_000, month: 38_400_000 })
      yield* Effect.promise(async () => {
        await goTo(page, "Cost")
        await page.getByText("today: $0.0384 of $5.00, 1 %").waitFor()
        await page.getByText("each session: up to $2.00").waitFor()
        await page.getByRole("combobox", { name: "by" }).selectOption("session")
        await page.getByRole("row", { name: /^write 3 3,600 240 \$0\.0384/ }).waitFor()
        await page.getByRole("row", { name: /^in all/ }).waitFor()
      })
    })
  )

  it.scopedLive("run a tool by its form, behind the same gate, and show its result (U11, T9)", () =>
    Effect.gen(function* () {
      const server = yield* used
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await goTo(page, "Tools")
        await page.getByRole("group", { name: "Tool" }).getByRole("button", { name: "run_shell" }).click()
        const form = page.getByRole("form", { name: "Run run_shell" })
        await form.getByRole("button", { name: "Run" }).click()
        await page.getByRole("alert").filter({ hasText: "command is needed." }).waitFor()
        await form.getByLabel(/^command/).fill("echo made > made.txt && echo told")
        await form.getByRole("button", { name: "Run" }).click()
        await page.locator(".request[data-standing=true][data-read=true]", { hasText: "made.txt" }).waitFor()
        await page.getByRole("button", { name: "Allow once" }).click()
        const result = page.getByRole("region", { name: "Result" })
        await result.locator(".ending").waitFor()
        await result.locator(".call-head").click()
        await result.getByText("told").first().waitFor()
        await result.getByRole("link", { name: "Open the session" }).click()
        await page.getByRole("region", { name: "Conversation" }).waitFor()
      })
      assert.strictEqual(fs.readFileSync(path.join(server.directory, "made.txt"), "utf8"), "made\n")
    })
  )

  it.scopedLive(
    "begin a rule with what a request would always allow, to be changed before it is saved (U11, A11)",
    () =>
      Effect.gen(function* () {
        const server = yield* used
        const { page } = yield* open(machine, server)
        yield* server.ask("/v1/sessions", { body: { id: "s2" } })
        yield* server.ask("/v1/sessions/s2/commands", { body: { _tag: "SubmitPrompt", task: "t", prompt: "write" } })
        yield* Effect.promise(async () => {
          await page.locator(".request[data-standing=true][data-read=true]", { hasText: "docs/b.txt" }).waitFor()
          await page.getByRole("button", { name: "Always…" }).click()
          await page.getByRole("link", { name: "Change the rule…" }).click()
          const form = page.getByRole("form", { name: "A new rule" })
          assert.strictEqual(await form.getByLabel("Decision").inputValue(), "allow")
          assert.strictEqual(await form.getByLabel("Tool").inputValue(), "write_file")
          const pattern = form.getByRole("textbox", { name: "paths that match" })
          assert.strictEqual(await pattern.inputValue(), path.join(server.directory, "docs/b.txt"))
          // What waits goes on waiting, and is answered as before.
          await pattern.fill("docs/*.txt")
          await form.getByRole("button", { name: "Save" }).click()
          await page.locator(".rule-words", { hasText: "allow write_file on docs/*.txt" }).waitFor()
          await page.locator(".request", { hasText: "docs/b.txt" }).waitFor()
        })
      })
  )

  it.scopedLive("offer no more than a token may do, and say so (U11, X4)", () =>
    Effect.gen(function* () {
      const server = yield* used
      const store = Context.get(server.context, TokenStore)
      const token = Redacted.value(yield* store.add({ name: "viewer", scopes: ["view"] }))
      yield* server.ask("/v1/rules", { body: { decision: "deny", tool: "git_push" } })
      const { page } = yield* open(machine, { ...server, token })
      yield* Effect.promise(async () => {
        await goTo(page, "Rules")
        await page.getByText("Your token can try rules but not save them.").waitFor()
        await page.locator(".rule-words", { hasText: "deny git_push" }).waitFor()
        assert.strictEqual(await page.getByRole("button", { name: /^(?:Revoke|Save)/ }).count(), 0)
        await goTo(page, "Tools")
        await page.getByText("Your token can view tools but not run them.").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Run", exact: true }).count(), 0)
        await page.locator(".session-line").first().focus()
        await page.keyboard.press("Delete")
        await page.getByRole("link", { name: "JSON" }).waitFor()
        assert.strictEqual(await page.getByRole("button", { name: /Rename|Fork|Delete/ }).count(), 0)
      })
    })
  )

  it.scopedLive("move nothing for who wants less motion (U11)", () =>
    Effect.gen(function* () {
      const silent = Models.layerOf({ silent: { name: "silent", stream: () => Stream.never } })
      const server = yield* served({ models: silent, page: machine.page })
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await page.getByRole("textbox", { name: "Prompt" }).fill("go")
        await page.keyboard.press("Enter")
        await page.locator(".pulse").first().waitFor()
        const moving = () => page.evaluate("document.getAnimations().length")
        assert.notStrictEqual(await moving(), 0)
        await page.emulateMedia({ reducedMotion: "reduce" })
        assert.strictEqual(await moving(), 0)
      })
    })
  )

  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 }
    ]) {
      it.scopedLive(`have no violations of axe and fit, ${colorScheme} at ${viewport.width} (U11)`, () =>
        Effect.gen(function* () {
          const server = yield* used
          yield* server.ask("/v1/rules", { body: { decision: "deny", tool: "git_push" } })
          const { page } = yield* open(machine, server, { colorScheme, viewport, reducedMotion: "reduce" })
          const look = async () => {
            assert.deepStrictEqual(await violations(page), [])
            assert.isAtMost(Number(await page.evaluate(`document.documentElement.scrollWidth`)), viewport.width)
          }
          const home = () => page.getByRole("link", { name: "Tollgate" })
          yield* Effect.promise(async () => {
            for (const name of ["Rules", "Audit", "Cost", "Tools"]) {
              // The page that is first has the links to the others.
              if (viewport.width < 500 && name !== "Rules") await home().click()
              await goTo(page, name)
              if (name === "Rules") {
                await page.locator(".rule-words").waitFor()
                await page.getByRole("button", { name: "Try it over past calls" }).click()
                await page.getByText("Of the last 2 calls").waitFor()
                await look()
                await page.getByRole("button", { name: /^Revoke/ }).click()
              } else if (name === "Audit") {
                await page.getByText("Verified").waitFor()
                await page.locator(".row").first().waitFor()
                await page.getByText("By tool").click()
                await page.locator(".stats th[scope=row]").waitFor()
              } else if (name === "Cost") await page.getByText("today: ").waitFor()
              else await page.getByRole("form").waitFor()
              await look()
              await page.keyboard.press("Escape")
            }
            if (viewport.width < 500) await home().click()
            const line = page.locator(".session-line").first()
            // What is not shown yet takes no focus.
            await line.waitFor()
            await line.focus()
            await page.keyboard.press("F2")
            await page.getByRole("dialog").waitFor()
            await look()
          })
        })
      )
    }
  }
})
