// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import * as FastCheck from "effect/FastCheck"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { built } from "../support/built.ts"
import { until } from "../support/until.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { requestOf, sessionsOf, tagsOf } from "./stored.ts"

/** An envelope of the output, of which a test looks at what it likes. */
type Said = Omit<Envelope, "event"> & {
  readonly event: {
    readonly _tag: string
    readonly request: Request
    readonly goesOn: { readonly approvals: ReadonlyArray<Request> }
  } & Readonly<Record<string, unknown>>
}
interface Request {
  readonly id: string
  readonly digest: string
}

const write = { call: { name: "write_file", arguments: { path: "a.txt", content: "one\n" } } }

/** What every command needs besides its session. */
const everyCommand = [
  { _tag: "SubmitPrompt", prompt: "x" },
  { _tag: "InvokeTool", tool: "t", parameters: {} },
  { _tag: "DecideApproval", approvalId: "a", digest: "d", decision: "approve" },
  { _tag: "AnswerClientCall", requestId: "r", result: 1 },
  { _tag: "DeclareClientTools", tools: [] },
  { _tag: "CancelTask", task: "t" },
  { _tag: "Interrupt" },
  { _tag: "SwitchModel", profile: "test" },
  { _tag: "SetApprovalPolicy", policy: "ask" },
  { _tag: "RevokeApproval", grantId: "g" },
  { _tag: "ClearSession" },
  { _tag: "CompactSession" }
]

/** A program in front of the command. */
class Front {
  readonly child: ChildProcessWithoutNullStreams
  readonly said: Array<Said> = []
  readonly code: Promise<number | null>
  private readonly waiting = new Set<() => void>()

