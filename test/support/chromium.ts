// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives a real browser from outside
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Readable, Writable } from "node:stream"

const names = ["chromium", "chromium-browser", "google-chrome"]

/** The browser of this machine; that there is none is a failure and no reason to skip. */
export const program = (): string => {
  const folders = (process.env["PATH"] ?? "").split(":")
  const found = folders
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
    .find((file) => fs.existsSync(file))
  if (found === undefined) {
    throw new Error("Chromium is missing, in which exported pages are tested. Install it: apt-get install chromium")
  }
  return found
}

type Params = Readonly<Record<string, unknown>>
interface Told {
  readonly id?: number
  readonly method?: string
  readonly params?: Params
  readonly result?: Params
  readonly error?: unknown
  readonly sessionId?: string
}

/** A headless browser, driven by its debugging protocol over a pipe. */
export class Chromium {
  private readonly waiting = new Map<number, (told: Told) => void>()
  private readonly listening = new Set<(told: Told) => void>()
  private next = 0
  private rest = ""
  private readonly child: ChildProcess
  private readonly home: string

  private constructor(child: ChildProcess, home: string) {
    this.child = child
    this.home = home
    const output = child.stdio[4] as Readable
    output.setEncoding("utf8").on("data", (text: string) => {
      const parts = (this.rest + text).split("\0")
      this.rest = parts.pop() ?? ""
      for (const part of parts) this.hear(JSON.parse(part) as Told)
    })
  }

  static start(): Chromium {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-chromium-"))
    const flags = [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--no-first-run",
      `--user-data-dir=${home}`,
      "--remote-debugging-pipe"
    ]
    const env = { PATH: process.env["PATH"], HOME: home }
    const child = spawn(program(), flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env })
    return new Chromium(child, home)
  }

  /** Loads a file, and evaluates an expression in it once it has loaded. */
  async open(
    file: string,
    expression: string
  ): Promise<{ readonly value: unknown; readonly requests: ReadonlyArray<string> }> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" })
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true })
    const session = String(sessionId)
    const requests: Array<string> = []
    const loaded = new Promise<void>((resolve) => {
      this.listening.add(({ method, params, sessionId }) => {
        if (sessionId !== session) return
        if (method === "Network.requestWillBeSent")
          requests.push(String((params?.["request"] as Params | undefined)?.["url"]))
        if (method === "Page.loadEventFired") resolve()
      })
    })
    await this.send("Network.enable", {}, session)
    await this.send("Page.enable", {}, session)
    await this.send("Page.navigate", { url: `file://${file}` }, session)
    await loaded
    const answer = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true }, session)
    await this.send("Target.closeTarget", { targetId })
    return { value: (answer["result"] as Params)["value"], requests }
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once("exit", resolve))
    // Killed, it would leave others of its processes behind, which go on to write for a while.
    void this.send("Browser.close", {}).catch(() => {})
    await gone
    fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 20 })
  }

  private hear(told: Told): void {
    if (told.id === undefined) return this.listening.forEach((listen) => listen(told))
    this.waiting.get(told.id)?.(told)
    this.waiting.delete(told.id)
  }

  private send(method: string, params: Params, sessionId?: string): Promise<Params> {
    const id = ++this.next
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ error, result = {} }) =>
        error === undefined ? resolve(result) : reject(new Error(`${method}: ${JSON.stringify(error)}`))
      )
      const input = this.child.stdio[3] as Writable
      input.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
    })
  }
}
