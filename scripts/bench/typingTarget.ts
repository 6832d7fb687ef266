import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Frontend from "../../src/cli/Frontend.ts"
import { Screen } from "../../src/cli/terminal/Screen.ts"
import { Ui } from "../../src/ui/Ui.ts"

const deltas = Number(process.argv.at(-1))

/** Times a second at which deltas come, as many as are due. */
const rate = 200

const main = Effect.gen(function* () {
  const ui = yield* Ui
  const screen = yield* Screen
  let count = 0
  const stream = Effect.suspend(() =>
    Effect.forEach(
      Array.from({ length: deltas / rate }),
      () => ui.display({ _tag: "Text", text: ++count % 12 === 0 ? `word${count}\n` : `word${count} ` }),
      { discard: true }
    )
  )
  if (deltas > 0) yield* Effect.forkScoped(Effect.repeat(stream, Schedule.fixed(1000 / rate)))
  const [from, begun] = [process.cpuUsage(), performance.now()]
  yield* ui.input("› ")
  const { system, user } = process.cpuUsage(from)
  const cores = (system + user) / 1000 / (performance.now() - begun)
  yield* ui.stop
  yield* screen.progress(`cores ${cores.toFixed(3)} of ${count} deltas\n`)
}).pipe(Effect.scoped, Effect.provide(Frontend.layer({ split: false, keys: true })))

void Effect.runPromise(main).then(() => process.exit(0))
