// @effect-diagnostics globalTimers:off - measures a whole process from outside
import type * as Pty from "@lydell/node-pty"
import * as Effect from "effect/Effect"
import { createRequire } from "node:module"
import * as path from "node:path"
import { performance } from "node:perf_hooks"

/** Its addon cannot be part of a bundle. */
const pty = createRequire(path.resolve("package.json"))("@lydell/node-pty") as typeof Pty

/** Keys that are pressed, and the milliseconds between two of them. */
const keys = "abcdefghijklmnopqrstuvwxyz"
const between = 75

export interface Typing {
  /** Milliseconds from a key to its echo; the median. */
  readonly echo: number
  /** Share of one core that the process took meanwhile. */
  readonly cores: number
}

/** Types at a prompt while so many deltas a second are shown above it. */
export const typing = (deltas: number): Effect.Effect<Typing> =>
  Effect.async<Typing>((resume) => {
    const times: Array<number> = []
    let said = ""
    let typed = ""
    let pressedAt = 0
    const target = ["scripts/run.mjs", "scripts/bench/typingTarget.ts", String(deltas)]
    const child = pty.spawn(process.execPath, target, { cols: 100, rows: 40 })
    const press = () => {
      const letter = keys[typed.length]
      if (letter === undefined) return child.write("\r")
      typed += letter
      pressedAt = performance.now()
      child.write(letter)
    }
    /** What the next output is looked through for. */
    let awaited = "› "
    child.onData((data) => {
      said = (said + data).slice(-64 * 1024)
      if (awaited !== `› ${typed}` || !said.includes(awaited)) return
      if (typed !== "") times.push(performance.now() - pressedAt)
      awaited = `› ${typed}${keys[typed.length] ?? "\n"}`
      setTimeout(press, between)
    })
    child.onExit(() => {
      const cores = Number(/cores (\d+\.\d+)/.exec(said)?.[1] ?? NaN)
      const echo = times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN
      resume(
        Number.isNaN(cores + echo) ? Effect.die(`no echo, but: ${said.slice(-500)}`) : Effect.succeed({ echo, cores })
      )
    })
  })
