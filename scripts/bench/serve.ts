// @effect-diagnostics processEnv:off asyncFunction:off - measures whole processes and a browser from outside
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import type * as Playwright from "playwright-core"
import { program } from "../../test/support/chromium.ts"
import { home, type Start, start, work } from "./start.ts"

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** A home that goes with the scope. */
const household = Effect.acquireRelease(Effect.sync(home), (folder) =>
  Effect.sync(() => {
    for (const place of [folder, work(folder)]) fs.rmSync(place, { recursive: true })
  })
)

/** A server of the built program, how long it took to listen, and the address that logs a browser in. */
const serving = (
  folder: string
): Effect.Effect<{ readonly login: string; readonly millis: number }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TOLLGATE_HOME: folder, XDG_CACHE_HOME: folder }
    const begin = performance.now()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [path.resolve("dist/tollgate.cjs"), "serve", "--listen", "127.0.0.1:0"], {
          env,
          cwd: work(folder),
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (child) =>
        Effect.async<void>((resume) => {
          child.once("exit", () => resume(Effect.void))
          child.kill()
        })
    )
    const said = (stream: NodeJS.ReadableStream, wanted: RegExp) =>
      Effect.async<number>((resume) => {
        let text = ""
        stream.on("data", (data: Buffer) => {
          text += String(data)
          if (wanted.test(text)) resume(Effect.succeed(performance.now() - begin))
        })
      })
    const [millis] = yield* Effect.all([said(child.stdout, /Listening on/), said(child.stdout, /is kept in .*\n/)], {
      concurrency: "unbounded"
    })
    const servers = path.join(folder, "servers")
    const [file = ""] = fs.readdirSync(servers)
    const { token, url } = JSON.parse(fs.readFileSync(path.join(servers, file), "utf8")) as Record<string, string>
    return { login: `${url}/#token=${token}`, millis }
  })

/** `tollgate serve` until it listens, where it has run before, beside `node -e 0`. */
export const listening = (rounds = 9): Effect.Effect<Start> =>
  Effect.gen(function* () {
    const folder = yield* household
    const once = Effect.map(Effect.scoped(serving(folder)), ({ millis }) => millis)
    yield* once
    const times = yield* Effect.replicateEffect(once, rounds)
    const { node } = yield* start(["--version"], rounds)
    return { millis: median(times), node }
  }).pipe(Effect.scoped)

const painted = async (page: Playwright.Page, address: string): Promise<number> => {
  await page.goto(address)
  // Only what is painted has such an entry; it may come after the load.
  return page.evaluate(
    `new Promise((resolve) => new PerformanceObserver((list) => {
      const found = list.getEntriesByName("first-contentful-paint")[0]
      if (found !== undefined) resolve(found.startTime)
    }).observe({ type: "paint", buffered: true }))`
  )
}

/** Milliseconds from the address to the first paint of the page in a browser that knows nothing of it, and of an empty page. */
export const firstPaint = (rounds = 9): Effect.Effect<{ readonly page: number; readonly empty: number }> =>
  Effect.scoped(
    Effect.gen(function* () {
      // No part of a bundle.
      const { chromium } = createRequire(path.resolve("package.json"))("playwright-core") as typeof Playwright
      const { login } = yield* serving(yield* household)
      const browser = yield* Effect.acquireRelease(
        Effect.promise(() => chromium.launch({ executablePath: program(), args: ["--no-sandbox", "--disable-gpu"] })),
        (browser) => Effect.promise(() => browser.close())
      )
      const once = (address: string) =>
        Effect.promise(async () => {
          const context = await browser.newContext()
          const millis = await painted(await context.newPage(), address)
          await context.close()
          return millis
        })
      const both = Effect.all([once(login), once("data:text/html,<p>word")])
      yield* both
      const times = yield* Effect.replicateEffect(both, rounds)
      return { page: median(times.map(([one]) => one)), empty: median(times.map(([, other]) => other)) }
    })
  )
