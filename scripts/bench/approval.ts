import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type { ApprovalRefused, DecisionRefused } from "../../src/approval/ApprovalError.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Grants } from "../../src/approval/Grants.ts"
import { pathTest, type Rule } from "../../src/approval/Rule.ts"
import { RuleBook } from "../../src/approval/RuleBook.ts"
import { lexical } from "../../src/approval/Disk.ts"
import { describing } from "../../src/approval/Subject.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { CallRequest, CallSink } from "../../src/gate/CallRequest.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"

type GateError = Toolset.GateError

const RunShell = Tool.make("run_shell", {
  description: "Runs a command",
  parameters: Schema.Struct({ command: Schema.String }),
  success: Schema.String,
  approval: "always",
  handler: () => Effect.succeed("done")
})

const request = (command: string, sink: CallSink): CallRequest => ({
  name: "run_shell",
  callId: "call_1",
  sessionId: "session_1",
  workerPath: ["root"],
  rawParams: { command },
  startedAt: 0,
  sink
})

const micros = (from: bigint, count: number): number => Number(process.hrtime.bigint() - from) / 1000 / count

/** Microseconds per run of a function, the least of several rounds. */
const least = (rounds: number, count: number, run: () => unknown): number => {
  let best = Infinity
  for (let round = 0; round < rounds; round++) {
    const from = process.hrtime.bigint()
    for (let index = 0; index < count; index++) run()
    best = Math.min(best, micros(from, count))
  }
  return best
}

/** Microseconds per run of an effect, the least of several rounds. */
const repeated = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    let best = Infinity
    for (let round = 0; round < 10; round++) {
      const from = process.hrtime.bigint()
      for (let index = 0; index < 5000; index++) yield* self
      best = Math.min(best, micros(from, 5000))
    }
    return best
  })

interface Bench {
  readonly approvals: Approvals["Type"]
  readonly toolset: Toolset.Toolset<GateError | ApprovalRefused, Approvals>
  readonly asked: Queue.Queue<ApprovalRequest>
  readonly sink: CallSink
}

const bench = <A>(
  use: (bench: Bench) => Effect.Effect<A, GateError | ApprovalRefused | DecisionRefused, Approvals>
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(Approvals.layer({ policy: "ask" }))
        const toolset = yield* Toolset.make([RunShell])
        const asked = yield* Queue.unbounded<ApprovalRequest>()
        const sink: CallSink = {
          ...silent,
          emit: (event) =>
            event._tag === "ApprovalRequested" ? Effect.asVoid(Queue.offer(asked, event.request)) : Effect.void
        }
        const approvals = Context.get(context, Approvals)
        return yield* Effect.provide(use({ approvals, toolset, asked, sink }), context)
      })
    )
  )

/** Answers the next request. */
const answer = ({ approvals, asked }: Bench, scope: "once" | "session") =>
  Effect.flatMap(Queue.take(asked), ({ digest, id, sessionId }) =>
    approvals.decide({ approvalId: id, digest, sessionId, decision: "approve", scope, by: "user" })
  )

/** Microseconds of a call that was granted for the session before, its toolset included. */
export const cachedApproval = (): Promise<number> =>
  bench((given) =>
    Effect.gen(function* () {
      const call = given.toolset.call(request("touch a", given.sink))
      const first = yield* Effect.fork(call)
      yield* answer(given, "session")
      yield* Fiber.join(first)
      return yield* repeated(call)
    })
  )

/** Microseconds of the same call where nothing asks: what its toolset costs without approvals. */
export const unaskedCall = (): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const toolset = yield* Toolset.make([RunShell], { gate: Gate.unguarded("the reference of a benchmark") })
      const call = toolset.call(request("touch a", silent))
      return yield* repeated(call)
    })
  )

/** Microseconds from the call until its request is announced. */
export const injectedRequest = (): Promise<number> =>
  bench((given) =>
    Effect.gen(function* () {
      let best = Infinity
      for (let round = 0; round < 20; round++) {
        let total = 0
        for (let index = 0; index < 50; index++) {
          let announced = 0n
          const sink: CallSink = {
            ...given.sink,
            emit: (event) => {
              if (event._tag === "ApprovalRequested") announced = process.hrtime.bigint()
              return given.sink.emit(event)
            }
          }
          const from = process.hrtime.bigint()
          const running = yield* Effect.fork(given.toolset.call(request(`touch ${round}-${index}`, sink)))
          yield* answer(given, "once")
          yield* Fiber.join(running)
          total += Number(announced - from) / 1000
        }
        best = Math.min(best, total / 50)
      }
      return best
    })
  )

