import { Effect } from "effect"
import * as FileWriter from "../../../src/policy/path/FileWriter.ts"
import { judge } from "../../../src/policy/path/PathPolicy.ts"

const [prefix = "", size = "0"] = process.argv.slice(2)
const root = `${prefix}/w`

/** Writes one letter after the other, all over the file, until it is killed; a byte on stdout before each. */
const writer = Effect.gen(function* () {
  const context = { cwd: root, roots: [root], home: `${prefix}/home/u`, trusted: false, stateDirs: [] }
  const target = yield* judge("src/x.ts", "write", context)
  for (let round = 0; round < 1000; round++) {
    yield* Effect.sync(() => process.stdout.write("."))
    yield* FileWriter.write(target, new Uint8Array(Number(size)).fill(98 + (round % 20)))
  }
})

Effect.runFork(writer)
