// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - an emulator writes later; the switch of a test run
/**
 * What a person sees of each block, prompt and mode, at 40, 80 and 120 columns, in one file for each scene under
 * test/fixtures/screens/scenes. To write them anew: UPDATE_SCREENS=1 npx vitest run test/cli/terminal/goldens.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import type * as Headless from "@xterm/headless"
import { Context, Effect, Layer, TestClock } from "effect"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { Composer } from "../../../src/cli/terminal/Composer.ts"
import { Form } from "../../../src/cli/terminal/Form.ts"
import { Interruptions } from "../../../src/cli/terminal/Interruptions.ts"
import { Keyboard } from "../../../src/cli/terminal/Keyboard.ts"
import { Region } from "../../../src/cli/terminal/Region.ts"
import { Screen } from "../../../src/cli/terminal/Screen.ts"
import { coloured, plain, type Style } from "../../../src/cli/terminal/Style.ts"
import * as TerminalUi from "../../../src/cli/terminal/TerminalUi.ts"
import { Ui } from "../../../src/ui/Ui.ts"
import { fakeScreen } from "./fakeScreen.ts"
import { type Scene, scenes } from "./scenes.ts"

const { Terminal } = createRequire(path.resolve("package.json"))("@xterm/headless") as typeof Headless

const widths = [40, 80, 120] as const
const isUpdate = process.env["UPDATE_SCREENS"] !== undefined
const height = 40

interface Drawn {
  readonly printed: string
  /** The rows at the bottom on a screen of that width, which has changed meanwhile. */
  readonly bottom: (width: number) => string
}

/** What a scene writes on a screen of a width. */
const drawn = (scene: Scene, width: number, style: Style) =>
  Effect.gen(function* () {
    const { printed, resize, rows, screen } = fakeScreen({ style, width, height })
    const layer = Layer.merge(TerminalUi.layer, Form.layer).pipe(
      Layer.provide(Composer.layer),
      Layer.provide(Region.layer),
      Layer.provide([Layer.succeed(Screen, screen), Keyboard.layerNone, Interruptions.layer])
    )
    const context = yield* Layer.build(layer)
    const ui = Context.get(context, Ui)
    for (const display of scene.displays ?? []) yield* ui.display(display)
    const [first] = scene.displays ?? []
    if (scene.diff !== undefined && first?._tag === "CallBegan") {
      yield* ui.diff({ call: first.call, text: scene.diff, omitted: 0 })
      yield* ui.display({
        _tag: "CallEnded",
        call: first.call,
        outcome: "done",
        text: "",
        durationMillis: 1234,
        endedAt: 0
      })
    }
    if (scene.ask !== undefined) yield* Effect.forkScoped(scene.ask(ui, Context.get(context, Form)))
    yield* TestClock.adjust("400 millis")
    return {
      printed: printed(),
      bottom: (now) => {
        resize(now)
        return (scene.rows === undefined ? rows() : scene.rows(now, style)).join("\n")
      }
    } satisfies Drawn
  })

/** The rows that a terminal of that width shows of a text. */
const shown = (text: string, columns: number): Promise<string> =>
  new Promise((resolve) => {
    const terminal = new Terminal({ cols: columns, rows: height, scrollback: 500, allowProposedApi: true })
    terminal.write(text.replaceAll("\n", "\r\n"), () => {
      const { active } = terminal.buffer
      const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "")
      resolve(
        rows
          .map((row) => row.trimEnd())
          .join("\n")
          .trimEnd()
      )
    })
  })

/** Colours and kinds of letters, as a terminal is told of them. */
const sgr = new RegExp(`${"\u001b"}\\[([\\d;]*)m`, "g")
/** Colours that a theme may set as it likes, light or dark; no other colour and no background but that of an alarm. */
const themed = /^(?:0|1|2|3|4|7|22|23|24|27|3[1-6]|39|41|49|90|97|9[1-6])$/

describe("what is seen of a scene", () => {
  it.scoped.each(scenes)("$name is the golden one at 40, 80 and 120 columns, with colours and without (U12)", (scene) =>
    Effect.gen(function* () {
      const parts: Array<string> = []
      for (const width of widths) {
        const painted = yield* drawn(scene, width, coloured)
        const bare = yield* drawn(scene, width, plain)
        const text = `${painted.printed}${painted.bottom(width)}`
        const seen = yield* Effect.promise(() => shown(text, width))
        assert.notInclude(`${bare.printed}${bare.bottom(width)}`, "\u001b")
        for (const [, codes = ""] of text.matchAll(sgr)) {
          for (const code of codes.split(";")) assert.match(code === "" ? "0" : code, themed)
        }
        parts.push(`${"─".repeat(3)} ${width} columns\n${seen}\n`)
      }
      const file = path.resolve(`test/fixtures/screens/scenes/${scene.name}.txt`)
      const whole = parts.join("\n")
      if (isUpdate) fs.writeFileSync(file, whole)
      assert.strictEqual(whole, fs.readFileSync(file, "utf8"))
    })
  )

  it.scoped.each(scenes)("$name looks after a change of width as if drawn anew (U12)", (scene) =>
    Effect.gen(function* () {
      const resized = yield* drawn(scene, 120, plain)
      for (const width of [61, 40, 120]) {
        const fresh = yield* drawn(scene, width, plain)
        assert.strictEqual(resized.bottom(width), fresh.bottom(width), `${width} columns`)
      }
    })
  )
})
