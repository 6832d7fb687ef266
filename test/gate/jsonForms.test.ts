import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { approve } from "../../src/gate/approve.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { stack, type Middleware } from "../../src/middleware/Middleware.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { type ToolCall, undecoded } from "../../src/tool/ToolCall.ts"
import { request } from "../tool/support.ts"

/** It looks at what runs, which is never -0. */
const approval = ({ x }: { readonly x: unknown }) => !Object.is(x, -0)

const tools = (ran: Array<unknown>) => [
  Tool.make("plain", {
    description: "Runs.",
    parameters: Schema.Struct({ x: Schema.Unknown, more: Schema.optional(Schema.Unknown) }),
    success: Schema.Void,
    approval,
    handler: (params) => Effect.sync(() => void ran.push(params))
  }),
  DynamicTool.make("dynamic", {
    description: "Runs.",
    jsonSchema: { type: "object" },
    handler: (params) => Effect.sync(() => void ran.push(params))
  })
]

/** What ran and what was asked for one call of each tool. */
const called = (
  params: { readonly arguments: string } | { readonly rawParams: unknown },
  around: Middleware<ToolCall>
) => {
  const [asked, ran]: [Array<unknown>, Array<unknown>] = [[], []]
  return Effect.gen(function* () {
    const toolset = yield* Toolset.make(tools(ran), { middleware: around })
    const ends: Array<string> = []
    for (const name of ["plain", "dynamic"]) {
      const { rawParams: _, ...place } = request(name, {}) as { readonly rawParams: unknown } & ReturnType<
        typeof request
      >
      const end = yield* Effect.either(toolset.call({ ...place, ...params } as ReturnType<typeof request>))
      ends.push(end._tag === "Right" ? "ran" : end.left._tag)
    }
    return { asked, ends, ran }
  }).pipe(
    Effect.provide(
      Approvals.layerDecide((request) => {
        asked.push(request.arguments)
        return { decision: "approve" }
      })
    )
  )
}

const twice = (value: unknown) => [value, value]
const plain: Middleware<ToolCall> = (call, next) => next(call)
const copies: Middleware<ToolCall> = (call, next) => next({ ...call })
const around: Readonly<Record<string, Middleware<ToolCall>>> = {
  nothing: plain,
  "one that repeats": (call, next) => Effect.zipRight(Effect.ignore(next(call)), next(call)),
  "one that copies": stack(copies, approve) as unknown as Middleware<ToolCall>
}

describe("parameters that JSON says otherwise than they are", () => {
  const same: ReadonlyArray<readonly [what: string, params: Parameters<typeof called>[0], seen: unknown]> = [
    ["-0", { arguments: '{"x":-0}' }, { x: 0 }],
    ["-0 in a list", { arguments: '{"x":[{"y":-0.0}]}' }, { x: [{ y: 0 }] }],
    ["-0 as data", { rawParams: { x: -0 } }, { x: 0 }],
    ["a field without a value", { rawParams: { x: 1, more: undefined } }, { x: 1 }],
    [
      "an object without a prototype",
      { rawParams: { x: Object.assign(Object.create(null), { y: 1 }) } },
      { x: { y: 1 } }
    ],
    ["a name that comes twice", { arguments: '{"x":1,"x":2}' }, { x: 2 }],
    ["a number that is rounded", { arguments: '{"x":9007199254740993}' }, { x: 9007199254740992 }],
    ["a number that is nearly nothing", { arguments: '{"x":-1e-400}' }, { x: 0 }]
  ]

  it.effect.each(
    same.flatMap(([what, params, seen]) =>
      Object.entries(around).map(([who, step]) => [what, who, params, seen, step] as const)
    )
  )("are asked about and run as JSON says them: %s, around it %s (T9, A5)", ([, who, params, seen, step]) =>
    Effect.gen(function* () {
      const { asked, ends, ran } = yield* called(params, step)
      assert.deepStrictEqual({ asked, ran }, { asked: twice(seen), ran: twice(seen) })
      assert.deepStrictEqual(ends, twice(who === "one that repeats" ? "AlreadyRan" : "ran"))
    })
  )

  it.effect.each([
    ["a number that is too large", { arguments: '{"x":1e400}' }],
    ["no number", { rawParams: { x: Number.NaN } }]
  ] as const)("are refused as invalid, and as nothing else, where JSON cannot say them: %s (T9)", ([, params]) =>
    Effect.gen(function* () {
      const { ends, ran } = yield* called(params, plain)
      assert.deepStrictEqual({ ends, ran }, { ends: twice("ParametersInvalid"), ran: [] })
    })
  )

  it.effect("are shown and run with a field that is called __proto__ (T9, A5)", () =>
    Effect.gen(function* () {
      const { asked, ran } = yield* called({ arguments: '{"x":{"__proto__":{"y":1}}}' }, plain)
      const seen = [...asked, ...ran].map((value) => JSON.stringify(value))
      assert.deepStrictEqual(seen, Array(4).fill('{"x":{"__proto__":{"y":1}}}'))
    })
  )

  it.effect("inherit nothing from a parameter that is called __proto__, which is one like others (T9, A5)", () =>
    Effect.gen(function* () {
      const { asked, ends, ran } = yield* called({ arguments: '{"x":1,"__proto__":{"more":1}}' }, plain)
      const [seen] = ran as ReadonlyArray<{ readonly more?: unknown }>
      assert.deepStrictEqual([asked.length, ends, ran.length], [1, ["ParametersInvalid", "ran"], 1])
      assert.deepStrictEqual(JSON.stringify([asked[0], seen]), JSON.stringify([seen, asked[0]]))
      assert.deepStrictEqual(Object.keys(seen ?? {}), ["x", "__proto__"])
      assert.isUndefined(seen?.more)
    })
  )

  it.effect("are shown to nobody with half a character, and so not run (A5)", () =>
    Effect.gen(function* () {
      const { asked, ends, ran } = yield* called({ arguments: '{"x":"\\ud800"}' }, plain)
      assert.deepStrictEqual({ asked, ends, ran }, { asked: [], ends: twice("ApprovalUnshowable"), ran: [] })
    })
  )

  it.effect("are decided on anew where a middleware puts them in (T9, A5)", () =>
    Effect.gen(function* () {
      const { asked, ends, ran } = yield* called({ rawParams: { x: 1 } }, (call, next) =>
        next({ ...call, rawParams: { x: -0 }, params: undecoded })
      )
      assert.deepStrictEqual({ asked, ends, ran }, { asked: twice({ x: 0 }), ends: twice("ran"), ran: twice({ x: 0 }) })
    })
  )
})
