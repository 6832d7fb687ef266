import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import { type Figure, figure } from "./Figure.ts"

/** Other frameworks, by the package whose version is told; they are no dependency, and are installed for the run alone. */
const peers = { "ai-sdk": "ai", langgraph: "@langchain/langgraph", "openai-agents": "@openai/agents" }
const packages = [
  "ai@7.0.173",
  "@langchain/langgraph@1.7.3",
  "@langchain/core@1.4.0",
  "@openai/agents@0.20.0",
  "zod@4.6.7"
]

const stepCounts = [50, 200, 800]

const exec = (program: string, args: ReadonlyArray<string>, cwd: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => promisify(execFile)(program, args, { cwd })),
    ({ stdout }) => stdout
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-peers-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
)

const version = (home: string, name: string): string =>
  (JSON.parse(fs.readFileSync(path.join(home, "node_modules", name, "package.json"), "utf8")) as { version: string })
    .version

/** Our durable step beside the step of each other framework, which stores nothing; taken by turns in the same run. */
export const besidePeers = (ours: (steps: number) => Effect.Effect<number>): Effect.Effect<ReadonlyArray<Figure>> =>
  Effect.gen(function* () {
    const home = yield* folder
    fs.writeFileSync(path.join(home, "package.json"), JSON.stringify({ private: true, type: "module" }))
    fs.copyFileSync("scripts/bench/peers/program.mjs", path.join(home, "program.mjs"))
    yield* exec(
      "npm",
      ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...packages],
      home
    )
    return yield* Effect.forEach(Object.entries(peers), ([peer, name]) =>
      Effect.gen(function* () {
        const own = yield* Effect.forEach(stepCounts, ours)
        const args = ["program.mjs", peer, ...stepCounts.map(String)]
        const theirs = JSON.parse(yield* exec(process.execPath, args, home)) as ReadonlyArray<number>
        return stepCounts.map((steps, index) =>
          figure(
            `peers-${peer}-${steps}`,
            own[index] ?? NaN,
            "µs",
            theirs[index] ?? NaN,
            `${name} ${version(home, name)} in memory`,
            "≤ 0.5 ×"
          )
        )
      })
    ).pipe(Effect.map((figures) => figures.flat()))
  }).pipe(Effect.scoped)
