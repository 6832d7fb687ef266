// @effect-diagnostics asyncFunction:off - drives a real browser
import { Effect, Exit, type Layer, Stream } from "effect"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
// @ts-expect-error - a script of the build, which has no types
import { buildBrowser } from "../../scripts/browser.mjs"
import type { ModelService } from "../../src/model/Model.ts"
import type { ModelPart } from "../../src/model/ModelPart.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import { Models } from "../../src/model/Models.ts"
import { program } from "../support/chromium.ts"
import type { Served } from "../server/served.ts"

/** A browser and the built page, for the tests of one file. */
export interface Machine {
  readonly browser: Browser
  readonly page: string
  readonly stop: () => Promise<void>
}

export const start = async (): Promise<Machine> => {
  const page = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-page-"))
  await (buildBrowser as (root: string, folder: string) => Promise<unknown>)(path.resolve("."), page)
  const browser = await chromium.launch({
    executablePath: program(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    timeout: 90_000
  })
  const stop = async () => {
    await browser.close()
    fs.rmSync(page, { recursive: true, force: true })
  }
  return { browser, page, stop }
}

/** A page of a server with everything that it asked for and said. */
export interface Opened {
  readonly page: Page
  readonly requests: ReadonlyArray<string>
  readonly faults: ReadonlyArray<string>
}

/** What a page says at its end, for a test that fails. */
const text = (page: Page): Promise<string> =>
  page
    .locator("body")
    .innerText({ timeout: 5_000 })
    .then((all) => all.slice(-3000), String)

/** Opens a page by the address that the server prints, until the scope ends. */
export const open = (
  { browser }: Machine,
  { token, url }: Pick<Served, "token" | "url">,
  options: BrowserContextOptions = {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
        context.setDefaultTimeout(90_000)
        const page = await context.newPage()
        const requests: Array<string> = []
        const faults: Array<string> = []
        page.on("request", (request) => requests.push(request.url()))
        page.on("pageerror", (error) => faults.push(String(error)))
        page.on("console", (message) => {
          if (message.type() === "error") faults.push(message.text())
        })
        await page.goto(`${url}/#token=${token}`)
        return { context, page, requests, faults }
      }),
      ({ context, page }, exit) =>
        Effect.zipRight(
          Exit.isSuccess(exit)
            ? Effect.void
            : Effect.flatMap(
                Effect.promise(() => text(page)),
                (said) => Effect.logError(`The page said:\n${said}`)
              ),
          Effect.promise(() => context.close())
        )
    ),
    ({ faults, page, requests }): Opened => ({ faults, page, requests })
  )

/** What is wrong with a page for who hears it or uses no mouse. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"))
  const found = (await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`
  )) as ReadonlyArray<string>
  return found
}

/** What a model does for a prompt, or for the task of a worker: request by request. */
export type Play = Readonly<Record<string, ReadonlyArray<Stream.Stream<ModelPart>>>>

const finished = (reason: "stop" | "tool_calls"): ModelPart => ({
  _tag: "Finished",
  usage: { ...noUsage, inputTokens: 1200, outputTokens: 80 },
  reason
})

/** An answer in pieces. */
export const say = (...pieces: ReadonlyArray<string>): Stream.Stream<ModelPart> =>
  Stream.make(...pieces.map((text): ModelPart => ({ _tag: "TextDelta", text })), finished("stop"))

/** An answer of which the rest comes only once an effect has ended. */
export const sayAfter = (first: string, wait: Effect.Effect<unknown>, rest: string): Stream.Stream<ModelPart> =>
  Stream.concat(Stream.make<[ModelPart]>({ _tag: "TextDelta", text: first }), Stream.unwrap(Effect.as(wait, say(rest))))

/** Calls of tools, after some words. */
export const call = (
  calls: ReadonlyArray<readonly [name: string, parameters: object]>,
  words = ""
): Stream.Stream<ModelPart> =>
  Stream.make(
    ...(words === "" ? [] : [{ _tag: "TextDelta", text: words } as const]),
    ...calls.map(([name, parameters], index): ModelPart => ({
      _tag: "FunctionCalled",
      id: `call_${name}_${index}`,
      name,
      arguments: JSON.stringify(parameters)
    })),
    finished("tool_calls")
  )

/** A model that plays by the last prompt, in any session and at any depth. */
export const playing = (play: Play): Layer.Layer<Models> => {
  const model: ModelService = {
    name: "played",
    stream: ({ messages }) => {
      const from = messages.findLastIndex(({ message }) => message.role === "user")
      const prompt = messages[from]?.message.content ?? ""
      const asked = messages.slice(from).filter(({ message }) => message.role === "assistant").length
      const turns = play[prompt] ?? []
      return turns[asked] ?? say(turns.length === 0 ? `no play for ${prompt}` : "done")
    }
  }
  return Models.layerOf({ played: model })
}
