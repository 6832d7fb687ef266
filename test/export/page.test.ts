// @effect-diagnostics asyncFunction:off newPromise:off - drives a real browser from outside
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { exported } from "../../src/export/Export.ts"
import * as Import from "../../src/import/Import.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Chromium } from "../support/chromium.ts"
import { injections } from "../support/injections.ts"

/** What a page holds that an export has not, whether something ran, and whether the style applies. */
const look = `(async () => {
  for (const one of document.querySelectorAll("details")) one.open = true
  for (const one of document.querySelectorAll("*")) for (const type of ["mouseover", "focus", "toggle"]) one.dispatchEvent(new Event(type))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const all = [...document.querySelectorAll("*")]
  return {
    ran: window.ran === true,
    active: all.filter((one) => /^(script|iframe|object|embed|img|svg|math|link|base|form|input|video|audio|template|noscript)$/i.test(one.localName)).map((one) => one.outerHTML.slice(0, 80)),
    handlers: all.flatMap((one) => one.getAttributeNames().filter((name) => /^on|^style$|^src/.test(name))),
    links: [...document.links].map((one) => one.protocol).filter((protocol) => !/^(https?|mailto):$/.test(protocol)),
    sections: document.querySelectorAll("section[data-role]").length,
    styled: getComputedStyle(document.querySelector("main") ?? document.body).maxWidth
  }
})()`

describe("an exported page in a browser", () => {
  let browser: Chromium
  let folder: string
  let server: http.Server
  let url: string
  const asked: Array<string> = []
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-page-"))
    server = http.createServer((request, response) => {
      asked.push(request.url ?? "")
      response.end("")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = Chromium.start()
  })
  afterAll(async () => {
    await browser.stop()
    server.close()
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const hostile = () => injections(`(window.ran=true,fetch('${url}/ran'))`, url)

  const view = async (name: string, page: string) => {
    const file = path.join(folder, name)
    fs.writeFileSync(file, page)
    asked.length = 0
    const { requests, value } = await browser.open(file, look)
    return {
      value: value as Readonly<Record<string, unknown>>,
      requests: requests.filter((one) => one !== `file://${file}`)
    }
  }

  it("runs and asks for what another page would run and ask for", async () => {
    // A page that leaves for another could not be looked at.
    const staying = hostile().filter((text) => !text.includes("refresh"))
    const { requests, value } = await view("other.html", `<body><main></main>${staying.join("\n")}</body>`)
    assert.isTrue(value["ran"])
    assert.isAbove(requests.length, 3)
    assert.isAbove(asked.length, 3)
  })

  it("runs nothing, asks for nothing, and shows every text as text, wherever it stands (K2, S5)", async () => {
    const messages = hostile().flatMap((text, index) => [
      { role: "user", content: text },
      { role: "system", content: text },
      {
        role: "assistant",
        content: `${text}\n\nand **more**`,
        reasoning: text,
        tool_calls: [{ id: `${index}${text}`, type: "function", function: { name: text, arguments: text } }]
      },
      { role: "tool", tool_call_id: `${index}${text}`, content: text, details: { tool: text } }
    ])
    const events = hostile().map((text, after) => ({
      after,
      event: { _tag: "FileChanged", path: text, diff: { text: `+${text}\n-${text}`, omitted: 0 } }
    }))
    const session = { id: hostile()[0], title: hostile().join(" "), project: hostile()[2], profile: hostile()[8] }
    const document = JSON.stringify({ format: "tollgate-session", version: 1, session, messages, events })
    const page = await Effect.runPromise(
      Effect.gen(function* () {
        const drafted = yield* Import.read("a file", Stream.make(document))
        const { session } = yield* Import.store(drafted, { project: "here", directory: "here" })
        return yield* Effect.flatMap(exported(session, "html"), Stream.mkString)
      }).pipe(Effect.provide(MemorySessionStore.layer))
    )
    const { requests, value } = await view("export.html", page)
    assert.deepStrictEqual(value, {
      ran: false,
      active: [],
      handlers: [],
      links: [],
      sections: messages.length,
      styled: "832px"
    })
    assert.deepStrictEqual([requests, asked], [[], []])
  })
})
