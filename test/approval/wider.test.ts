import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Fiber, Layer, Runtime, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Approvals, type ApprovalsOptions } from "../../src/approval/Approvals.ts"
import { FileHash } from "../../src/approval/FileHash.ts"
import type { ApprovalRequest, WiderKind } from "../../src/tool/ApprovalRequest.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { touching } from "../support/touching.ts"

const common = { success: Schema.String, approval: "always", touches: touching } as const

const Shell = Tool.make("run_shell", {
  ...common,
  description: "Runs a command",
  category: "shell",
  parameters: Schema.Struct({ command: Schema.String, cwd: Schema.optional(Schema.String) }),
  handler: () => Effect.succeed("ran")
})
const Write = Tool.make("write_file", {
  ...common,
  description: "Writes a file",
  category: "files",
  parameters: Schema.Struct({ path: Schema.String, content: Schema.String }),
  handler: () => Effect.succeed("written")
})

const files = Layer.succeed(FileHash, { hash: () => Effect.succeed(null), text: () => Effect.succeed(null) })

/** A session with a person in front of it. */
const gate = (options: Partial<ApprovalsOptions> = {}) =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    const root = path.join(base, "ws")
    fs.mkdirSync(path.join(root, "src/deep"), { recursive: true })
    const context = yield* Layer.build(
      Layer.provide(Approvals.layer({ policy: "ask", root, home: base, ...options }), files)
    )
    const toolset = yield* Toolset.make([Shell, Write])
    const approvals = yield* Effect.provide(Approvals, context)
    const call = (name: string, rawParams: unknown, workerPath: ReadonlyArray<string> = ["root"]) =>
      Effect.gen(function* () {
        const request = {
          name,
          rawParams,
          callId: "c",
          sessionId: "s",
          workerPath,
          startedAt: 0,
          sink: silent,
          by: "model"
        }
        const fiber = yield* Effect.fork(Effect.provide(Effect.either(toolset.call(request as never)), context))
        let waiting = (yield* approvals.state()).pending
        while (waiting.length === 0 && (yield* Fiber.poll(fiber))._tag === "None") {
          yield* Effect.yieldNow()
          waiting = (yield* approvals.state()).pending
        }
        return { asked: waiting[0], fiber }
      })
    const answer = (
      { digest, id: approvalId, sessionId }: ApprovalRequest,
      wider?: WiderKind,
      scope: "once" | "session" = "session"
    ) =>
      approvals.decide({
        approvalId,
        sessionId,
        digest,
        decision: "approve",
        scope,
        by: "user",
        ...(wider && { wider })
      })
    /** Whether a call would run unasked. */
    const runs = (tool: Tool.Any, parameters: unknown, workerPath: ReadonlyArray<string> = ["root"]) =>
      Effect.map(
        approvals.explain({ tool, parameters, session: "s", workerPath, asks: "always" }),
        ({ verdict }) => verdict === "allow"
      )
    return { answer, approvals, call, root, runs }
  })

const words = [
  "npm",
  "git",
  "cargo",
  "test",
  "run",
  "build",
  "push",
  "status",
  "a.txt",
  "--force",
  "-x",
  ".env",
  "../up",
  "src"
]
const joints = [" ", " ", " ", " ", " ", " ", "; ", " && ", " | ", " > ", " `", " $(", "\n", " & ", " 'x' ", "="]
const commandText = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(...joints)), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([word, joint], index) => (index === parts.length - 1 ? word : `${word}${joint}`)).join(""))
const begun = fc
  .tuple(fc.constantFrom("npm test", "npm run build", "git push", "mkdir out", "cargo build"), commandText)
  .map(([start, rest]) => `${start} ${rest}`)

const fileName = fc.constantFrom(
  "a.ts",
  "b.ts",
  ".env",
  ".env.local",
  "deep",
  ".git",
  "hooks",
  "config",
  ".tollgate",
  "..",
  "AGENTS.md",
  ".npmrc",
  "id_rsa",
  "*"
)
const filePath = fc
  .tuple(
    fc.constantFrom("src/", "src/deep/", "", "/etc/", "./src/", "src/../"),
    fc.array(fileName, { minLength: 1, maxLength: 3 })
  )
  .map(([start, names]) => `${start}${names.join("/")}`)

