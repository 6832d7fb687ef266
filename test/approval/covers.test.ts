import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, FastCheck as fc, Fiber, Layer, Option, Queue, Schema, Scope } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Approvals, type ApprovalsOptions } from "../../src/approval/Approvals.ts"
import { Audit } from "../../src/audit/Audit.ts"
import { runFilesOf } from "../../src/policy/shell/RunFiles.ts"
import { Slept } from "../../src/system/DeadlineClock.ts"
import { withinTime } from "../../src/system/withinTime.ts"
import { FileHash } from "../../src/approval/FileHash.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import type { ApprovalRequest, Scope as DecisionScope } from "../../src/tool/ApprovalRequest.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { touching } from "../support/touching.ts"
import * as Touches from "../../src/tool/Touches.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Toolset from "../../src/gate/Toolset.ts"

const Shell = Tool.make("run_shell", {
  touches: touching,
  description: "Runs a command",
  parameters: Schema.Struct({ command: Schema.String, cwd: Schema.optional(Schema.String) }),
  success: Schema.String,
  approval: "always",
  handler: ({ command }) => Effect.succeed(command)
})

/** Reads a file under whatever name its parameter has. */
const Open = Tool.make("open", {
  description: "Opens a file",
  parameters: Schema.Struct({ target: Schema.String }),
  success: Schema.String,
  readOnly: true,
  approval: "never",
  handler: ({ target }) => Effect.succeed(target)
})
/** The same, and what it touches is configured. */
const Placed = {
  ...Open,
  name: "place" as const,
  touches: Touches.configured({ paths: [{ parameter: "target", op: "read" }] })
}
const Read = Tool.make("read_file", {
  touches: touching,
  description: "Reads a file",
  category: "files",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  readOnly: true,
  approval: "never",
  handler: (params) => Effect.succeed(params.path)
})

/** A gate, and the person in front of it. */
const gate = (options: ApprovalsOptions, audit: Layer.Layer<Audit> = Audit.layerMemory) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      Layer.orDie(Approvals.layerAudited(options)).pipe(Layer.provide(audit), Layer.provideMerge(RuleStore.layerMemory))
    )
    const toolset = yield* Toolset.make([Shell, Open, Placed, Read])
    const asked = yield* Queue.unbounded<ApprovalRequest>()
    const call = (name: string, rawParams: unknown, workerPath: ReadonlyArray<string> = ["root"]) =>
      toolset
        .call({
          name,
          rawParams,
          workerPath,
          callId: "c",
          sessionId: "s",
          startedAt: 0,
          by: "model",
          sink: {
            ...silent,
            emit: (event) =>
              event._tag === "ApprovalRequested" ? Effect.asVoid(Queue.offer(asked, event.request)) : Effect.void
          }
        })
        .pipe(Effect.provide(context), Effect.either)
    const approvals = yield* Effect.provide(Approvals, context)
    /** Runs a call and answers its request; absent where it was not asked for. */
    const answered = (name: string, rawParams: unknown, scope: DecisionScope, workerPath?: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const running = yield* Effect.fork(call(name, rawParams, workerPath))
        const request = yield* Effect.raceFirst(Queue.take(asked), Effect.as(Fiber.await(running), undefined))
        if (request === undefined) return undefined
        const { digest, id, scopes, sessionId } = request
        const offered = scopes.includes(scope) ? scope : "once"
        const decision = { approvalId: id, sessionId, digest, decision: "approve", scope: offered, by: "user" } as const
        yield* Effect.ignore(approvals.decide(decision))
        yield* Fiber.await(running)
        return request
      })
    const rules = yield* Effect.provide(RuleStore, context)
    return { approvals, answered, asked, call, rules }
  })

const word = fc.constantFrom("touch", "echo", "cat", "ls", "a", "b", "a b", "-l", "x;y", "|", "2", "&&", "it's")
const program = fc.constantFrom("touch", "echo", "cat", "ls", "sh", "rm")
const redirect = fc.constantFrom([">", "a"], [">>", "a"], ["2>", "a"], ["<", "a"], [">", "b"], ["2>&", "1"])
const command = fc.record({
  words: fc.tuple(program, fc.array(word, { maxLength: 2 })).map(([name, args]) => [name, ...args]),
  redirects: fc.array(redirect, { maxLength: 2 })
})
const said = fc.record({
  commands: fc.array(command, { minLength: 1, maxLength: 3 }),
  operators: fc.array(fc.constantFrom(";", "&&", "||", "|", "&", "|&"), { minLength: 2, maxLength: 2 }),
  background: fc.boolean(),
  cwd: fc.constantFrom(undefined, "sub", "."),
  wrap: fc.constantFrom("", "", "", "(", "{", "!", "if")
})
type Said = typeof said extends fc.Arbitrary<infer A> ? A : never

