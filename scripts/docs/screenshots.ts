// @effect-diagnostics asyncFunction:off - drives a real browser
/** Takes the pictures of docs/browser.md: `npm run screenshots`. */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { call, open, playing, say, start } from "../../test/browser/Page.ts"
import { served } from "../../test/server/served.ts"

/** Bytes of a picture. */
const most = 150 * 1024
const wide = { width: 1120, height: 680 }
const phone = { width: 390, height: 760 }

const before = `import { createServer } from "node:http"

const port = 3000

createServer((_, response) => response.end("hello")).listen(port)
`
const after = before
  .replace("const port = 3000", "const port = Number(process.env.PORT ?? 8080)")
  .replace('"hello"', '"hello from " + port')

const migrate = `psql payments -c "ALTER TABLE orders ADD COLUMN currency text"`

const models = playing({
  "Read the port from the environment": [
    call(
      [["write_file", { path: "src/server.ts", content: after }]],
      "The port is fixed in `src/server.ts`. I read it from **PORT** instead:\n\n| variable | default |\n| - | - |\n| `PORT` | 8080 |"
    ),
    say("Done: `PORT=9000 node src/server.ts` listens on 9000.")
  ],
  "Note what the service does": [
    call([["write_file", { path: "docs/notes.md", content: "# Notes\n\nIt says hello.\n" }]]),
    say("Noted.")
  ],
  "Add a currency to orders": [
    call([["delegate", { task: "Find where orders are stored", name: "analyse" }]], "I split the work."),
    say("Orders have a currency.")
  ],
  "Find where orders are stored": [call([["delegate", { task: "Change the schema", name: "schema" }]]), say("ok")],
  "Change the schema": [call([["run_shell", { command: migrate }]]), say("ok")]
})

const folder = path.resolve("docs")

const take = async (page: Page, name: string): Promise<void> => {
  const file = path.join(folder, `${name}.png`)
  await page.screenshot({ path: file, animations: "disabled", caret: "hide" })
  const { size } = fs.statSync(file)
  if (size > most) throw new Error(`${file} has ${size} bytes; the most are ${most}`)
}

const program = Effect.gen(function* () {
  const machine = yield* Effect.acquireRelease(Effect.promise(start), ({ stop }) => Effect.promise(stop))
  // Its name is in the pictures.
  const base = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const base = path.join(os.tmpdir(), "shop")
      fs.mkdirSync(base)
      return base
    }),
    (base) => Effect.sync(() => fs.rmSync(base, { recursive: true, force: true }))
  )
  fs.mkdirSync(path.join(base, "state"))
  fs.mkdirSync(path.join(base, "work/src"), { recursive: true })
  fs.writeFileSync(path.join(base, "work/src/server.ts"), before)
  const budgets = { day: 5, month: 60, session: 2, unknownPrice: { input: 60, output: 60 } }
  fs.writeFileSync(path.join(base, "state/config.json"), JSON.stringify({ budgets }))
  const server = yield* served({ models, page: machine.page, base, limits: { requestsPerSecond: 100_000 } })
  const opened = (colorScheme: "light" | "dark", viewport: { readonly width: number; readonly height: number }) =>
    Effect.map(open(machine, server, { colorScheme, viewport }), ({ page }) => page)
  const begin = (id: string, prompt: string) =>
    Effect.zipRight(
      server.ask("/v1/sessions", { body: { id } }),
      server.ask(`/v1/sessions/${id}/commands`, { body: { _tag: "SubmitPrompt", task: "t1", prompt } })
    )
  const waiting = (count: number) =>
    Effect.map(
      Effect.repeat(server.ask("/v1/approvals"), { until: ({ json }) => json.approvals.length === count }),
      ({ json }) =>
        json.approvals as ReadonlyArray<{ readonly request: { readonly id: string; readonly digest: string } }>
    )
  const light = yield* opened("light", wide)
  const dark = yield* opened("dark", wide)

  yield* begin("notes", "Note what the service does")
  const [noted] = yield* waiting(1)
  yield* server.ask(`/v1/approvals/${noted?.request.id}`, {
    body: { digest: noted?.request.digest, decision: "approve" }
  })
  yield* waiting(0)
  yield* begin("port", "Read the port from the environment")
  const [asked] = yield* waiting(1)
  yield* begin("currency", "Add a currency to orders")
  yield* waiting(2)
  yield* Effect.promise(async () => {
    await light.locator(".session-line", { hasText: "Add a currency" }).click()
    await light.locator(".call-head", { hasText: "delegate" }).waitFor()
    await light.locator(".queued", { hasText: "run_shell" }).click()
    await light.locator(".request[data-standing=true]", { hasText: "ALTER TABLE" }).waitFor()
    await take(light, "browser")
  })
  const small = yield* opened("light", phone)
  yield* Effect.promise(async () => {
    await small.getByRole("link", { name: /wait for you/ }).click()
    await small.locator(".request[data-standing=true]").waitFor()
    await small.locator(".diff .c-keyword").first().waitFor()
    await take(small, "browser-phone")
  })
  yield* server.ask(`/v1/approvals/${asked?.request.id}`, {
    body: { digest: asked?.request.digest, decision: "approve" }
  })
  const [last] = yield* waiting(1)
  yield* server.ask(`/v1/approvals/${last?.request.id}`, {
    body: { digest: last?.request.digest, decision: "deny", reason: "not on this database" }
  })
  yield* waiting(0)
  yield* Effect.promise(async () => {
    await dark.locator(".session-line", { hasText: "Read the port" }).click()
    await dark.locator(".ending").waitFor()
    await dark.locator(".call-head").click()
    await dark.locator(".diff .c-keyword").first().waitFor()
    await take(dark, "browser-conversation")

    await light.getByRole("link", { name: "Rules" }).click()
    const form = light.getByRole("form", { name: "A new rule" })
    await form.getByLabel("Decision").selectOption("allow")
    await form.getByLabel("Tool").fill("write_file")
    await form.getByLabel("Fits").selectOption("paths that match")
    await form.getByRole("textbox", { name: "paths that match" }).fill("docs/**")
    await form.getByRole("button", { name: "Try it over past calls" }).click()
    await light.getByText("would go another way").waitFor()
    await take(light, "browser-rules")

    await dark.getByRole("link", { name: "Timeline" }).click()
    await dark.locator(".event", { hasText: "ApprovalRequested" }).click()
    await dark.getByText(/^Event \d+: ApprovalRequested/).waitFor()
    await take(dark, "browser-timeline")
  })
})

Effect.runPromise(Effect.scoped(program)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  }
)
