// @effect-diagnostics asyncFunction:off - drives a real browser
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { Route } from "playwright-core"
import type { ModelService } from "../../src/model/Model.ts"
import { ModelCut, ModelUnauthorized } from "../../src/model/ModelError.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import { Models } from "../../src/model/Models.ts"
import { until } from "../support/until.ts"
import { served } from "../server/served.ts"
import { type Machine, open, playing, say, sayAfter, start } from "./Page.ts"

let machine: Machine
beforeAll(async () => {
  machine = await start()
})
afterAll(() => machine.stop())

describe("a conversation in the browser", () => {
  it.scopedLive("logs in by the address, streams an answer as it comes, and keeps it over a reload (U11)", () =>
    Effect.gen(function* () {
      const more = yield* Deferred.make<void>()
      const models = playing({
        hello: [sayAfter("## Plan\n\nFirst **bold", Deferred.await(more), "** words, then `code`.\n\n- one\n- two")]
      })
      const server = yield* served({ models, page: machine.page })
      const { faults, page, requests } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        await page.getByRole("textbox", { name: "Prompt" }).fill("hello")
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Plan" }).waitFor()
        await page.getByText("waiting for played").or(page.getByText("answering")).waitFor()
        assert.notInclude(page.url(), "token")
        await page.reload()
        await page.getByText("First").waitFor()
      })
      yield* Deferred.succeed(more, undefined)
      yield* Effect.promise(async () => {
        await page.getByText("Done in").waitFor()
        assert.strictEqual(await page.locator(".answer strong").innerText(), "bold")
        assert.strictEqual(await page.locator(".answer li").count(), 2)
        assert.strictEqual(await page.locator(".prompt").count(), 1)
        assert.strictEqual(await page.locator(".answer").count(), 1)
      })
      assert.deepStrictEqual(faults, [])
      assert.isTrue(requests.every((url) => url.startsWith(server.url)))
    })
  )

  it.scopedLive(
    "stays at its end where what is below grows before a scroll is told of, and leaves it for a reader who goes up until that one sends (U11)",
    () =>
      Effect.gen(function* () {
        const models = playing({
          long: [say(...Array.from({ length: 80 }, (_, index) => `paragraph ${index}\n\n`))],
          more: [say("one more")],
          elsewhere: [say("from elsewhere")],
          last: [say("the last")]
        })
        const server = yield* served({ models, page: machine.page })
        const { page } = yield* open(machine, server)
        const prompt = async (text: string) => {
          await page.getByRole("textbox", { name: "Prompt" }).fill(text)
          await page.keyboard.press("Enter")
        }
        /** Runs with the list, and goes on once two frames have been painted. */
        const scrolling = (script: string) =>
          page.evaluate(
            `new Promise((done) => {
            const list = document.querySelector(".conversation")
            ${script}
            requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))
          })`
          )
        const left = () =>
          page
            .getByRole("feed", { name: "Messages" })
            .evaluate(
              (list: { readonly scrollHeight: number; readonly scrollTop: number; readonly clientHeight: number }) =>
                list.scrollHeight - list.scrollTop - list.clientHeight
            )
        yield* Effect.promise(async () => {
          await prompt("long")
          await page.locator(".ending").waitFor()
          await scrolling(
            `list.scrollTop -= 5; list.scrollTop += 5; document.querySelector(".dock").style.paddingTop = "200px"`
          )
          await prompt("more")
          await page.locator(".ending").nth(1).waitFor()
          assert.isBelow(await left(), 2)
          await scrolling("list.scrollTop -= 300")
        })
        const session = new URL(page.url()).hash.split("/").at(-1)!
        const body = { _tag: "SubmitPrompt", task: "elsewhere", prompt: "elsewhere" }
        assert.strictEqual((yield* server.ask(`/v1/sessions/${session}/commands`, { body })).status, 202)
        yield* Effect.promise(async () => {
          await page.locator(".ending").nth(2).waitFor()
          assert.isAbove(await left(), 299)
          await prompt("last")
          await page.locator(".ending").nth(3).waitFor()
          assert.isBelow(await left(), 2)
        })
      })
  )

  it.scopedLive(
    "has prompts that wait behind all of what runs, and loses nothing that is typed while one is sent (U11)",
    () =>
      Effect.gen(function* () {
        const more = yield* Deferred.make<void>()
        const models = playing({ first: [sayAfter("begun", Deferred.await(more), " and ended")] })
        const server = yield* served({ models, page: machine.page })
        const { page } = yield* open(machine, server)
        const rows = () => page.locator(".prompt-text, .ending").allInnerTexts()
        yield* Effect.promise(async () => {
          const prompt = page.getByRole("textbox", { name: "Prompt" })
          await prompt.fill("first")
          await prompt.press("Enter")
          await page.getByText("waiting for played").or(page.getByText("answering")).waitFor()
          // What follows is typed while the prompt is on its way.
          const typing = async (route: Route) => {
            await prompt.pressSequentially("third")
            await route.continue()
          }
          await page.route("**/commands", typing, { times: 1 })
          await prompt.fill("second")
          await prompt.press("Enter")
          const label = page.locator(".prompt.queued .who")
          await label.waitFor()
          assert.strictEqual(await prompt.inputValue(), "third")
          assert.include(await label.innerText(), "queued behind 1")
          const boxes = [await label.boundingBox(), await page.locator(".prompt.queued .prompt-text").boundingBox()]
          const [above, below] = boxes
          assert.isAtLeast(below?.y ?? 0, (above?.y ?? 0) + (above?.height ?? 0))
          await prompt.press("Enter")
          await page.locator(".prompt.queued").nth(1).waitFor()
          await prompt.fill("fourth")
          await prompt.press("Escape")
          await page.locator(".ending").nth(2).waitFor()
          assert.deepStrictEqual((await rows()).slice(0, 4), ["first", "Interrupted", "second", "third"])
          // What was not begun is where it was typed, to be sent again or not.
          await until(async () => (await prompt.inputValue()) === "second\nthird\nfourth")
        })
      })
  )

  it.scopedLive(
    "sends in their order the prompts that are entered while one is on its way, and on Esc gives back the one on its way and those behind it (U11)",
    () =>
      Effect.gen(function* () {
        const models = playing({ slow: [Stream.never] })
        const server = yield* served({ models, page: machine.page })
        const { page } = yield* open(machine, server)
        yield* Effect.promise(async () => {
          const prompt = page.getByRole("textbox", { name: "Prompt" })
          const enter = async (text: string) => {
            await prompt.pressSequentially(text)
            await prompt.press("Enter")
          }
          /** Does something while the next prompt is on its way. */
          const meanwhile = (act: () => Promise<void>) =>
            page.route(
              "**/commands",
              async (route: Route) => {
                await act()
                await route.continue()
              },
              { times: 1 }
            )
          await page.route("**/v1/sessions", async (route: Route) => {
            if (route.request().method() === "POST") {
              await enter("two")
              await enter("three")
            }
            await route.continue()
          })
          await enter("one")
          await page.locator(".ending").nth(2).waitFor()
          assert.deepStrictEqual(await page.locator(".prompt-text").allInnerTexts(), ["one", "two", "three"])
          assert.strictEqual(await page.locator(".session-item").count(), 1)
          await meanwhile(async () => {
            await enter("next")
            await prompt.press("Escape")
            await prompt.pressSequentially("draft")
          })
          await enter("slow")
          await until(async () => (await prompt.inputValue()) === "slow\nnext\ndraft")
          await page.locator(".ending", { hasText: "Interrupted" }).waitFor()
          // Nothing is given back twice.
          await prompt.press("Escape")
          await prompt.press("Escape")
          assert.strictEqual(await prompt.inputValue(), "slow\nnext\ndraft")
        })
      })
  )

  it.scopedLive(
    "says why a login ended, and takes the next address in the page that is open, with what was typed (U11)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models: playing({ hello: [say("Hello.")] }), page: machine.page })
        const { page } = yield* open(machine, server)
        yield* Effect.promise(async () => {
          const prompt = page.getByRole("textbox", { name: "Prompt" })
          await prompt.fill("hello")
          await prompt.press("Enter")
          await page.locator(".ending").waitFor()
          await prompt.fill("and then")
          // As where the server was started again, whose cookies are others.
          await page.context().clearCookies()
          await page.goto(`${server.url}/#/audit`)
          await page.getByText("Your login has ended: the server was started again").waitFor()
          await page.goto(`${server.url}/#token=${server.token}`)
          await page.getByRole("heading", { name: "What should be done?" }).waitFor()
          assert.notInclude(page.url(), "token")
          await page.getByRole("link", { name: /^hello/ }).click()
          await page.locator(".ending").waitFor()
          assert.strictEqual(await prompt.inputValue(), "and then")
        })
      })
  )

  it.scopedLive("colours code, but none whose lines a grammar would need seconds for (U11)", () =>
    Effect.gen(function* () {
      const code = (value: string) => `\`\`\`js\nconst a = "${value}"\n\`\`\`\n`
      const models = playing({ code: [say(code("short"), "and\n\n", code("y".repeat(50_000)))] })
      const server = yield* served({ models, page: machine.page })
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        const prompt = page.getByRole("textbox", { name: "Prompt" })
        await prompt.fill("code")
        await prompt.press("Enter")
        await page.locator(".ending").waitFor()
        await page.locator("pre.code").first().locator(".c-keyword").waitFor()
        assert.strictEqual(await page.locator("pre.code").nth(1).locator("span").count(), 0)
      })
    })
  )

  it.scopedLive(
    "keeps what was typed over a reload until a logout, and names the session in its heading and its tab (U11)",
    () =>
      Effect.gen(function* () {
        const server = yield* served({ models: playing({ "a\nb": [say("Hello.")] }), page: machine.page })
        const { page } = yield* open(machine, server, { viewport: { width: 360, height: 740 } })
        yield* Effect.promise(async () => {
          const prompt = page.getByRole("textbox", { name: "Prompt" })
          await prompt.fill("a\nb")
          await prompt.press("Enter")
          await page.locator(".ending").waitFor()
          await until(async () => (await page.title()) === "a b \u00b7 Tollgate")
        })
        const { hash } = new URL(page.url())
        const body = { _tag: "RenameSession", title: "another" }
        yield* server.ask(`/v1/sessions/${hash.split("/").at(-1)}/commands`, { body })
        yield* Effect.promise(async () => {
          const prompt = page.getByRole("textbox", { name: "Prompt" })
          await page.locator(".session-head h1", { hasText: "another" }).waitFor()
          // On a phone there is room for the title alone.
          assert.isFalse(await page.locator(".session-head .quiet").isVisible())
          await prompt.fill("not sent")
          await page.reload()
          await page.locator(".ending").waitFor()
          assert.strictEqual(await prompt.inputValue(), "not sent")
          await page.goto(`${server.url}/#/`)
          await page.getByRole("button", { name: /^Log out/ }).click()
          await page.getByLabel("Token").waitFor()
          await page.goto(`${server.url}/#token=${server.token}`)
          await page.getByRole("heading", { name: "What should be done?" }).waitFor()
          await page.goto(`${server.url}/${hash}`)
          await page.locator(".ending").waitFor()
          assert.strictEqual(await prompt.inputValue(), "")
        })
      })
  )

  it.scopedLive("says of what failed what to do next, as the terminal does (U9, U11)", () =>
    Effect.gen(function* () {
      const cut: ModelPart = { _tag: "Finished", usage: noUsage, reason: "length" }
      const failures: Readonly<Record<string, ModelService["stream"]>> = {
        "a key": () => Stream.fail(new ModelUnauthorized({ model: "m", reason: "No such key.", status: 401 })),
        load: () => Stream.fail(new ModelCut({ model: "m", reason: "The stream broke." })),
        tokens: () => Stream.make<[ModelPart, ModelPart]>({ _tag: "TextDelta", text: "So far" }, cut)
      }
      const model: ModelService = {
        name: "m",
        stream: (request) => failures[request.messages.at(-1)?.message.content ?? ""]!(request)
      }
      const server = yield* served({ models: Models.layerOf({ m: model }), page: machine.page })
      const { page } = yield* open(machine, server)
      yield* Effect.promise(async () => {
        const prompt = async (text: string) => {
          await page.getByRole("textbox", { name: "Prompt" }).fill(text)
          await page.keyboard.press("Enter")
        }
        await prompt("a key")
        await page.locator(".ending.failed", { hasText: "the API key of the profile. See: tollgate doctor" }).waitFor()
        await prompt("load")
        await page.locator(".ending.failed", { hasText: "with another profile: tollgate serve --profile" }).waitFor()
        await prompt("tokens")
        await page.locator(".note.warning", { hasText: "its answer is cut off. Ask it to continue" }).waitFor()
      })
    })
  )
})