  constructor(program: string, at: Place, args: ReadonlyArray<string> = []) {
    const words = [program, "run", "--input-format", "jsonl", "--output-format", "jsonl", ...args]
    this.child = spawn(process.execPath, words, { cwd: at.work, env: at.env })
    this.child.stdin.on("error", () => {})
    this.code = new Promise((resolve) => this.child.on("close", resolve))
  }
  read(): this {
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.said.push(JSON.parse(line) as Said)
      this.waiting.forEach((look) => look())
    })
    return this
  }
  send(...lines: ReadonlyArray<object | string>): this {
    for (const line of lines) this.child.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`)
    return this
  }
  end(): this {
    this.child.stdin.end()
    return this
  }
  /** The first envelope of a kind from a number of those read on. */
  seen(tag: string, from = 0): Promise<Said> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.said.slice(from).find(({ event }) => event._tag === tag)
        if (found === undefined) return
        this.waiting.delete(look)
        resolve(found)
      }
      this.waiting.add(look)
      look()
    })
  }
  tags(): ReadonlyArray<string> {
    return this.said.flatMap(({ event, transient }) => (transient === true ? [] : [event._tag]))
  }
}

const decide = ({ event }: Said, decision: "approve" | "deny", more: object = {}) => ({
  _tag: "DecideApproval",
  approvalId: event.request.id,
  digest: event.request.digest,
  decision,
  ...more
})

describe("a program in front", () => {
  let at: Place
  let program: string
  beforeEach(async () => {
    at = place()
    program = await built()
  })
  afterEach(() => at.remove())

  it("prompts, decides by id and digest, and reads envelopes alone, the first of which names the session (R1, U12)", async () => {
    scripted(at, [
      { steps: [write] },
      { steps: [{ say: "written" }] },
      { steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "two\n" } } }] },
      { steps: [{ say: "as you like" }] }
    ])
    const front = new Front(program, at).read()
    front.send({ _tag: "SubmitPrompt", prompt: "write", commandId: "first" })
    const asked = await front.seen("ApprovalRequested")
    front.send({ ...decide(asked, "approve"), digest: "0".repeat(64), commandId: "wrong" })
    const refused = await front.seen("CommandRejected")
    assert.strictEqual(refused.event["commandId"], "wrong")
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
    front.send(decide(asked, "approve"))
    await front.seen("TaskCompleted")
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "one\n")
    const from = front.said.length
    front.send({ _tag: "SubmitPrompt", prompt: "again" })
    front.send(decide(await front.seen("ApprovalRequested", from), "deny", { reason: "once is enough" }))
    await front.seen("TaskCompleted", from)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "one\n")
    assert.strictEqual(await front.end().code, 0)
    const [first] = front.said
    assert.strictEqual(first?.event._tag, "SessionCreated")
    const own = front.said.filter(({ session, transient }) => session === first?.session && transient !== true)
    assert.deepStrictEqual(
      own.map(({ seq }) => seq),
      own.map((_, index) => index + 1)
    )
    assert.strictEqual(front.tags().at(-1), "SessionSuspended")
  })

  const prompt = { _tag: "SubmitPrompt", prompt: "x" }
  const lines = {
    prompt,
    withCommandId: { ...prompt, commandId: "k1" },
    withTask: { ...prompt, task: "t1" },
    withBoth: { ...prompt, commandId: "k2", task: "t2" },
    idOfAnother: { _tag: "SwitchModel", profile: "test", commandId: "k1" },
    refused: { _tag: "SwitchModel", profile: "none", commandId: "k3" },
    noCommand: "nothing"
  }
  const ordinary: ReadonlyArray<ReadonlyArray<keyof typeof lines>> = [
    ["withCommandId", "withCommandId"],
    ["withTask", "withTask"],
    ["withBoth", "withTask", "withBoth", "prompt", "withTask"]
  ]
  it("that repeats commands has each of its tasks end by itself, and the session after them (R1, R3)", async () => {
    const turns = Array.from({ length: 8 }, () => ({ steps: [{ wait: 50 }, { say: "done" }] }))
    scripted(at, turns)
    const names = FastCheck.constantFrom(...(Object.keys(lines) as ReadonlyArray<keyof typeof lines>))
    const input = FastCheck.array(names, { minLength: 2, maxLength: 8 })
    const holds = async (names: ReadonlyArray<keyof typeof lines>) => {
      const front = new Front(program, at).read()
      front.send(...names.map((name) => lines[name])).end()
      assert.strictEqual(await front.code, 0)
      assert.strictEqual(front.tags().at(-1), "SessionSuspended")
      const of = (tag: string) => front.said.filter(({ event }) => event._tag === tag).map(({ task }) => task)
      assert.deepStrictEqual(of("TaskCompleted"), of("TaskQueued"))
      const prompts = names.filter((name) => name === "prompt").length
      const once = new Set(names.filter((name) => name.startsWith("with"))).size
      // A rejection of the same id that came first is the answer to the command as well.
      const first = names.find((name) => name === "withCommandId" || name === "idOfAnother")
      const never = first === "idOfAnother" && names.includes("withCommandId") ? 1 : 0
      assert.lengthOf(of("TaskQueued"), prompts + once - never)
    }
    const examples = ordinary.map((one): [ReadonlyArray<keyof typeof lines>] => [one])
    await FastCheck.assert(FastCheck.asyncProperty(input, holds), { numRuns: 5, examples })
  })

  it("of a session that goes on repeats a command of an earlier run, which ran once (R1, R3)", async () => {
    scripted(at, [{ steps: [{ say: "done" }] }])
    const first = new Front(program, at).read().send(lines.withCommandId).end()
    assert.strictEqual(await first.code, 0)
    const again = new Front(program, at, ["--session", first.said[0]!.session]).read().send(lines.withCommandId).end()
    assert.strictEqual(await again.code, 0)
    assert.deepStrictEqual(again.tags(), ["SessionResumed", "SessionSuspended"])
  })

  it("that has run all its functions closes its input and is told of no mistake (R4)", async () => {
    scripted(at, [
      { steps: [{ call: { name: "weather", arguments: { city: "Oslo" } } }] },
      { steps: [{ say: "rain" }] }
    ])
    const front = new Front(program, at).read()
    const functions = [{ name: "weather", description: "", parameters: { type: "object", properties: {} } }]
    front.send(
      { _tag: "DeclareClientTools", tools: [], functions },
      { _tag: "SubmitPrompt", prompt: "How is it there?" }
    )
    const called = await front.seen("ClientCallRequested")
    front.send({ _tag: "AnswerClientCall", requestId: called.event["requestId"], result: "rain" })
    await front.seen("TaskCompleted")
    assert.strictEqual(await front.end().code, 0)
    assert.notInclude(front.tags(), "CommandRejected")
  })

  it("gets an answer to a line that is no command, and loses nothing by it", async () => {
    scripted(at, [{ steps: [{ say: "hello" }] }, { steps: [{ say: "and again" }] }])
    const front = new Front(program, at).read()
    front.send(
      "not json",
      "[]",
      { _tag: "Explode", commandId: "c1" },
      { _tag: "SubmitPrompt" },
      { _tag: "EndSession" },
      { _tag: "SubmitPrompt", prompt: "one", session: "another" },
      "",
      `{"_tag":"SubmitPrompt","prompt":"${"x".repeat(5 * 1024 * 1024)}"}`,
      '{"_tag":"SubmitPrompt","prompt":"one","prompt":"another"}',
      { _tag: "SubmitPrompt", prompt: "one" }
    )
    front.child.stdin.write(Buffer.from('{"_tag":"SubmitPrompt","prompt":"\xff"}\n', "latin1"))
    front.child.stdin.end('{"_tag":"SubmitPrompt","prompt":"without a line break"}')
    assert.strictEqual(await front.code, 0)
    const broken = front.said.filter(({ session }) => session === "input")
    assert.deepStrictEqual(
      broken.map(({ event }) => /^line (\d+)/.exec(event["reason"] as string)?.[1]),
      ["1", "2", "3", "4", "5", "6", "8", "9", "11"]
    )
    assert.deepStrictEqual(
      broken.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7, 8, 9]
    )
    assert.strictEqual(broken[2]?.event["commandId"], "c1")
    assert.strictEqual(front.tags()[0], "SessionCreated")
    assert.strictEqual(front.tags().filter((tag) => tag === "TaskCompleted").length, 2)
  })

  it("changes nothing by a line with a field that its command does not know (A15)", async () => {
    scripted(at, [{ steps: [write] }, { steps: [{ say: "no" }] }])
    const front = new Front(program, at).read().send({ _tag: "SubmitPrompt", prompt: "write" })
    const asked = await front.seen("ApprovalRequested")
    for (const more of [{ edited: { path: "b.txt" } }, { Scope: "once" }, { stopp: true }]) {
      const from = front.said.length
      front.send({ ...decide(asked, "approve"), ...more })
      assert.include((await front.seen("CommandRejected", from)).event["reason"], Object.keys(more).join())
    }
    const from = front.said.length
    for (const { _tag, ...fields } of everyCommand) front.send({ _tag, ...fields, surplus: 1 })
    front.send(decide(asked, "deny"))
    await front.seen("TaskCompleted", from)
    assert.strictEqual(await front.end().code, 0)
    const refused = front.said.slice(from).filter(({ event }) => event._tag === "CommandRejected")
    assert.deepStrictEqual(
      refused.map(({ event }) => [event["command"], /surplus: .*/.test(event["reason"] as string)]),
      everyCommand.map(({ _tag }) => [_tag, true])
    )
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
  })

  it.each([
    { flags: ["--mode", "plan"], sets: { ask: "lets more run than plan", sandboxed: "lets more run than plan" } },
    { flags: [], sets: { edits: "lets more run than ask", plan: undefined } },
    {
      flags: ["--mode", "plan", "--mode-up-to", "edits"],
      sets: { sandboxed: "lets more run than edits", edits: undefined, plan: undefined }
    }
  ])("sets no mode above that of the run unless the command line says so: $flags (U13)", async ({ flags, sets }) => {
    scripted(at, [{ steps: [{ say: "no" }] }])
    const front = new Front(program, at, flags).read()
    for (const [policy, said] of Object.entries(sets)) {
      const from = front.said.length
      front.send({ _tag: "SetApprovalPolicy", policy })
      const answer = await front.seen(said === undefined ? "ApprovalPolicySet" : "CommandRejected", from)
      if (said !== undefined) assert.include(answer.event["reason"], said, policy)
    }
    assert.strictEqual(await front.end().code, 0)
  })

  it("that does not read holds up nothing, and reads all of it later (R4)", async () => {
    const text = "lorem ipsum ".repeat(20_000)
    const turns = [...Array.from({ length: 6 }, () => ({ steps: [{ say: text }] })), { steps: [write] }]
    scripted(at, [...turns, { steps: [{ say: "written" }] }], { autoCompact: false })
    assert.strictEqual((await tollgate(at, ["sessions", "list"])).code, 0)
    const front = new Front(program, at)
    for (let index = 0; index < 7; index++) front.send({ _tag: "SubmitPrompt", prompt: `${index}` })
    // Nobody reads the pipe: the request is found in the store, and decided all the same.
    await until(() => requestOf(at) !== undefined)
    const { digest, id } = requestOf(at)!
    front.send({ _tag: "DecideApproval", approvalId: id, digest, decision: "approve" }).end()
    await until(() => fs.existsSync(path.join(at.work, "a.txt")))
    front.read()
    assert.strictEqual(await front.code, 0)
    const durable = front.said.filter(({ transient }) => transient !== true)
    assert.deepStrictEqual(
      durable.map(({ seq }) => seq),
      durable.map((_, index) => index + 1)
    )
    assert.strictEqual(front.tags().filter((tag) => tag === "TaskCompleted").length, 7)
  })

  it("that leaves while a request waits leaves it waiting; one that interrupts ends the task (R9, U8)", async () => {
    scripted(at, [{ steps: [write] }, { steps: [{ say: "written" }] }])
    const front = new Front(program, at).read().send({ _tag: "SubmitPrompt", prompt: "write" })
    const asked = await front.seen("ApprovalRequested")
    assert.strictEqual(await front.end().code, 3)
    const next = new Front(program, at, ["--session", asked.session]).read()
    const { event } = await next.seen("SessionResumed")
    assert.strictEqual(event.goesOn.approvals[0]?.digest, asked.event.request.digest)
    next.send({ _tag: "Interrupt" })
    await next.seen("TaskInterrupted")
    assert.strictEqual(await next.end().code, 130)
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
  })

  it("that closes its end of the output ends the run (R9)", async () => {
    scripted(at, [{ steps: [write] }, { steps: [{ say: "written" }] }])
    const front = new Front(program, at)
    front.child.stdout.destroy()
    front.send({ _tag: "SubmitPrompt", prompt: "write" })
    assert.strictEqual(await front.code, 141)
  })

  it("is answered by one document with --json, which is one document everywhere", async () => {
    scripted(at, [{ steps: [{ say: "hello" }] }])
    const { code, stdout } = await tollgate(at, ["run", "--json", "go"])
    const { outcome, session, text } = JSON.parse(stdout) as Record<string, unknown>
    assert.deepStrictEqual([code, outcome, text], [0, "completed", "hello"])
    const printed = async (words: string, option: string) => (await tollgate(at, [...words.split(" "), option])).stdout
    for (const words of ["sessions list", "events"]) {
      const lines = (await printed(words, "--jsonl")).split("\n").filter((line) => line !== "")
      assert.isAbove(lines.length, 0, words)
      assert.include(lines[0], String(session), words)
      assert.deepStrictEqual(
        JSON.parse(await printed(words, "--json")),
        lines.map((line) => JSON.parse(line) as unknown),
        words
      )
    }
    for (const words of ["approvals list", "approvals rules", "approvals audit", "approvals stats", "trust list"])
      assert.deepStrictEqual(JSON.parse(await printed(words, "--json")), [], words)
    assert.include((await tollgate(at, ["events"])).stdout, "TaskCompleted")
    assert.strictEqual((await tollgate(at, ["run", "--json", "--jsonl", "go"])).code, 2)
  })

  it("is one document of what was changed with --json as well, which asks nothing (K6, U12)", async () => {
    const write = { call: { name: "write_file", arguments: { path: "a.txt", content: "a\n" } } }
    scripted(at, [{ steps: [write, { say: "written" }] }, { repeat: true, steps: [{ say: "hello" }] }])
    const document = async (...words: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await tollgate(at, [...words, "--json"])
      assert.strictEqual(code, 0, stderr)
      return JSON.parse(stdout) as Record<string, unknown>
    }
    const set = await document("config", "set", "approvals.policy", "allow-edits")
    assert.deepInclude(set, { key: "approvals.policy", value: "allow-edits", unusable: 0 })
    const { session } = (await document("run", "go")) as { readonly session: string }
    const { session: second } = (await document("run", "again")) as { readonly session: string }
    assert.notProperty(await document("config", "unset", "approvals.policy"), "value")

    const to = String(tagsOf(at).indexOf("TaskQueued") + 1)
    for (const words of [
      ["sessions", "rewind", session, "--to", to],
      ["sessions", "delete", session],
      ["sessions", "prune", "--larger-than", "0B"]
    ]) {
      const { code, stderr, stdout } = await tollgate(at, [...words, "--json"])
      assert.deepStrictEqual([code, stdout], [2, ""], stderr)
      assert.include(stderr, "--json asks nothing")
    }
    const files = [{ change: "deleted", path: "a.txt" }]
    const rewind = ["sessions", "rewind", session, "--to", to]
    assert.deepInclude(await document(...rewind, "--dry-run"), { session, rewound: false, files })
    assert.isTrue(fs.existsSync(path.join(at.work, "a.txt")))
    assert.deepInclude(await document(...rewind, "--yes"), { session, rewound: true, files })
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))

    const all = ["sessions", "prune", "--larger-than", "0B"]
    const { sessions: dry } = (await document(...all, "--dry-run")) as { readonly sessions: ReadonlyArray<object> }
    assert.sameDeepMembers(
      dry.map((one): object => ({ ...one, bytes: 0 })),
      [
        { session, title: "go", bytes: 0, deleted: false, stays: "--dry-run" },
        { session: second, title: "again", bytes: 0, deleted: false, stays: "--dry-run" }
      ]
    )
    assert.deepInclude(await document("sessions", "delete", second, "--yes"), { session: second, deleted: true })
    const { sessions: gone } = (await document(...all, "--yes")) as { readonly sessions: ReadonlyArray<object> }
    assert.lengthOf(gone, 1)
    assert.deepInclude(gone[0], { session, deleted: true })
    assert.deepStrictEqual(await document(...all, "--yes"), { sessions: [] })
  })

  it("is one document of sessions, configuration and installation with --json as well (U12)", async () => {
    scripted(at, [{ steps: [{ say: "hello" }] }])
    const ran = await tollgate(at, ["run", "--json", "go"])
    const { session } = JSON.parse(ran.stdout) as { readonly session: string }
    const document = async (...words: ReadonlyArray<string>) => {
      const { code, stdout } = await tollgate(at, [...words, "--json"])
      return { code, said: JSON.parse(stdout) as Record<string, unknown> }
    }
    const rows = (said: unknown) => said as ReadonlyArray<Record<string, unknown>>
    const shown = (await document("sessions", "show", session)).said
    const tags = (shown["events"] as ReadonlyArray<{ readonly event: { readonly _tag: string } }>).map(
      ({ event }) => event._tag
    )
    assert.deepInclude(shown, { id: session, title: "go" })
    assert.strictEqual(tags[0], "SessionCreated")
    assert.include(tags, "TaskCompleted")
    const named = await document("sessions", "title", session, "a", "title")
    assert.deepStrictEqual(named, { code: 0, said: { session, title: "a title" } })
    const { copyOf, session: copy } = (await document("sessions", "fork", session)).said
    assert.strictEqual(copyOf, session)
    assert.deepInclude(sessionsOf(at), { id: String(copy), title: "a title (fork)" })
    const values = rows((await document("config")).said["values"])
    assert.strictEqual(values.find(({ key }) => key === "profile")?.["value"], "test")
    assert.deepInclude((await document("config", "get", "profiles.test")).said, { provider: "scripted" })
    assert.strictEqual((await document("config", "get", "profile")).said as unknown, "test")
    const checked = await document("doctor", "--offline")
    assert.strictEqual(checked.code, 0)
    assert.includeMembers(
      rows(checked.said).map(({ what }) => what),
      ["tollgate", "sessions", "profile test", "sandbox"]
    )
    const fronts = (await document("doctor", "--stack")).said
    assert.includeMembers(
      rows(fronts).map(({ name }) => name),
      ["run_shell", "tollgate …, any other command"]
    )
    fs.rmSync(path.join(at.work, "script.json"), { force: true })
    await tollgate(at, ["config", "set", "profiles.test.script", "nowhere.json"])
    const broken = await document("doctor", "--offline")
    assert.notStrictEqual(broken.code, 0)
    assert.deepInclude(
      rows(broken.said).find(({ what }) => what === "profile test"),
      { state: "missing" }
    )
  })

  it("is written as docs/programs.md shows it, in Node and in a shell", async () => {
    const page = fs.readFileSync(path.join(import.meta.dirname, "../../docs/programs.md"), "utf8")
    const sample = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? ""
    const bin = path.join(at.home, "bin")
    fs.mkdirSync(bin)
    fs.writeFileSync(path.join(bin, "tollgate"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
      mode: 0o755
    })
    const env = { ...at.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` }
    const run = (file: string, ...args: ReadonlyArray<string>) =>
      new Promise<string>((resolve, reject) =>
        execFile(file, args, { cwd: at.work, env }, (error, stdout) =>
          error === null ? resolve(stdout) : reject(error)
        )
      )
    const hello = { call: { name: "write_file", arguments: { path: "hello.txt", content: "hi\n" } } }
    for (const [language, file] of [
      ["js", process.execPath],
      ["sh", "/bin/sh"]
    ] as const) {
      scripted(at, [{ steps: [hello] }, { steps: [{ say: "It is written." }] }])
      const script = path.join(at.home, `sample.${language === "js" ? "mjs" : "sh"}`)
      fs.writeFileSync(script, sample(language))
      assert.strictEqual((await run(file, script)).trim(), "It is written.", language)
      assert.strictEqual(fs.readFileSync(path.join(at.work, "hello.txt"), "utf8"), "hi\n")
      fs.rmSync(path.join(at.work, "hello.txt"))
    }
  })
})