const describe = describing("/w", "/", lexical)
const subjectOf = (params: { readonly command?: string; readonly path?: string; readonly url?: string }) =>
  describe.of({
    name: "run_shell",
    tool: RunShell,
    params,
    rawParams: params,
    touches: {
      ...(params.command !== undefined && { command: { text: params.command } }),
      ...(params.path !== undefined && { paths: [{ path: params.path, op: "read" as const }] }),
      ...(params.url !== undefined && { hosts: [params.url] }),
      complete: true
    }
  })

/** Microseconds of looking a call up among so many rules for its tool and so many grants; the worst of several kinds. */
export const lookup = (ruleCount: number, grantCount: number): number => {
  const rules = Array.from({ length: ruleCount }, (_, index): Rule => {
    const common = { id: `r${index}`, decision: "allow", level: "user", tool: "run_shell" } as const
    return index % 3 === 0
      ? { ...common, argv: ["git", `verb-${index}`] }
      : index % 3 === 1
        ? { ...common, path: `/w/src/part-${index}/**/*.ts` }
        : { ...common, host: `host-${index}.example` }
  })
  const book = Either.getOrThrow(RuleBook.make(rules, { root: "/w", trusted: true }))
  const grants = new Grants()
  for (let index = 0; index < grantCount; index++) {
    const { key, words } = subjectOf({ command: `touch ${index}` })
    grants.add({
      id: `g${index}`,
      sessionId: "session_1",
      scope: "session",
      workers: "root",
      tool: "run_shell",
      key,
      words,
      basis: [],
      grantedAt: 0,
      expiresAt: 1
    })
  }
  const calls = [
    { command: "git status --short" },
    { path: "/w/src/part-999/deep/er/file.ts" },
    { path: "/w/src/elsewhere/file.ts" },
    { url: "https://docs.example/page" }
  ]
  return Math.max(
    ...calls.map((params) =>
      least(10, 200, () => {
        const subject = subjectOf(params)
        book.verdict("run_shell", subject)
        grants.find("root", subject.key, 0)
      })
    )
  )
}

/** Microseconds of a pattern, a path and a command as people write them, each seen for the first time; the worst. */
export const ordinary = (): number => {
  let fresh = 0
  return Math.max(
    least(3, 200, () =>
      Either.match(pathTest(`/w/src/${fresh++}/**/*.ts`, "/w"), {
        onLeft: () => false,
        onRight: (test) => test("/w/src/1/deep/er/file.ts")
      })
    ),
    least(3, 200, () => subjectOf({ command: `git log --oneline -n ${fresh++} src/index.ts` }))
  )
}

/** Microseconds that the worst of some hostile patterns and inputs of 4 KiB takes, each seen for the first time. */
export const hostile = (): number => {
  const size = 4096
  const patterns = [
    "**/*a*a*a*b",
    `/w/${"*a".repeat(120)}b`,
    "*".repeat(size),
    `/w/${"a".repeat(size)}`,
    `/w/${"?".repeat(200)}*b`
  ]
  const paths = ["a".repeat(size), `/w/${"a".repeat(250)}`, "/a".repeat(size / 2), `/w/${"a".repeat(size)}`]
  const texts = [
    "a ".repeat(size / 2),
    "(".repeat(size),
    "a;".repeat(size / 2),
    "'".repeat(size),
    "$(".repeat(size / 2)
  ]
  const ofPaths = patterns.flatMap((pattern) =>
    paths.map((path) =>
      least(3, 20, () => Either.match(pathTest(pattern, "/w"), { onLeft: () => false, onRight: (test) => test(path) }))
    )
  )
  let fresh = 0
  const ofTexts = texts.flatMap((text) => [
    least(3, 20, () => subjectOf({ command: text.slice(0, size - 8) + (fresh++).toString() })),
    least(3, 20, () => subjectOf({ command: text.slice(0, 1016) + (fresh++).toString() }))
  ])
  return Math.max(...ofPaths, ...ofTexts)
}
