// @effect-diagnostics processEnv:off - measures whole processes from outside
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Median wall milliseconds of whole processes, the two in turn so that a drift of the machine hits both. */
const inTurn = (
  one: () => void,
  other: () => void,
  rounds: number
): { readonly one: number; readonly other: number } => {
  const time = (run: () => void): number => {
    const start = performance.now()
    run()
    return performance.now() - start
  }
  one()
  other()
  const ones: Array<number> = []
  const others: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    ones.push(time(one))
    others.push(time(other))
  }
  return { one: median(ones), other: median(others) }
}

/** A directory beside what is the user's own: compiled code below a workspace is not used. */
export const work = (folder: string): string => {
  const place = path.join(path.dirname(folder), `${path.basename(folder)}-work`)
  fs.mkdirSync(place, { recursive: true })
  return place
}

/** A home with a scripted profile, so that a run needs no network. */
export const home = (): string => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-bench-"))
  const script = path.join(folder, "script.json")
  fs.writeFileSync(script, JSON.stringify({ turns: [{ repeat: true, steps: [{ say: "Hello." }] }] }))
  const profiles = { bench: { provider: "scripted", script } }
  fs.writeFileSync(path.join(folder, "config.json"), JSON.stringify({ profile: "bench", profiles }))
  return folder
}

export interface Start {
  readonly millis: number
  readonly node: number
}

/** The command line from its start to its end, beside `node -e 0`; `below` is the directory in its home where compiled code is kept. */
export const start = (
  args: ReadonlyArray<string>,
  rounds = 15,
  input: (directory: string) => string = () => "",
  below = ""
): Effect.Effect<Start> =>
  Effect.sync(() => {
    const folder = home()
    const cache = path.join(folder, below)
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TOLLGATE_HOME: folder, XDG_CACHE_HOME: cache }
    const run = (argv: ReadonlyArray<string>) => {
      const { status, stderr } = spawnSync(process.execPath, argv, {
        env,
        cwd: work(folder),
        input: input(work(folder))
      })
      if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}: ${String(stderr)}`)
    }
    const program = path.resolve("dist/tollgate.cjs")
    const { one, other } = inTurn(
      () => run([program, ...args]),
      () => run(["-e", "0"]),
      rounds
    )
    for (const place of [folder, work(folder)]) fs.rmSync(place, { recursive: true })
    return { millis: one, node: other }
  })

/** Milliseconds that a program waits for the library that it imports, beside one that imports `effect`; medians. */
export const importing = (rounds = 15): Effect.Effect<{ readonly library: number; readonly effect: number }> =>
  Effect.sync(() => {
    const env = { PATH: process.env["PATH"] ?? "" }
    const imported = (name: string): number => {
      const text = `const begun = performance.now(); import("${name}").then(() => process.stdout.write(String(performance.now() - begun)))`
      const { status, stderr, stdout } = spawnSync(process.execPath, ["-e", text], { env, encoding: "utf8" })
      if (status !== 0) throw new Error(`${name} could not be imported: ${stderr}`)
      return Number(stdout)
    }
    const times = Array.from({ length: rounds + 1 }, () => ({
      library: imported("tollgate"),
      effect: imported("effect")
    }))
    const warm = times.slice(1)
    return { library: median(warm.map(({ library }) => library)), effect: median(warm.map(({ effect }) => effect)) }
  })