/** One of the ways to write it. */
const written = ({ background, commands, operators, wrap }: Said, style: number): string => {
  const quote = (text: string) =>
    /^[\w.-]+$/.test(text) && style % 2 === 0 ? text : text.includes("'") || style % 3 === 0 ? `"${text}"` : `'${text}'`
  const blank = " ".repeat(1 + (style % 3))
  const parts = commands.map(({ redirects, words: [name = "", ...args] }) =>
    [
      name,
      ...args.map(quote),
      ...redirects.map(([sign, to]) => (sign === "2>&" ? `${sign}${to}` : `${sign}${blank}${to}`))
    ].join(blank)
  )
  const list = parts
    .map((part, index) => (index === 0 ? part : `${blank}${operators[index - 1]}${blank}${part}`))
    .join("")
  const text = background ? `${list} &` : list
  switch (wrap) {
    case "(":
      return `(${text})`
    case "{":
      return `{ ${text}${background ? "" : ";"} }`
    case "!":
      return `! ${text}`
    case "if":
      return `if ${text}${background ? "" : ";"} then ls; fi`
    default:
      return text
  }
}

/** What it means, without how it is written. */
const meaning = ({ background, commands, cwd, operators, wrap }: Said): string =>
  JSON.stringify({ commands, operators: operators.slice(0, commands.length - 1), background, cwd: cwd === "sub", wrap })

const rooted = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-covers-")))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
)

