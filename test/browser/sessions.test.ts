// @effect-diagnostics asyncFunction:off - drives a real browser
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Chunk, Context, Effect, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Page } from "playwright-core"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import type { DurableEvent } from "../../src/runtime/Event.ts"
import { ErrorRaised, SessionCreated } from "../../src/runtime/RuntimeEvent.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import { served } from "../server/served.ts"
import { type Machine, open, playing, say, start } from "./Page.ts"

let machine: Machine
beforeAll(async () => {
  machine = await start()
})
afterAll(() => machine.stop())

type Running = Effect.Effect.Success<ReturnType<typeof served>>

/** Stores a session of so many events. */
const stored = ({ context, directory }: Running, session: string, count: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = Context.get(context, SessionStore)
      const time = 1_700_000_000_000
      const create = { project: directory, profile: "played", time }
      const lease = yield* store.open({ session, create })
      const wrap = (event: DurableEvent, seq: number): Envelope => ({
        version: 1,
        seq,
        time: time + seq,
        session,
        event
      })
      const first = wrap(new SessionCreated({ project: directory, profile: "played" }), 1)
      const rest = Stream.map(Stream.range(2, count), (seq) => wrap(new ErrorRaised({ message: `m${seq}` }), seq))
      yield* Stream.runForEachChunk(Stream.rechunk(Stream.concat(Stream.succeed(first), rest), 5000), (chunk) =>
        store.append(lease, Chunk.toReadonlyArray(chunk))
      )
    })
  ).pipe(Effect.orDie)