describe("an answer that covers more than the same call", () => {
  it.scoped("is offered as the rule that it makes, and covers what the rule says alone (A6, A15)", () =>
    Effect.gen(function* () {
      const { answer, call, root, runs } = yield* gate()
      const write = (file: string) => ({ path: file, content: "x" })
      const first = yield* call("write_file", write("src/a.ts"))
      assert.deepStrictEqual(first.asked?.wider, { kind: "directory", rule: `allow write_file on ${root}/src/**` })
      assert.strictEqual((yield* Effect.flip(answer(first.asked!, "beginning")))._tag, "ApprovalMismatch")
      assert.strictEqual((yield* Effect.flip(answer(first.asked!, "directory", "once")))._tag, "ApprovalMismatch")
      yield* answer(first.asked!, "directory")
      assert.strictEqual((yield* Fiber.join(first.fiber))._tag, "Right")
      for (const [file, expected] of [
        ["src/b.ts", true],
        ["src/deep/c.ts", true],
        ["src/.env", false],
        ["src/deep/.git/config", false],
        ["other/a.ts", false],
        ["src/../a.ts", false]
      ] as const) {
        assert.strictEqual(yield* runs(Write, write(file)), expected, file)
      }
      fs.symlinkSync("/etc", path.join(root, "src/away"))
      assert.isFalse(yield* runs(Write, write("src/away/passwd")))
      assert.isFalse(yield* runs(Write, write("src/b.ts"), ["root", "sub"]))

      const second = yield* call("run_shell", { command: "npm test" })
      assert.deepStrictEqual(second.asked?.wider, { kind: "beginning", rule: "allow run_shell: npm test …" })
      yield* answer(second.asked!, "beginning")
      yield* Fiber.join(second.fiber)
      for (const [command, expected] of [
        ["npm test -- --watch", true],
        ["npm test src/a.ts", true],
        ["npm run test", false],
        ["npm test && npm test", false],
        ["npm test > out.txt", false],
        ["npm test $(cat x)", false],
        ["npm test .env", false],
        ["npm test ../up", false],
        ["sudo npm test", false]
      ] as const) {
        assert.strictEqual(yield* runs(Shell, { command }), expected, command)
      }
      assert.isFalse(yield* runs(Shell, { command: "npm test", cwd: "src" }))

      const third = yield* call("run_shell", { command: "touch aa" })
      assert.deepStrictEqual(third.asked?.wider, { kind: "beginning", rule: "allow run_shell: touch …" })
      yield* answer(third.asked!, "beginning")
      yield* Fiber.join(third.fiber)
      for (const [command, expected] of [
        ["touch bb src/cc", true],
        ["touch /etc/passwd", false],
        ["touch .env", false],
        ["touch ../up", false],
        ["touch bb; npm ci", false],
        ["mkdir bb", false]
      ] as const) {
        assert.strictEqual(yield* runs(Shell, { command }), expected, command)
      }
    })
  )

  it.scoped("is not offered where a beginning or a directory says too little (A6)", () =>
    Effect.gen(function* () {
      const { call } = yield* gate()
      for (const [name, params] of [
        ["run_shell", { command: "node test" }],
        ["run_shell", { command: "bash test" }],
        ["run_shell", { command: "npx tsc" }],
        ["run_shell", { command: "sudo npm test" }],
        ["run_shell", { command: "npm test; npm build" }],
        ["run_shell", { command: "npm run" }],
        ["run_shell", { command: "make" }],
        ["run_shell", { command: "git push --force" }],
        ["run_shell", { command: "rm -rf src" }],
        ["run_shell", { command: "./run test" }],
        ["write_file", { path: ".env", content: "" }],
        ["write_file", { path: "/etc/passwd", content: "" }]
      ] as const) {
        const { asked, fiber } = yield* call(name, params)
        assert.isDefined(asked, JSON.stringify(params))
        assert.isUndefined(asked.wider, JSON.stringify(params))
        yield* Fiber.interrupt(fiber)
      }
    })
  )

  it.scoped("gives way to rules that ask or deny (A6)", () =>
    Effect.gen(function* () {
      const rules = [
        { id: "r1", decision: "ask", level: "user", tool: "write_file", path: "src/deep/**" },
        { id: "r2", decision: "deny", level: "user", tool: "run_shell", argv: ["npm", "test", "live"] }
      ] as const
      const { answer, call, runs } = yield* gate({ rules })
      for (const [name, params, kind] of [
        ["write_file", { path: "src/a.ts", content: "x" }, "directory"],
        ["run_shell", { command: "npm test" }, "beginning"]
      ] as const) {
        const { asked, fiber } = yield* call(name, params)
        yield* answer(asked!, kind)
        yield* Fiber.join(fiber)
      }
      assert.isTrue(yield* runs(Write, { path: "src/b.ts", content: "x" }))
      assert.isFalse(yield* runs(Write, { path: "src/deep/b.ts", content: "x" }))
      assert.isTrue(yield* runs(Shell, { command: "npm test fast" }))
      assert.isFalse(yield* runs(Shell, { command: "npm test live" }))
    })
  )

  it.scoped(
    "never covers what its rule does not fit, what is protected, or a command that is not one alone (A15)",
    () =>
      Effect.gen(function* () {
        const { answer, call, root, runs } = yield* gate()
        const given = [
          ["write_file", { path: "src/a.ts", content: "x" }, "directory"],
          ["run_shell", { command: "npm test" }, "beginning"],
          ["run_shell", { command: "mkdir out" }, "beginning"]
        ] as const
        for (const [name, params, kind] of given) {
          const { asked, fiber } = yield* call(name, params)
          yield* answer(asked!, kind)
          yield* Fiber.join(fiber)
        }
        const runtime = yield* Effect.runtime()
        const isRun = (tool: Tool.Any, params: unknown) => Runtime.runSync(runtime)(runs(tool, params))
        fc.assert(
          fc.property(fc.oneof(commandText, begun), (command) => {
            if (!isRun(Shell, { command })) return
            assert.match(command, /^(?:npm test|mkdir out)(?: |$)/)
            assert.notMatch(command, /[;&|>`$\n]/)
            assert.notMatch(command, / \.env(?: |$)|\.\.\//)
          }),
          { numRuns: 400 }
        )
        fc.assert(
          fc.property(filePath, (file) => {
            if (!isRun(Write, { path: file, content: "x" })) return
            const place = path.resolve(root, file)
            assert.isTrue(place.startsWith(`${root}/src/`), file)
            assert.notMatch(place.slice(root.length), /\.env|\.git|\.tollgate|id_rsa$/)
          }),
          { numRuns: 400 }
        )
      })
  )
})