describe("what a grant covers", () => {
  it.scoped.prop(
    "is the same words, operators, redirects and directory, for grants and for rules (A15)",
    { one: said, other: said, style: fc.nat(5), same: fc.boolean() },
    ({ one, other: drawn, same, style }) =>
      Effect.gen(function* () {
        // Neighbours differ in one thing only, which is where a form could be too coarse.
        const other = same ? { ...one, operators: drawn.operators, cwd: drawn.cwd } : drawn
        for (const scope of ["session", "always"] as const) {
          const { answered } = yield* gate({ policy: "ask", root: "/w", always: true })
          const params = (text: Said, by: number) => ({
            command: written(text, by),
            ...(text.cwd && { cwd: text.cwd })
          })
          yield* answered("run_shell", params(one, 0), scope)
          if ((yield* answered("run_shell", params(other, style), "once")) !== undefined) continue
          assert.strictEqual(meaning(other), meaning(one))
        }
      }),
    { fastCheck: { numRuns: 60 } }
  )

  it.scoped("never lets a pipe run by a grant or by rules for its commands one by one (A15)", () =>
    Effect.gen(function* () {
      const { answered } = yield* gate({ policy: "ask", root: "/w" })
      assert.isDefined(yield* answered("run_shell", { command: "echo 'touch P' ; cat" }, "session"))
      assert.isUndefined(yield* answered("run_shell", { command: "echo  'touch P'; cat" }, "once"))
      assert.isDefined(yield* answered("run_shell", { command: "echo 'touch P' | cat" }, "once"))
      const rules = ["echo", "sh", "npm"].map((name) => ({
        id: name,
        decision: "allow" as const,
        level: "user" as const,
        tool: "run_shell",
        argv: [name]
      }))
      const ruled = yield* gate({ policy: "ask", root: "/w", rules })
      const passes = (command: string, cwd?: string) =>
        Effect.map(
          ruled.answered("run_shell", { command, ...(cwd && { cwd }) }, "once"),
          (request) => request === undefined
        )
      assert.isTrue(yield* passes("npm test && echo done"))
      assert.isTrue(yield* passes("npm test", "."))
      for (const text of [
        "echo x | sh",
        "echo x > y",
        "npm test &",
        "cd y && npm test",
        "(npm test)",
        "X=1 npm test"
      ]) {
        assert.isFalse(yield* passes(text), text)
      }
      assert.isFalse(yield* passes("npm test", "elsewhere"))
    })
  )

  it.scoped("holds for as long and for whom the prompt says (A6)", () =>
    Effect.gen(function* () {
      const { answered, approvals } = yield* gate({ policy: "ask", root: "/w" })
      const worker = (name: string) => ["root", name]
      const touch = { command: "touch a" }
      const scope = yield* Scope.make()
      const session = yield* Scope.extend(approvals.session({ session: "s", project: "" }), scope)
      assert.isDefined(yield* answered("run_shell", touch, "task"))
      assert.isUndefined(yield* answered("run_shell", touch, "once"))
      yield* session.endTask
      assert.isDefined(yield* answered("run_shell", touch, "once"))
      assert.isDefined(yield* answered("run_shell", touch, "session", worker("one")))
      assert.isUndefined(yield* answered("run_shell", touch, "once", worker("two")))
      yield* session.endTask
      assert.isUndefined(yield* answered("run_shell", touch, "once", worker("three")))
      assert.isDefined(yield* answered("run_shell", touch, "once"))
      yield* Scope.close(scope, Exit.void)
      assert.isDefined(yield* answered("run_shell", touch, "once", worker("one")))
    })
  )

  const files: ReadonlyArray<readonly [file: string, text: string, command: string]> = [
    ["package.json", `{"scripts":{"test":"node run.js"}}`, "npm test"],
    ["run.js", "console.log(1)", "npm test"],
    [".npmrc", "", "npm test"],
    ["run.js", "console.log(1)", "node run.js"],
    ["go.sh", "npm test", "sh go.sh"],
    ["package.json", `{"scripts":{"test":"node run.js"}}`, "sh go.sh"],
    ["Makefile", "all:\n\tsh go.sh\n", "make all"],
    ["go.sh", "npm test", "make all"],
    ["tool.py", "import helper\n", "python tool.py"],
    ["helper.py", "", "python tool.py"],
    ["conftest.py", "", "pytest"],
    ["build.rs", "", "cargo test"]
  ]
  it.scoped("ends once a file has changed that decides what was granted, and else is for once (A6, A15)", () =>
    Effect.gen(function* () {
      const root = yield* rooted
      const write = (file: string, text: string) => fs.writeFileSync(path.join(root, file), text)
      for (const [file, text] of files) write(file, text)
      write("Cargo.toml", "[package]\n")
      const { answered } = yield* gate({ policy: "ask", root })
      for (const [file, text, line] of files) {
        const first = yield* answered("run_shell", { command: line }, "session")
        assert.isTrue(first?.scopes.includes("session"), line)
        assert.isUndefined(yield* answered("run_shell", { command: line }, "once"), line)
        write(file, `${text}\n# other`)
        assert.isDefined(yield* answered("run_shell", { command: line }, "once"), `${line}, ${file}`)
        write(file, text)
      }
      for (const line of [
        "./unknown-program",
        "frobnicate",
        "sh -c 'ls'",
        "node -e 1",
        "npm ci",
        "gradle test",
        "xargs ls",
        "$X"
      ]) {
        const request = yield* answered("run_shell", { command: line }, "session")
        if (line !== "./unknown-program") assert.deepStrictEqual(request?.scopes, ["once"], line)
      }
    }).pipe(Effect.provide(FileHash.layerLocal))
  )

  it("takes no more time than their length to read the files of a project that a command runs (A6)", () => {
    const length = 200_000
    const files: ReadonlyArray<readonly [program: ReadonlyArray<string>, text: string]> = [
      [["cargo", "build"], "\r".repeat(length)],
      [["git", "commit"], "\u2028".repeat(length)],
      [["node", "a.js"], "\r".repeat(length)],
      [["node", "a.js"], `import${" ".repeat(length)}"`],
      [["./a.js"], `#!${"a".repeat(length)}!`]
    ]
    for (const [program, text] of files) {
      const known = runFilesOf([program], "/project", { text: () => Effect.succeed(text) })
      const found = withinTime(3000, () => Effect.runSync(known))
      assert.isTrue(Option.isSome(found), program.join(" "))
    }
  })

  it.scoped("counts only once the audit has it (A10)", () =>
    Effect.gen(function* () {
      const refusing = Layer.project(Audit.layerMemory, Audit, Audit, (audit) => ({
        ...audit,
        commit: (entry) => (entry.kind === "resolved" ? audit.commit(entry) : Effect.die("full disk"))
      }))
      for (const scope of ["task", "session", "always"] as const) {
        const { answered, approvals, rules } = yield* gate({ policy: "ask", root: "/w", always: true }, refusing)
        assert.isDefined(yield* answered("run_shell", { command: "touch a" }, scope))
        assert.deepStrictEqual((yield* approvals.state("s")).grants, [])
        assert.deepStrictEqual(yield* rules.list(""), [])
        assert.isDefined(yield* answered("run_shell", { command: "touch a" }, "once"))
      }
    })
  )
})

