import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { apply, identity, members, stack, type Change, type Middleware } from "../../src/middleware/Middleware.ts"
import { nested, traced } from "./support.ts"

const names = FastCheck.array(FastCheck.string({ minLength: 1, maxLength: 4 }), { maxLength: 8 })

const traceOf = <C extends Change>(build: (trace: (name: string) => Middleware<unknown>) => Middleware<unknown, C>) =>
  Effect.suspend(() => {
    const log: Array<string> = []
    const run = apply(build(traced(log)), (call: string) => Effect.sync(() => `${call}!`))
    return Effect.map(run("hi"), (result) => ({ log, result }))
  })

describe("stack", () => {
  it.effect.prop("runs any stack in the order of its list, the first outermost (T3)", [names], ([list]) =>
    Effect.gen(function* () {
      const { log, result } = yield* traceOf((trace) => stack(...list.map(trace)))
      assert.deepStrictEqual(log, nested(list))
      assert.strictEqual(result, "hi!")
    })
  )

  it.effect.prop("is not changed by identity on either side (T3, M4)", [names], ([list]) =>
    Effect.gen(function* () {
      const own = yield* traceOf((trace) => stack(...list.map(trace)))
      const left = yield* traceOf((trace) => stack(identity, ...list.map(trace)))
      const right = yield* traceOf((trace) => stack(...list.map(trace), identity))
      assert.deepStrictEqual(left, own)
      assert.deepStrictEqual(right, own)
    })
  )

  it.effect.prop("is associative (T3)", [names, names, names], ([a, b, c]) =>
    Effect.gen(function* () {
      const left = yield* traceOf((trace) =>
        stack(stack(stack(...a.map(trace)), stack(...b.map(trace))), stack(...c.map(trace)))
      )
      const right = yield* traceOf((trace) =>
        stack(stack(...a.map(trace)), stack(stack(...b.map(trace)), stack(...c.map(trace))))
      )
      assert.deepStrictEqual(left, right)
      assert.deepStrictEqual(left.log, nested([...a, ...b, ...c]))
    })
  )

  it.effect("is flat, so that a chain is composed once, and runs alone as it does applied (T3)", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const trace = traced(log)
      const all = stack(trace("a"), stack(trace("b"), stack(trace("c"))))
      assert.strictEqual(members(all).length, 3)
      assert.strictEqual(yield* all("hi", (call) => Effect.succeed(call)), "hi")
      assert.deepStrictEqual(log, nested(["a", "b", "c"]))
    })
  )

  it.effect("of nothing is the handler itself (M4)", () =>
    Effect.sync(() => {
      const handler = (call: string) => Effect.succeed(call)
      assert.strictEqual(apply(identity, handler), handler)
    })
  )
})
