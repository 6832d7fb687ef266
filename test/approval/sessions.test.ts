import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FastCheck as fc, Fiber, Layer, Queue, Schema, Scope, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Audit } from "../../src/audit/Audit.ts"
import * as ProjectRules from "../../src/approval/ProjectRules.ts"
import type { Rule } from "../../src/approval/Rule.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { touching } from "../support/touching.ts"
import { silent } from "../../src/tool/ToolCall.ts"

const Shell = Tool.make("run_shell", {
  touches: touching,
  description: "Runs a command",
  category: "shell",
  parameters: Schema.Struct({ command: Schema.String }),
  success: Schema.String,
  handler: ({ command }) => Effect.succeed(command)
})
const Write = Tool.make("write_file", {
  touches: touching,
  description: "Writes a file",
  category: "files",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  handler: ({ path }) => Effect.succeed(path)
})

/** What becomes of calls where nobody can be asked: the tag of the error of each, or `ran`. */
const outcomes = (session: string, calls: ReadonlyArray<readonly [name: string, rawParams: unknown]>) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.make([Shell, Write])
    return yield* Effect.forEach(calls, ([name, rawParams]) =>
      toolset
        .call({
          name,
          rawParams,
          callId: "c",
          sessionId: session,
          workerPath: ["root"],
          startedAt: 0,
          by: "model",
          sink: silent
        })
        .pipe(Effect.match({ onFailure: ({ _tag }) => _tag as string, onSuccess: () => "ran" }))
    )
  })

const layer = (rules: ReadonlyArray<Rule> = []) =>
  Layer.orDie(Approvals.layerAudited({ policy: "ask", attended: false, root: "/elsewhere", rules })).pipe(
    Layer.provide(Audit.layerMemory),
    Layer.provideMerge(RuleStore.layerMemory)
  )

const asking = Approvals.layer({ policy: "ask" })

const words = fc.constantFrom("touch", "ls", "make")
const file = fc.constantFrom("a", "b", "sub/a")
const decision = fc.constantFrom("allow" as const, "ask" as const, "deny" as const)
const level = fc.constantFrom("user" as const, "project" as const)
const rule = fc.oneof(
  fc.record({ decision, level, tool: fc.constant("run_shell"), argv: fc.tuple(words) }),
  fc.record({ decision, level, tool: fc.constant("write_file"), path: file })
)
const project = fc.record({
  root: fc.constantFrom("/one", "/two"),
  trusted: fc.boolean(),
  rules: fc.array(rule, { maxLength: 4 })
})
const call = fc.oneof(
  words.map((command) => ["run_shell", { command }] as const),
  fc
    .tuple(fc.constantFrom("/one", "/two"), file)
    .map(([root, name]) => ["write_file", { path: `${root}/${name}` }] as const)
)

describe("a session", () => {
  it.effect.prop(
    "has the rules and the root of its own project, whatever others the process holds (T20)",
    [fc.array(project, { minLength: 2, maxLength: 3 }), fc.array(call, { minLength: 1, maxLength: 4 })],
    ([projects, calls]) =>
      Effect.gen(function* () {
        const opened = (index: number) =>
          Effect.gen(function* () {
            const approvals = yield* Approvals
            const { rules, ...where } = projects[index]!
            const made = yield* ProjectRules.make({
              ...where,
              directory: `/project${index}`,
              rules: rules.map((one, at) => ({ ...one, id: `rule${at}` }))
            })
            yield* approvals.session({ session: `s${index}`, project: made })
          })
        const alone = yield* Effect.forEach(projects, (_, index) =>
          Effect.provide(Effect.zipRight(opened(index), outcomes(`s${index}`, calls)), layer())
        )
        const forbidding: ReadonlyArray<Rule> = [{ id: "all", decision: "deny", level: "user", tool: "*" }]
        const together = yield* Effect.provide(
          Effect.zipRight(
            Effect.forEach(projects, (_, index) => opened(index)),
            Effect.forEach(projects, (_, index) => outcomes(`s${index}`, calls))
          ),
          layer(forbidding)
        )
        assert.deepStrictEqual(together, alone)
      }).pipe(Effect.scoped)
  )

  it.effect("is forgotten with the last scope that holds it (A6)", () =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const options = { session: "s", project: "/w", policy: "deny" } as const
      const [outer, inner] = [yield* Scope.make(), yield* Scope.make()]
      const first = yield* Scope.extend(approvals.session(options), outer)
      const second = yield* Scope.extend(approvals.session({ ...options, policy: "ask" }), inner)
      assert.strictEqual(yield* second.policy, "deny")
      yield* second.setPolicy("edits")
      yield* Scope.close(inner, Exit.void)
      assert.strictEqual(yield* first.policy, "edits")
      yield* Scope.close(outer, Exit.void)
      assert.strictEqual((yield* approvals.state("s")).policy, "ask")
    }).pipe(Effect.provide(layer()))
  )

  it.scoped("waits for nobody but its own audience, whatever others have to answer (A8)", () =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const toolset = yield* Toolset.make([Shell])
      const asked = yield* Queue.unbounded<readonly [session: string, ahead: number, request: ApprovalRequest]>()
      const call = (session: string, command: string) =>
        toolset.call({
          name: "run_shell",
          rawParams: { command },
          callId: command,
          sessionId: session,
          workerPath: ["root"],
          startedAt: 0,
          by: "model",
          sink: {
            ...silent,
            emit: (event) =>
              event._tag === "ApprovalRequested"
                ? Effect.asVoid(Queue.offer(asked, [session, event.ahead, event.request]))
                : Effect.void
          }
        })
      const people = { a1: "ann", a2: "ann", b1: "bob" }
      for (const [session, audience] of Object.entries(people)) {
        yield* approvals.session({ session, project: "/w", audience })
      }
      const running = yield* Effect.forEach(["a1", "a2", "b1", "a1"], (session, index) =>
        Effect.zipLeft(Effect.fork(Effect.exit(call(session, `touch ${index}`))), Effect.yieldNow())
      )
      const seen = yield* Queue.takeN(asked, 4)
      assert.deepStrictEqual(
        [...seen].map(([session, ahead]) => `${session} ${ahead}`),
        ["a1 0", "a2 1", "b1 0", "a1 2"]
      )
      const [, , theirs] = [...seen].find(([session]) => session === "b1")!
      const { digest, id, sessionId } = theirs
      const answer = { approvalId: id, sessionId, digest, decision: "approve", scope: "once", by: "bob" } as const
      yield* approvals.decide(answer)
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(running[2]!)))
      yield* TestClock.adjust("30 seconds")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(running[0]!)))
      assert.strictEqual((yield* approvals.state()).pending.length, 2)
      yield* Fiber.interruptAll(running)
    }).pipe(Effect.provide(asking))
  )

  it.effect("is not opened for a project with a rule that cannot be used (A6)", () =>
    Effect.gen(function* () {
      const rules: ReadonlyArray<Rule> = [
        { id: "r", decision: "allow", level: "user", tool: "read_file", path: "a{b}" }
      ]
      const made = yield* Effect.flip(ProjectRules.make({ directory: "/w", root: "/w", rules }))
      assert.strictEqual(made._tag, "PatternRejected")
    }).pipe(Effect.provide(layer()))
  )
})