/** The texts of the rows that are in sight of a list. */
const inSight = (page: Page, rows: string): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const { bottom, top } = document.querySelector(".virtual").getBoundingClientRect()
    return [...document.querySelectorAll(${JSON.stringify(rows)})]
      .filter((one) => one.getBoundingClientRect().top >= top - 1 && one.getBoundingClientRect().bottom <= bottom + 1)
      .map((one) => one.innerText)
  })()`)

const titles = (page: Page) => page.locator(".session-item .session-title").allInnerTexts()

describe("sessions in the browser", () => {
  it.scopedLive("have titles of one line, whatever white space they were begun with (U11)", () =>
    Effect.gen(function* () {
      const prompt = "Mend the test\n\n\tand run it"
      const server = yield* served({ models: playing({ [prompt]: [say("Done.")] }), page: machine.page })
      yield* server.ask("/v1/sessions", { body: { id: "s1" } })
      yield* server.ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t", prompt } })
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        const title = page.locator(".session-title", { hasText: "Mend" })
        await title.waitFor()
        const shown = [await title.innerText()]
        await title.click()
        await page.locator("h1", { hasText: "Mend" }).waitFor()
        shown.push(await page.locator("h1", { hasText: "Mend" }).innerText())
        await page.getByRole("link", { name: "Timeline" }).click()
        await page.locator(".timeline h1", { hasText: "Mend" }).waitFor()
        shown.push(await page.locator(".timeline h1").innerText())
        assert.deepStrictEqual(shown, Array(3).fill("Mend the test and run it"))
      })
    })
  )

  it.scopedLive("are listed by project, searched, renamed, copied, downloaded and deleted, by keys alone (U11)", () =>
    Effect.gen(function* () {
      const models = playing({ alpha: [say("The heron stands still.")], beta: [say("Nothing of note.")] })
      const server = yield* served({ models, page: machine.page })
      const elsewhere = path.join(path.dirname(server.directory), "elsewhere")
      fs.mkdirSync(elsewhere)
      for (const [id, project, prompt] of [
        ["s1", server.directory, "alpha"],
        ["s2", elsewhere, "beta"]
      ] as const) {
        yield* server.ask("/v1/sessions", { body: { id, project } })
        yield* server.ask(`/v1/sessions/${id}/commands`, { body: { _tag: "SubmitPrompt", task: "t", prompt } })
        yield* Effect.repeat(server.ask(`/v1/sessions/${id}`), { until: ({ json }) => json.tasks.length === 0 })
      }
      const { faults, page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        const list = page.getByRole("group", { name: "Sessions by project" })
        await list.getByRole("heading", { name: "work" }).waitFor()
        await list.getByRole("heading", { name: "elsewhere" }).waitFor()
        assert.deepStrictEqual(await titles(page), ["beta", "alpha"])

        const search = page.getByRole("searchbox", { name: "Search sessions" })
        await search.fill("heron")
        await page.locator(".hit", { hasText: "alpha" }).waitFor()
        assert.strictEqual(await page.locator(".hit mark").first().innerText(), "heron")
        assert.deepStrictEqual(await titles(page), [])
        await search.fill("")
        await page.locator(".hit").first().waitFor({ state: "detached" })

        await search.focus()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        assert.strictEqual(await page.evaluate(`document.activeElement.innerText.split("\\n")[0]`), "beta")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("F2")
        await page.getByRole("dialog").getByLabel("Title").waitFor()
        await page.keyboard.type("A bird")
        await page.keyboard.press("Enter")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        await page.locator(".session-title", { hasText: "A bird" }).waitFor()
        // The focus is where it was.
        assert.strictEqual(await page.evaluate(`document.activeElement.getAttribute("href")`), "#/session/s1")

        await page.keyboard.press("F2")
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("link", { name: "Markdown" }).press("Enter")
        ])
        assert.strictEqual(download.suggestedFilename(), "s1.md")
        assert.include(fs.readFileSync(await download.path(), "utf8"), "The heron stands still.")
        await page.getByRole("button", { name: "Fork" }).press("Enter")
        await page.getByText("The heron stands still.").waitFor()
        assert.notInclude(page.url(), "#/session/s1")
        await page.waitForFunction(`document.querySelectorAll(".session-item").length === 3`)

        // Asked first, and the answer that has the focus keeps it.
        const original = page.locator(`.session-line[href="#/session/s1"]`)
        await original.focus()
        await page.keyboard.press("Delete")
        await page.getByRole("heading", { name: "Delete this session?" }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        assert.strictEqual(await original.count(), 1)
        await page.keyboard.press("Delete")
        await page.getByRole("button", { name: "Delete", exact: true }).press("Enter")
        await original.waitFor({ state: "detached" })
        await page.getByText("The heron stands still.").waitFor()
      })
      assert.strictEqual((yield* server.ask("/v1/sessions/s1")).status, 404)
      assert.strictEqual((yield* server.ask("/v1/sessions/s2")).status, 200)
      assert.deepStrictEqual(faults, [])
    })
  )

  it.scopedLive(
    "leave the list where another process has deleted one, and what was typed for it is at the start (U11)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models: playing({}), page: machine.page })
        // Made by a process that has ended since: it is open nowhere.
        const base = path.dirname(server.directory)
        yield* Effect.scoped(
          Effect.flatMap(served({ models: playing({}), base }), ({ ask }) =>
            ask("/v1/sessions", { body: { id: "s1" } })
          )
        )
        const other = yield* served({ models: playing({}), base })
        const { page } = yield* open(machine, server)
        yield* Effect.promise(async () => {
          await page.locator(".session-line").click()
          await page.getByLabel("Conversation").locator("textarea").fill("Half a thought")
        })
        assert.strictEqual((yield* other.ask("/v1/sessions/s1", { method: "DELETE" })).status, 204)
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "No such session" }).waitFor()
          await page.locator(".session-line").waitFor({ state: "detached" })
          await page.getByRole("button", { name: "To the start" }).click()
          await page.waitForFunction(`document.querySelector("textarea")?.value === "Half a thought"`)
        })
      })
  )

  it.scopedLive("say why one is not deleted, and offer nothing that a token may not do (U11, X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models: playing({}), page: machine.page })
      yield* server.ask("/v1/sessions", { body: { id: "s1" } })
      const other = yield* served({ models: playing({}), page: machine.page, base: path.dirname(server.directory) })
      const { page } = yield* open(machine, other)
      yield* Effect.promise(async () => {
        await page.locator(".session-line").focus()
        await page.keyboard.press("Delete")
        await page.getByRole("button", { name: "Delete", exact: true }).click()
        await page.getByRole("alert").filter({ hasText: "Session s1 is open" }).waitFor()
        // Esc closes what is in front, and nothing behind it hears of it.
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        assert.strictEqual(await page.locator(".session-line").count(), 1)
      })
    })
  )

  it.scopedLive("of 100,000 events scroll to the first and the last, with few rows in the document (U11)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models: playing({}), page: machine.page })
      yield* stored(server, "long", 100_000)
      const { faults, page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await page.locator(".session-line").click()
        await page.locator(".note", { hasText: "m100000" }).waitFor()
        assert.isBelow(await page.locator(".virtual-row").count(), 200)
        // Earlier ones come as the reader goes up, who stays where they were.
        await page.getByRole("feed").evaluate((one: { scrollTop: number }) => {
          one.scrollTop = 0
        })
        await page.locator(".note", { hasText: /^m99395$/ }).waitFor({ state: "attached" })
        assert.isTrue((await inSight(page, ".note")).includes("m99402"))

        await page.getByRole("link", { name: "Timeline" }).click()
        await page.getByRole("button", { name: "Read all" }).click()
        await page.getByText("100,000 events").waitFor()
        const position = page.getByRole("slider", { name: "Position in the log" })
        await position.press("Home")
        await page.locator(".event[aria-current=true]", { hasText: "SessionCreated" }).waitFor()
        assert.include((await inSight(page, ".event"))[0], "SessionCreated")
        assert.isBelow(await page.locator(".event").count(), 200)
        await position.press("End")
        await page.locator(".event[aria-current=true]", { hasText: "m100000" }).waitFor()
        assert.include((await inSight(page, ".event")).at(-1), "m100000")
        assert.isBelow(await page.locator(".event").count(), 200)
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.scopedLive("have a timeline that scrolls to the event that is chosen, and leaves one in sight alone (U11)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models: playing({}), page: machine.page })
      yield* stored(server, "long", 500)
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await page.goto(`${server.url}/#/timeline/long`)
        const position = page.getByRole("slider", { name: "Position in the log" })
        await page.getByText("500 events").waitFor()
        assert.include((await inSight(page, ".event")).at(-1), "m500")
        await position.fill("249")
        await page.locator(".event[aria-current=true]", { hasText: "m250" }).waitFor()
        assert.isTrue((await inSight(page, ".event")).some((text) => text.includes("m250")))
        const before = await inSight(page, ".event")
        await page.locator(".event", { hasText: /m252$/ }).click()
        await page.getByText("Event 252: ErrorRaised").waitFor()
        assert.deepStrictEqual(await inSight(page, ".event"), before)
        // Whatever kinds are shown, what is chosen stays in sight.
        await page.getByRole("combobox", { name: "show" }).selectOption("tasks")
        await page.locator(".event").first().waitFor()
        await page.getByRole("combobox", { name: "show" }).selectOption("all")
        await page.locator(".event[aria-current=true]", { hasText: "m252" }).waitFor()
      })
    })
  )
})