describe("time", () => {
  /** A clock whose wall can be set. */
  class SetClock implements Clock.Clock {
    readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
    wall = 0
    nanos = 0n
    unsafeCurrentTimeMillis = () => this.wall
    unsafeCurrentTimeNanos = () => this.nanos
    currentTimeMillis = Effect.sync(() => this.wall)
    currentTimeNanos = Effect.sync(() => this.nanos)
    sleep = () => Effect.never
  }

  it.scoped.prop(
    "set forward or back ends no prompt and prolongs no grant (A8, A6)",
    { jump: fc.integer({ min: -1e10, max: 1e10 }) },
    ({ jump }) => {
      const clock = new SetClock()
      const machine = { slept: 0 }
      return Effect.gen(function* () {
        const { answered } = yield* gate({ policy: "ask", root: "/w", grants: { ttlMillis: 1000 } })
        assert.isDefined(yield* answered("run_shell", { command: "touch a" }, "session"))
        clock.wall += jump
        assert.isUndefined(yield* answered("run_shell", { command: "touch a" }, "once"))
        clock.nanos += 999_000_000n
        assert.isUndefined(yield* answered("run_shell", { command: "touch a" }, "once"))
        clock.wall -= 2 * jump
        machine.slept += 1
        assert.isDefined(yield* answered("run_shell", { command: "touch a" }, "once"))
      }).pipe(Effect.provideService(Slept, { millis: Effect.sync(() => machine.slept) }), Effect.withClock(clock))
    },
    { fastCheck: { numRuns: 30 } }
  )

  it.scoped("a prompt is answered after the clock was set a day forward, and not after a sleep of a day (A8)", () => {
    const clock = new SetClock()
    const machine = { slept: 0 }
    return Effect.gen(function* () {
      const { approvals, asked, call } = yield* gate({ policy: "ask", root: "/w" })
      const answer = ({ digest, id, sessionId }: ApprovalRequest) =>
        Effect.either(
          approvals.decide({ approvalId: id, digest, sessionId, decision: "approve", scope: "once", by: "user" })
        )
      const first = yield* Effect.fork(call("run_shell", { command: "touch a" }))
      const live = yield* Queue.take(asked)
      clock.wall += 86_400_000
      assert.strictEqual((yield* answer(live))._tag, "Right")
      assert.strictEqual((yield* Fiber.join(first))._tag, "Right")
      const second = yield* Effect.fork(call("run_shell", { command: "touch a" }))
      const slept = yield* Queue.take(asked)
      machine.slept += 86_400_000
      assert.strictEqual((yield* answer(slept))._tag, "Left")
      assert.strictEqual((yield* Fiber.join(second))._tag, "Left")
    }).pipe(Effect.provideService(Slept, { millis: Effect.sync(() => machine.slept) }), Effect.withClock(clock))
  })
})

describe("a rule by path", () => {
  it.scoped("stops a file by every name it has, whatever tool reads it, by nothing but the root (A6)", () =>
    Effect.gen(function* () {
      const base = yield* rooted
      const root = path.join(base, "w")
      fs.mkdirSync(path.join(root, "keys"), { recursive: true })
      fs.mkdirSync(path.join(root, "sub"))
      fs.writeFileSync(path.join(root, "keys/a.pem"), "x")
      fs.symlinkSync("keys/a.pem", path.join(root, "plain.txt"))
      fs.symlinkSync("keys", path.join(root, "other"))
      fs.symlinkSync(root, path.join(base, "alias"))
      const rules = [{ id: "pem", decision: "deny", level: "user", tool: "*", path: "**/*.pem" }] as const
      for (const from of [root, path.join(base, "alias")]) {
        const { call } = yield* gate({ policy: "ask", attended: false, root: from, rules })
        const names = [
          "keys/a.pem",
          "./keys/a.pem",
          "sub/../keys/a.pem",
          "plain.txt",
          "other/a.pem",
          `${root}/keys/a.pem`,
          `${base}/alias/keys/a.pem`,
          `${base}/alias/plain.txt`
        ]
        for (const name of names) {
          assert.strictEqual((yield* call("read_file", { path: name }))._tag, "Left", name)
          assert.strictEqual((yield* call("open", { target: name }))._tag, "Left", name)
          assert.strictEqual((yield* call("place", { target: name }))._tag, "Left", name)
        }
        assert.strictEqual((yield* call("read_file", { path: "keys/b.txt" }))._tag, "Right")
        assert.strictEqual((yield* call("place", { target: "keys/b.txt" }))._tag, "Right")
        // Nobody has said what it touches, so it may be anything.
        assert.strictEqual((yield* call("open", { target: "keys/b.txt" }))._tag, "Left")
      }
    })
  )
})
