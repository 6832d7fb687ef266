// @effect-diagnostics asyncFunction:off - drives a real browser
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { asking, models } from "../host/Directed.ts"
import { served } from "../server/served.ts"
import { type Machine, open, start } from "./Page.ts"

let machine: Machine
beforeAll(async () => {
  machine = await start()
})
afterAll(() => machine.stop())

const write = (name: string, content: string) => ["write_file", { path: name, content }] as const

const prompted = async (page: Page, prompt: string) => {
  await page.getByRole("textbox", { name: "Prompt" }).fill(prompt)
  await page.keyboard.press("Enter")
}

/** The digest of the request that an envelope brings. */
const digestOf = (envelope: { readonly event?: { readonly request?: { readonly digest: string } } }) =>
  Option.fromNullable(envelope.event?.request?.digest)

/** The card, once an answer to it counts. */
const standing = (page: Page, text: string) =>
  page.locator(".request[data-standing=true][data-read=true]", { hasText: text }).waitFor()

describe("an approval in the browser", () => {
  it.scopedLive("shows the diff to its last character, and runs what was allowed by a key (U11, A2)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, page: machine.page })
      const file = path.join(server.directory, "app.ts")
      fs.writeFileSync(file, "const port = 3000\n")
      const { faults, page } = yield* open(machine, server)
      const sent: Array<unknown> = []
      yield* Effect.promise(async () => {
        page.on("request", (request) => {
          if (request.method() === "POST" && request.url().includes("/v1/approvals/")) sent.push(request.postDataJSON())
        })
        await prompted(page, asking([write("app.ts", "const port = 8080 // a\u202eb\n")]))
        await page.locator(".request").waitFor()
        assert.strictEqual(await page.title(), "(1) Tollgate")
        assert.include(await page.locator(".request .removed").innerText(), "const port = 3000")
        assert.include(await page.locator(".request .added").innerText(), "const port = 8080 // a\\u{202E}b")
        await page.getByText("1 invisible character, shown as escapes").waitFor()
        await page.getByText("write_file asks before this call").waitFor()
        // A file of the project is named from there, wherever the project lies.
        await page.locator(".request").getByRole("group", { name: "Diff app.ts", exact: true }).waitFor()
        assert.match(await page.locator(".request .touches").innerText(), /^writes\s+app\.ts as of/m)
        assert.strictEqual(await page.locator(".request .touches code").first().getAttribute("title"), file)
        // What goes on being typed at the prompt is no answer.
        await page.getByRole("textbox", { name: "Prompt" }).pressSequentially("yyy")
        assert.deepStrictEqual(sent, [])
        assert.isFalse(await page.evaluate(`document.activeElement.matches("button.allow")`))
        // Nor is what no person has done.
        await standing(page, "app.ts")
        await page.evaluate(
          `dispatchEvent(new KeyboardEvent("keydown", { key: "y" })); document.querySelector("button.allow").click()`
        )
        assert.deepStrictEqual(sent, [])
        assert.strictEqual(fs.readFileSync(file, "utf8"), "const port = 3000\n")
        // A look at the form begins the time anew in which no key counts.
        await page.keyboard.press("F6")
        await page.keyboard.press("e")
        await page.keyboard.press("Escape")
        await standing(page, "app.ts")
        await page.keyboard.press("y")
        await page.getByText("Done in").waitFor()
        const change = page.locator(".call .change")
        assert.strictEqual(await change.locator("summary").innerText(), "modified app.ts")
        await change.getByRole("group", { name: "Diff app.ts", exact: true }).waitFor()
      })
      const digest = yield* server
        .frames("/v1/sessions/" + (yield* server.ask("/v1/sessions")).json.sessions[0].id + "/events")
        .pipe(
          Stream.filterMap(({ data }) => digestOf(data)),
          Stream.runHead
        )
      assert.deepStrictEqual(sent, [{ digest: Option.getOrThrow(digest), decision: "approve", scope: "once" }])
      assert.strictEqual(fs.readFileSync(file, "utf8"), "const port = 8080 // a\u202eb\n")
      assert.strictEqual(yield* Effect.promise(() => page.title()), "Tollgate")
      assert.deepStrictEqual(faults, [])
    })
  )

  it.scopedLive(
    "edits a call by its form, which is asked about anew, and denies one with a reason, by keys alone (U11)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models, page: machine.page })
        const { page } = yield* open(machine, server)
        yield* Effect.promise(async () => {
          await prompted(page, asking([write("a.txt", "first"), write("b.txt", "second")]))
          await standing(page, "a.txt")
          await page.keyboard.press("F6")
          await page.keyboard.press("e")
          await page.getByLabel("content text").fill("changed")
          await page.keyboard.press("Control+Enter")
          await standing(page, "changed")
          await page.keyboard.press("y")
          await standing(page, "b.txt")
          await page.keyboard.press("r")
          await page.getByLabel("Why not?").pressSequentially("wrong place")
          await page.keyboard.press("Enter")
          await page.getByText("Done in").waitFor()
          await page.getByText("wrong place").first().waitFor()
        })
        assert.strictEqual(fs.readFileSync(path.join(server.directory, "a.txt"), "utf8"), "changed")
        assert.isFalse(fs.existsSync(path.join(server.directory, "b.txt")))
      })
  )

  it.scopedLive(
    "keeps one queue over all sessions, from which what is answered elsewhere disappears at once (U11)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models, page: machine.page })
        const { page } = yield* open(machine, server)
        // Each asks before the next one is begun, so that their order is known.
        for (const [before, name] of ["one", "two", "three"].entries()) {
          yield* server.ask("/v1/sessions", { body: { id: name } })
          yield* server.ask(`/v1/sessions/${name}/commands`, {
            body: { _tag: "SubmitPrompt", task: "t", prompt: asking([write(`${name}.txt`, "x")]) }
          })
          yield* Effect.repeat(server.ask("/v1/approvals"), { until: ({ json }) => json.approvals.length > before })
        }
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "3 calls wait for you" }).waitFor()
          await page.getByText("1 of 3").waitFor()
          await standing(page, "one.txt")
          await page.keyboard.press("j")
          await standing(page, "two.txt")
          await page.getByText("2 of 3").waitFor()
        })
        const [first] = (yield* server.ask("/v1/approvals")).json.approvals
        const answer = { decision: "deny", digest: first.request.digest }
        assert.strictEqual((yield* server.ask(`/v1/approvals/${first.request.id}`, { body: answer })).status, 200)
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "2 calls wait for you" }).waitFor()
          await page.getByText("1 of 2").waitFor()
          await standing(page, "two.txt")
          await page.keyboard.press("a")
          await page.getByRole("group", { name: "Confirm the rule" }).waitFor()
          await page.keyboard.press("Escape")
          await standing(page, "two.txt")
          await page.keyboard.press("n")
          await page.getByRole("heading", { name: "1 call waits for you" }).waitFor()
        })
      })
  )

  it.scopedLive("interrupts by Esc, which ends the request as well (U8, U11)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, page: machine.page })
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await prompted(page, asking([write("a.txt", "first")]))
        await page.locator(".request").waitFor()
        await page.getByRole("textbox", { name: "Prompt" }).press("Escape")
        await page.locator(".ending", { hasText: "Interrupted" }).waitFor()
        await page.locator(".request").waitFor({ state: "detached" })
      })
      assert.isFalse(fs.existsSync(path.join(server.directory, "a.txt")))
    })
  )
})
