import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Memory } from "../../src/memory/Memory.ts"
import * as ProjectMemory from "../../src/memory/ProjectMemory.ts"

describe("what fits a prompt", () => {
  it.effect("is looked for by the beginning of it, however much was pasted (K3)", () =>
    Effect.gen(function* () {
      const queries: Array<string> = []
      const spy = Layer.mock(Memory, {
        retrieve: ({ query }) => Effect.sync(() => void queries.push(query)).pipe(Effect.as([]))
      })
      const { recall } = yield* Effect.map(Effect.provide(Memory, spy), (memory) => ProjectMemory.make(memory))
      yield* recall("s", `Deploy the staging server. ${"pasted ".repeat(1_000_000)}`)
      assert.match(queries[0]!, /^Deploy staging server pasted/)
      assert.isBelow(queries[0]!.length, 20_001)
    })
  )
})
