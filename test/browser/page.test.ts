// @effect-diagnostics asyncFunction:off - drives a real browser
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { served } from "../server/served.ts"
import { injections } from "../support/injections.ts"
import { cutting } from "./Cutting.ts"
import { call, type Machine, open, playing, say, sayAfter, start, violations } from "./Page.ts"

let machine: Machine
beforeAll(async () => {
  machine = await start()
})
afterAll(() => machine.stop())

const deep = {
  deep: [call([["delegate", { task: "above", name: "analyse" }]], "I split the work."), say("all done")],
  above: [call([["delegate", { task: "middle", name: "schema" }]]), say("ok")],
  middle: [call([["delegate", { task: "below", name: "migrate" }]]), say("ok")],
  below: [call([["run_shell", { command: "touch migrated && sleep 600" }]]), say("ok")]
}

const prompted = async (page: Page, prompt: string) => {
  await page.getByRole("textbox", { name: "Prompt" }).fill(prompt)
  await page.keyboard.press("Enter")
}

describe("the page", () => {
  it.scopedLive(
    "shows workers three deep with their state, whose path a request names, and cancels one (U9, U11)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models: playing(deep), page: machine.page })
        const { page } = yield* open(machine, server)
        yield* Effect.promise(async () => {
          await prompted(page, "deep")
          await page.locator(".origin", { hasText: "root › analyse › schema › migrate" }).waitFor()
          await page.locator(".request[data-standing=true][data-read=true]").waitFor()
          await page.getByRole("button", { name: "Allow once" }).click()
          await page.getByRole("treeitem", { name: /migrate ?: running/ }).waitFor()
          assert.deepStrictEqual(
            await page.evaluate(
              `[...document.querySelectorAll("[role=treeitem]")].map((one) => one.getAttribute("aria-level"))`
            ),
            ["1", "2", "3", "4"]
          )
          assert.deepStrictEqual(await violations(page), [])
          await page.getByRole("button", { name: "Cancel schema" }).click()
          await page.getByRole("treeitem", { name: /migrate ?: interrupted/ }).waitFor()
          await page.getByRole("treeitem", { name: /schema ?: interrupted/ }).waitFor()
          await page.getByText("all done").waitFor()
        })
      })
  )

  it.scopedLive("misses nothing and shows nothing twice where its connections are cut (U11)", () =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const models = playing({
        go: [sayAfter("one ", Deferred.await(first), "two\n\n"), sayAfter("unused", Effect.void, "unused")],
        again: [sayAfter("three ", Deferred.await(second), "four")]
      })
      const server = yield* served({ models, page: machine.page })
      const way = yield* cutting(server.port)
      const { page } = yield* open(machine, { token: server.token, url: way.url })
      yield* Effect.promise(async () => {
        await prompted(page, "go")
        await page.getByText("one").waitFor()
      })
      yield* way.cut
      yield* Deferred.succeed(first, undefined)
      yield* Effect.promise(async () => {
        await page.locator(".ending").waitFor()
        await prompted(page, "again")
        await page.getByText("three").waitFor()
      })
      yield* way.cut
      yield* Deferred.succeed(second, undefined)
      yield* Effect.promise(async () => {
        await page.locator(".ending").nth(1).waitFor()
        assert.deepStrictEqual(await page.locator(".prompt-text").allInnerTexts(), ["go", "again"])
        assert.deepStrictEqual(await page.locator(".answer").allInnerTexts(), ["one two", "three four"])
        assert.strictEqual(await page.locator(".ending").count(), 2)
      })
    })
  )

  it.scopedLive(
    "reads on from the event that is missing where a stream has a gap, and loses nothing behind it (U11)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models: playing({ go: [say("all of it")] }), page: machine.page })
        yield* server.ask("/v1/sessions", { body: { id: "s1" } })
        yield* server.ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t", prompt: "go" } })
        const { json: detail } = yield* Effect.repeat(server.ask("/v1/sessions/s1"), {
          until: ({ json }) => json.tasks.length === 0
        })
        const { events } = (yield* server.ask("/v1/sessions/s1/log")).json
        const [last, end] = [events.slice(-3), detail.head as number]
        const frame = (event: string, data: unknown) => `${event}data: ${JSON.stringify(data)}\n\n`
        const { page } = yield* open(machine, server)
        yield* Effect.promise(async () => {
          let streams = 0
          // The page has all but the last three; of these the stream leaves the first one out.
          await page.route(/\/v1\/sessions\/s1\/log/, (route) => {
            const from = Number(new URL(route.request().url()).searchParams.get("from"))
            const until = from > end - 3 ? end - 1 : end - 3
            const found = events.filter(({ seq }: { readonly seq: number }) => seq >= from && seq <= until)
            return route.fulfill({ json: { head: end, events: found } })
          })
          await page.route(/\/v1\/sessions\/s1\/events/, (route) => {
            streams += 1
            if (streams > 1)
              return new URL(route.request().url()).searchParams.get("from") === `${end - 2}`
                ? route.continue()
                : undefined
            return route.fulfill({
              contentType: "text/event-stream",
              body:
                frame("event: snapshot\n", { ...detail, partial: [] }) +
                last
                  .slice(1)
                  .map((one: { readonly seq: number }) => `id: ${one.seq}\n${frame("", one)}`)
                  .join("")
            })
          })
          await page.locator(".session-line").click()
          await page.locator(".ending").waitFor()
          assert.deepStrictEqual(await page.locator(".answer").allInnerTexts(), ["all of it"])
        })
      })
  )

  it.scopedLive("runs nothing and asks for nothing, whatever a model, a tool, a file or a title says (U11, U14)", () =>
    Effect.gen(function* () {
      const text = injections("ran = true", "http://127.0.0.1:9/leak")
      const title = `<img src=x onerror="ran = true"> ${text[0]}`
      const name = '<img src=x onerror="ran=true">.md'
      const models = playing({
        [title]: [
          call(
            [["write_file", { path: name, content: text.filter((one) => !one.includes("\0")).join("\n") }]],
            text.join("\n\n")
          ),
          say(...text.map((one) => `${one}\n\n`))
        ]
      })
      const server = yield* served({ models, page: machine.page })
      const { faults, page, requests } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await prompted(page, title)
        await page.locator(".request[data-standing=true]").waitFor()
        await page.evaluate(`document.querySelector(".request-body").scrollTo(0, 1e6)`)
        await page.locator(".request[data-read=true]").waitFor()
        await page.getByRole("button", { name: "Allow once" }).click()
        await page.getByText("Done in").waitFor()
        // High enough that every row is there.
        await page.setViewportSize({ width: 1280, height: 12_000 })
        await page.locator(".call-head").first().click()
        const look = `({
          ran: window.ran === true,
          active: [...document.querySelectorAll("main script, iframe, object, embed, img, svg, math, video, audio, form[action], base, link:not([rel=icon], [rel=stylesheet], [rel=modulepreload][href^='/assets/'])")].length,
          links: [...document.querySelectorAll("main a, aside a")].filter((one) => !/^(?:https?|mailto):$/.test(one.protocol)).length
        })`
        assert.deepStrictEqual(await page.evaluate(look), { ran: false, active: 0, links: 0 })
      })
      assert.isTrue(fs.existsSync(path.join(server.directory, name)))
      assert.deepStrictEqual(
        requests.filter((url) => !url.startsWith(server.url)),
        []
      )
      assert.deepStrictEqual(faults, [])
      const page404 = yield* server.ask("/assets/..%2f..%2fpackage.json", { bare: true })
      assert.strictEqual(page404.status, 404)
    })
  )

  it.scopedLive("replays a file of 100,000 events, of which only those in sight are in the document (U11)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models: playing({}), page: machine.page })
      const { page } = yield* open(machine, server)
      const line = (seq: number) =>
        JSON.stringify({ version: 1, seq, time: seq, session: "s", event: { _tag: "ErrorRaised", message: `m${seq}` } })
      const text = Array.from({ length: 100_000 }, (_, index) => line(index + 1)).join("\n")
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Replay a file" }).click()
        const buffer = Buffer.from("not an event")
        await page.getByLabel("Choose a file").setInputFiles({ name: "bad.jsonl", mimeType: "text/plain", buffer })
        await page.getByText("Line 1 of bad.jsonl is not an event").waitFor()
        const good = Buffer.from(text)
        await page
          .getByLabel("Choose a file")
          .setInputFiles({ name: "good.jsonl", mimeType: "text/plain", buffer: good })
        await page.getByText("100,000 events").waitFor()
        await page.getByRole("feed").evaluate((one: { scrollTop: number }) => {
          one.scrollTop = 1e9
        })
        await page.locator(".event", { hasText: "m100000" }).waitFor()
        assert.isBelow(await page.locator(".event").count(), 200)
        await page.locator(".event", { hasText: "m99999" }).click()
        await page.getByText("Event 99999: ErrorRaised").waitFor()
      })
    })
  )

  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 }
    ]) {
      it.scopedLive(`has no violations of axe, ${colorScheme} at ${viewport.width} (U11)`, () =>
        Effect.gen(function* () {
          const models = playing({
            write: [
              call(
                [["write_file", { path: "app.ts", content: "export const port = 8080 // the port\n" }]],
                "I change the [port](https://example.com):\n\n| a | b |\n| - | - |\n| 1 | `2` |"
              ),
              say("Changed.")
            ]
          })
          const server = yield* served({ models, page: machine.page })
          fs.writeFileSync(path.join(server.directory, "app.ts"), "export const port = 3000\n")
          const { page } = yield* open(machine, server, { colorScheme, viewport })
          yield* Effect.promise(async () => {
            await page.getByRole("textbox", { name: "Prompt" }).waitFor()
            assert.deepStrictEqual(await violations(page), [])
            await prompted(page, "write")
            await page.locator(".waits").waitFor()
            assert.deepStrictEqual(await violations(page), [])
            if (viewport.width < 500) await page.getByRole("link", { name: "1 call waits for you" }).click()
            await page.locator(".request[data-standing=true][data-read=true]").waitFor()
            assert.deepStrictEqual(await violations(page), [])
            await page.getByRole("button", { name: "Edit" }).click()
            await page.locator(".edit").waitFor()
            assert.deepStrictEqual(await violations(page), [])
          })
        })
      )
    }
  }
})
