// @effect-diagnostics asyncFunction:off - drives a real browser
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Page, Route } from "playwright-core"
import { asking, models } from "../host/Directed.ts"
import { served } from "../server/served.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
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

/** Waits until an answer counts to the request that has this text in what would run: its context names the calls beside it too. */
const standing = (page: Page, text: string) =>
  page
    .locator(".request[data-standing=true][data-read=true]", {
      has: page.locator(".request-body > :not(.context)", { hasText: text })
    })
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`No answer counts to a request of ${text}:\n${await page.locator("body").innerHTML()}`, { cause })
    })

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
        assert.match(await page.title(), /^\(1\) .*Tollgate$/u)
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
      assert.notMatch(yield* Effect.promise(() => page.title()), /^\(/)
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

  it.scopedLive("says where it was given that an answer came too late, until that has been seen (U11)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, page: machine.page })
      const { page } = yield* open(machine, server)
      const held: Array<Route> = []
      yield* Effect.promise(async () => {
        await page.route("**/v1/approvals/*", (route) => void held.push(route))
        await prompted(page, asking([write("a.txt", "first")]))
        await standing(page, "a.txt")
        await page.keyboard.press("F6")
        const sent = page.waitForRequest("**/v1/approvals/*")
        await page.keyboard.press("n")
        await sent
      })
      const [{ request }] = (yield* server.ask("/v1/approvals")).json.approvals
      const answer = { decision: "approve", digest: request.digest }
      assert.strictEqual((yield* server.ask(`/v1/approvals/${request.id}`, { body: answer })).status, 200)
      yield* Effect.promise(async () => {
        await page.locator(".request").waitFor({ state: "detached" })
        await held[0]!.continue()
        const missed = page.getByRole("alert").filter({ hasText: "Your answer to write_file" })
        await missed.getByText("did not count").waitFor()
        assert.match(await missed.innerText(), /has ended: granted by .* To stop what it started, interrupt the task\./)
        await missed.getByRole("button", { name: "Dismiss" }).click()
        await missed.waitFor({ state: "detached" })
      })
      assert.strictEqual(fs.readFileSync(path.join(server.directory, "a.txt"), "utf8"), "first")
    })
  )

  it.scopedLive("says on the card what risk it is, how long it waits, and what was said before (U11, A4)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      fs.mkdirSync(path.join(base, "state"))
      fs.writeFileSync(path.join(base, "state", "config.json"), '{"approvals":{"timeout":"2 hours"}}')
      const server = yield* served({ models, page: machine.page, base })
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await prompted(page, asking([write("a.txt", "first")]))
        const card = page.locator(".request")
        await card.waitFor()
        assert.match(await card.locator(".request-title .risk").innerText(), /^(?:low|medium|high) risk$/)
        assert.match(await card.getByRole("timer").innerText(), /^1(?:19|20):\d\d left$/)
        const messages = card.getByText(/^Last \d+ messages?$/)
        await messages.click()
        await card.locator("details.context[open]", { hasText: "a.txt" }).waitFor()
      })
    })
  )

  it.scopedLive("holds for the session on s, for the task on t, and is a rule on a and Enter (U11, A6)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, page: machine.page })
      const { page } = yield* open(machine, server)
      const sent: Array<string> = []
      const read = (name: string) => fs.readFileSync(path.join(server.directory, name), "utf8")
      yield* Effect.promise(async () => {
        page.on("request", (request) => {
          if (request.method() === "POST" && request.url().includes("/v1/approvals/"))
            sent.push((request.postDataJSON() as { readonly scope: string }).scope)
        })
        const twice = (name: string) => [write(name, "first"), write(name, "second")]
        await prompted(page, asking([...twice("a.txt"), ...twice("b.txt"), ...twice("c.txt")]))
        await standing(page, "a.txt")
        await page.keyboard.press("F6")
        await page.keyboard.press("s")
        await standing(page, "b.txt")
        await page.keyboard.press("t")
        await standing(page, "c.txt")
        await page.keyboard.press("a")
        await page.getByRole("group", { name: "Confirm the rule" }).waitFor()
        await page.locator(".request[data-standing=true]").waitFor()
        await page.keyboard.press("Enter")
        await page.getByText("Done in").waitFor()
      })
      assert.deepStrictEqual(sent, ["session", "task", "always"])
      assert.deepStrictEqual(["a.txt", "b.txt", "c.txt"].map(read), ["second", "second", "second"])
      const { json } = yield* server.ask("/v1/rules")
      assert.include(JSON.stringify(json.rules), "c.txt")
    })
  )

  it.scopedLive(
    "lets go of equal calls that wait in other sessions with the rule that one of them makes (U11, A6)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models, page: machine.page })
        const { page } = yield* open(machine, server)
        for (const [before, name] of ["one", "two"].entries()) {
          yield* server.ask("/v1/sessions", { body: { id: name } })
          yield* server.ask(`/v1/sessions/${name}/commands`, {
            body: { _tag: "SubmitPrompt", task: "t", prompt: asking([write("same.txt", "x")]) }
          })
          yield* Effect.repeat(server.ask("/v1/approvals"), { until: ({ json }) => json.approvals.length > before })
        }
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "2 calls wait for you" }).waitFor()
          await standing(page, "same.txt")
          await page.keyboard.press("a")
          await page.getByRole("group", { name: "Confirm the rule" }).waitFor()
          await page.locator(".request[data-standing=true]").waitFor()
          await page.keyboard.press("Enter")
          await page.locator(".request").waitFor({ state: "detached" })
        })
        assert.deepStrictEqual((yield* server.ask("/v1/approvals")).json.approvals, [])
      })
  )

  it.scopedLive("is notified of while the page is not looked at, where the browser may (U11)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, page: machine.page })
      const { page } = yield* open(machine, server, { permissions: ["notifications"] })
      yield* Effect.promise(async () => {
        // Shown by the system, where no test sees it; what the page hands over is what counts.
        await page.evaluate(`
          globalThis.notes = []
          const Shown = Notification
          globalThis.Notification = class extends Shown {
            constructor(title, options) { super(title, options); notes.push([title, options.body]) }
          }
          Object.defineProperty(document, "visibilityState", { get: () => globalThis.looked ? "visible" : "hidden" })
        `)
        await prompted(page, asking([write("a.txt", "first"), write("b.txt", "second")]))
        await page.locator(".request").waitFor()
        const first = (await page.evaluate("notes")) as ReadonlyArray<readonly [string, string]>
        assert.deepStrictEqual(
          first.map(([title]) => title),
          ["write_file waits for you"]
        )
        assert.include(first[0]?.[1], "a.txt")
        await page.evaluate(`globalThis.looked = true; document.dispatchEvent(new Event("visibilitychange"))`)
        await standing(page, "a.txt")
        await page.keyboard.press("F6")
        await page.keyboard.press("y")
        await standing(page, "b.txt")
        assert.strictEqual(await page.evaluate("notes.length"), 1)
      })
    })
  )

  it.scopedLive("shows what a call prints while it runs (U11, E4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, page: machine.page })
      const { page } = yield* open(machine, server)
      const go = path.join(server.directory, "go")
      const command = `echo begun; until [ -e ${go} ]; do sleep 0.05; done; echo ended`
      yield* Effect.promise(async () => {
        await prompted(page, asking([["run_shell", { command }]]))
        await standing(page, "begun")
        await page.keyboard.press("F6")
        await page.keyboard.press("y")
        const live = page.getByRole("log", { name: "Output of run_shell" })
        await live.waitFor()
        assert.include(await live.innerText(), "begun")
        fs.writeFileSync(go, "")
        await page.getByText("Done in").waitFor()
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
