// @effect-diagnostics processEnv:off - measures whole processes from outside
import type * as Pty from "@lydell/node-pty"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { home, type Start, start, work } from "./start.ts"

/** Its addon cannot be part of a bundle. */
const pty = createRequire(path.resolve("package.json"))("@lydell/node-pty") as typeof Pty

/** Milliseconds from the start of `tollgate` in a terminal until its prompt is there, and until a key shows that is typed then; medians. */
export const firstPrompt = (rounds = 15): Effect.Effect<{ readonly prompt: Start; readonly echo: Start }> =>
  Effect.gen(function* () {
    const folder = home()
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TOLLGATE_HOME: folder, XDG_CACHE_HOME: folder }
    const once = Effect.async<{ readonly shown: number; readonly echoed: number }>((resume) => {
      const begun = performance.now()
      let shown = NaN
      let echoed = NaN
      let said = ""
      const child = pty.spawn(process.execPath, [path.resolve("dist/tollgate.cjs")], { env, cwd: work(folder) })
      child.onData((data) => {
        said += data
        if (Number.isNaN(shown) && said.includes("› ")) {
          shown = performance.now() - begun
          child.write("x")
        }
        if (!Number.isNaN(echoed) || !said.includes("› x")) return
        echoed = performance.now() - begun
        child.write("\u0015\u0004")
      })
      child.onExit(() =>
        resume(Number.isNaN(echoed) ? Effect.die(`no prompt, but: ${said}`) : Effect.succeed({ shown, echoed }))
      )
    })
    yield* Effect.replicateEffect(once, 2)
    const times = yield* Effect.replicateEffect(once, rounds)
    const { node } = yield* start(["--version"], rounds)
    for (const place of [folder, work(folder)]) fs.rmSync(place, { recursive: true })
    const median = (of: "shown" | "echoed"): Start => ({
      millis: times.map((time) => time[of]).toSorted((a, b) => a - b)[rounds >> 1] ?? 0,
      node
    })
    return { prompt: median("shown"), echo: median("echoed") }
  })
