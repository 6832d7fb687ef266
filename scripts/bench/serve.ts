// @effect-diagnostics processEnv:off asyncFunction:off globalTimers:off - measures whole processes and a browser from outside
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as net from "node:net"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import type * as Playwright from "playwright-core"
import { program } from "../../test/support/chromium.ts"
import { home, start, work } from "./start.ts"

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** A home that goes with the scope. */
const household = Effect.acquireRelease(Effect.sync(home), (folder) =>
  Effect.sync(() => {
    for (const place of [folder, work(folder)]) fs.rmSync(place, { recursive: true })
  })
)

/** A port that nobody has. */
const freePort = Effect.async<number>((resume) => {
  const server = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as net.AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Asks for the page as soon as there is somebody to ask; tells when a connection stood, and when the answer came. */
const asked = (port: number) =>
  Effect.async<{ readonly connected: number; readonly answered: number }>((resume) => {
    const attempt = () => {
      let connected = 0
      const socket = net.connect(port, "127.0.0.1", () => {
        connected = performance.now()
        socket.write("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
      })
      socket.once("data", () => {
        resume(Effect.succeed({ connected, answered: performance.now() }))
        socket.destroy()
      })
      socket.once("error", () => setTimeout(attempt, 1))
    }
    attempt()
  })

interface Serving {
  /** The address that logs a browser in. */
  readonly login: string
  /** Milliseconds until a connection stood. */
  readonly listens: number
  /** Milliseconds until the page was answered. */
  readonly answers: number
}

/** A server of the built program. */
const serving = (folder: string): Effect.Effect<Serving, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* freePort
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TOLLGATE_HOME: folder, XDG_CACHE_HOME: folder }
    const begin = performance.now()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [path.resolve("dist/tollgate.cjs"), "serve", "--listen", `127.0.0.1:${port}`], {
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
    const told = Effect.async<void>((resume) => {
      let text = ""
      child.stdout.on("data", (data: Buffer) => {
        text += String(data)
        if (/is kept in .*\n/.test(text)) resume(Effect.void)
      })
    })
    const [{ answered, connected }] = yield* Effect.all([asked(port), told], { concurrency: "unbounded" })
    const servers = path.join(folder, "servers")
    const { token, url } = JSON.parse(fs.readFileSync(path.join(servers, `${port}.json`), "utf8")) as Record<
      string,
      string
    >
    return { login: `${url}/#token=${token}`, listens: connected - begin, answers: answered - begin }
  })

/** `tollgate serve`, where it has run before, until it listens and until it answers, beside `node -e 0`. */
export const listening = (
  rounds = 9
): Effect.Effect<{ readonly listens: number; readonly answers: number; readonly node: number }> =>
  Effect.gen(function* () {
    const folder = yield* household
    const once = Effect.scoped(serving(folder))
    yield* once
    const times = yield* Effect.replicateEffect(once, rounds)
    const { node } = yield* start(["--version"], rounds)
    return {
      listens: median(times.map(({ listens }) => listens)),
      answers: median(times.map(({ answers }) => answers)),
      node
    }
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
