// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Options, probe, type Probe } from "../../support/terminal.ts"
import { place, type Place, scripted } from "../command.ts"

const shown = "\u001b[?2004h› "

describe("the prompt at once", () => {
  let at: Place
  let opened: Array<Probe>
  beforeEach(() => {
    at = place()
    opened = []
  })
  afterEach(() => {
    for (const terminal of opened) terminal.kill()
    at.remove()
  })
  const open = async (options?: Options) => {
    const terminal = await probe(at, [], options)
    opened.push(terminal)
    return terminal
  }
  const configFile = () => path.join(at.env["TOLLGATE_HOME"]!, "config.json")

  it("stands before the program has loaded, which gets each key that was typed meanwhile (T20, U12)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "three" }] }])
    const terminal = await open()
    await terminal.seen("›")
    assert.isTrue(terminal.raw().startsWith(shown))
    assert.notInclude(terminal.raw(), "tollgate ·")
    terminal.press("one \u001b[200~two\rthree\u001b[201~\r")
    const screen = await terminal.idle(/^three$/m)
    assert.match(screen, /^tollgate · .*\n.*\n+› one two\n {2}three\n+three\n/)
    assert.strictEqual(screen.split("›").length, 3, screen)
    terminal.press("\u0004")
    assert.strictEqual(await terminal.ended, 0)
  })

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGQUIT", 131]
  ] as const)(
    "leaves the terminal as it was where %s comes while the program loads (T20, U8)",
    async (signal, code) => {
      scripted(at, [])
      const terminal = await open()
      await terminal.seen("›")
      process.kill(terminal.started(), signal)
      assert.strictEqual(await terminal.ended, code)
      assert.isFalse(terminal.isRaw())
      assert.isTrue(terminal.raw().lastIndexOf("\u001b[?2004l") > terminal.raw().lastIndexOf("\u001b[?2004h"))
    }
  )

  it("leaves nothing behind where the program cannot begin (T20, U1)", async () => {
    scripted(at, [], { profile: "nobody" })
    const terminal = await open()
    assert.strictEqual(await terminal.ended, 4)
    assert.isTrue(terminal.raw().startsWith(shown))
    assert.match(terminal.screen(), /^tollgate: .*nobody/)
    assert.notInclude(terminal.screen(), "›")
    assert.isTrue(terminal.raw().lastIndexOf("\u001b[?2004l") > terminal.raw().lastIndexOf("\u001b[?2004h"))
  })

  it.each([
    ["the terminal only takes lines", { env: { TERM: "dumb" } }, {}],
    ["a screen reader is told of", { env: { TOLLGATE_SCREEN_READER: "true" } }, {}],
    ["a screen reader is configured", {}, { screenReader: true }],
    ["there is no profile", {}, { profiles: {} }],
    ["the profiles are no object", {}, { profiles: 7 }],
    ["it runs in the background", { background: true }, {}]
  ] satisfies ReadonlyArray<readonly [string, Options, object]>)(
    "does not stand where %s (T20, U12)",
    async (_, options, config) => {
      scripted(at, [], config)
      const terminal = await open(options)
      await terminal.settles((screen) => assert.notStrictEqual(screen, ""))
      assert.isFalse(terminal.raw().startsWith(shown))
      assert.notInclude(terminal.raw().slice(0, 4), "›")
    }
  )

  it("does not stand where the configuration cannot be read (T20, U1)", async () => {
    scripted(at, [])
    fs.writeFileSync(configFile(), "{")
    const terminal = await open()
    assert.strictEqual(await terminal.ended, 4)
    assert.notInclude(terminal.raw(), "›")
  })
})
