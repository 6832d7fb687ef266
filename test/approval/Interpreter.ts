import Sqlite from "better-sqlite3"
import { assert } from "@effect/vitest"
import { Effect, Either, Fiber, Queue, TestClock } from "effect"
import { posted } from "../../src/agent/PostedTranscript.ts"
import { Audit } from "../../src/approval/Audit.ts"
import type { Verification } from "../../src/approval/AuditChain.ts"
import { digest } from "../../src/approval/Digest.ts"
import { namespaced } from "../../src/approval/ReservedNames.ts"
import { argvOf, pathTest, type Rule } from "../../src/approval/Rule.ts"
import type { Message, StoredMessage } from "../../src/conversation/Message.ts"
import {
  CreateSession,
  DecideApproval,
  Interrupt,
  InvokeTool,
  ResumeSession,
  RevokeApproval,
  Shutdown,
  SubmitPrompt
} from "../../src/runtime/Command.ts"
import { schemaVersion } from "../../src/runtime/Envelope.ts"
import type { Event } from "../../src/runtime/Event.ts"
import { isTerminal } from "../../src/runtime/Event.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { ApprovalResolved, trusted } from "../../src/tool/ToolEvent.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import { foreignTool, mockTools } from "./MockTools.ts"
import * as World from "./World.ts"

/** A step of a row; the corpus says which fields belong to which. */
export interface Step {
  readonly step: string
  readonly id?: string
  readonly name?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly worker?: string
  readonly from?: string
  readonly raw?: string
  readonly chunks?: ReadonlyArray<string>
  readonly text?: string
  readonly approval?: string
  readonly decision?: "approve" | "deny"
  readonly scope?: "once" | "session" | "always"
  readonly args_hash?: string
  readonly edited_args?: Readonly<Record<string, unknown>>
  readonly ms?: number
  readonly steps?: ReadonlyArray<Step>
  readonly n?: number
  readonly server?: string
  readonly tool?: string
  readonly tools?: ReadonlyArray<string>
  readonly key?: string
  readonly pattern?: string
  readonly glob?: string
  readonly do?: string
  readonly to?: string
  readonly call?: string
  readonly at?: string
  readonly tool_call_id?: string
  readonly content?: unknown
}

export interface Expected {
  readonly executed: ReadonlyArray<string>
  readonly prompts?: number
  readonly errors?: Readonly<Record<string, string>>
  readonly auditContains?: ReadonlyArray<string>
  readonly invariants?: ReadonlyArray<string>
}

export interface Input {
  readonly steps: ReadonlyArray<Step>
  readonly given?: { readonly clientSupportsApproval?: boolean }
}

/** What the corpus calls the ways in which a call or a decision fails. */
const tags: Readonly<Record<string, string>> = {
  ParametersInvalid: "ArgsInvalid",
  ArgumentsMalformed: "ArgsInvalid",
  ApprovalExpired: "ApprovalTimeout",
  "ApprovalNotPending: unknown": "ApprovalUnknown",
  "ApprovalNotPending: granted": "ApprovalAlreadyResolved",
  "ApprovalNotPending: denied": "ApprovalAlreadyResolved",
  "ApprovalNotPending: expired": "ApprovalExpired",
  "ApprovalNotPending: withdrawn": "ApprovalSuperseded",
  "ApprovalMismatch: digest": "ApprovalArgsMismatch",
  "ApprovalMismatch: scope": "ApprovalScopeInvalid",
  "ApprovalMismatch: session": "ApprovalSessionMismatch"
}

const endOf = (event: Event, callId: string) =>
  (event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed" || event._tag === "ToolCallInterrupted") &&
  event.callId === callId

interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** What a row has led to. */
export interface Outcome {
  readonly world: World.World
  readonly executed: ReadonlyArray<string>
  readonly prompts: number
  readonly errors: ReadonlyMap<string, string>
  readonly audit: ReadonlyArray<string>
  readonly requests: ReadonlyArray<ApprovalRequest>
  readonly verification: Verification | undefined
}

const session = "s1"

/** Plays the steps of a row against a real runtime with mock tools. */
export const play = (input: Input) =>
  Effect.gen(function* () {
    const kinds = new Set(input.steps.map(({ step }) => step))
    const world = yield* World.make({
      policy: input.given?.clientSupportsApproval === false ? "fail" : "ask",
      retry: kinds.has("retry_middleware"),
      tools: (machine) => [...mockTools(machine), foreignTool(machine, "mcp__s__t", "A tool of a server")]
    })
    world.machine.failFirst = kinds.has("retry_middleware")
    const errors = new Map<string, string>()
    const requests: Array<ApprovalRequest> = []
    /** Calls in the order of the corpus, by which A1, A2 … go. */
    const calls: Array<Call> = []
    const setup = new Set<string>()
    const decided = new Map<string, number>()
    const workers = new Map<string, Fiber.RuntimeFiber<unknown, unknown>>()
    let verification: Verification | undefined
    let task: string | undefined
    let said: string | undefined
    let count = 0
    let typed = false

    const send = (command: Parameters<World.Boot["runtime"]["send"]>[0]) =>
      Effect.orDie(world.boot.runtime.send(command))
    /** Everything sent before it has been handled when this returns. */
    const fence = Effect.suspend(() => {
      const commandId = `fence-${++count}`
      return Effect.zipRight(
        send(new RevokeApproval({ session, commandId, grantId: "none" })),
        world.awaitEvent(session, (event) => event._tag === "CommandRejected" && event.commandId === commandId)
      )
    })
    const note = (label: string, tag: string) => errors.set(label, tags[tag] ?? tag)

    const settled = (id: string) =>
      Effect.map(
        world.awaitEvent(
          session,
          (event) => endOf(event, id) || (event._tag === "ApprovalRequested" && event.request.callId === id)
        ),
        ({ event }) => {
          if (event._tag === "ApprovalRequested") requests.push(event.request)
          if (event._tag === "ToolCallFailed") {
            const manual = world.tools.find(({ name }) => name === event.tool)?.mode === "manual"
            note(id, manual && event.error._tag === "ToolNotFound" ? "ManualOnlyTool" : event.error._tag)
          }
          return event
        }
      )
    const ended = (id: string) =>
      Effect.map(
        world.awaitEvent(session, (event) => endOf(event, id)),
        ({ event }) => {
          if (event._tag === "ToolCallFailed") note(id, event.error._tag)
        }
      )

    /** One answer of the model with these calls, in the task at hand or in a new one. */
    const ask = (batch: ReadonlyArray<Call>) =>
      Effect.gen(function* () {
        if (task === undefined) {
          task = `task-${++count}`
          yield* send(new SubmitPrompt({ session, task, prompt: "go" }))
        }
        yield* Queue.offer(world.boot.turns, { calls: batch, ...(said === undefined ? {} : { say: said }) })
        said = undefined
        const first = yield* Effect.forEach(batch, ({ id }) => settled(id))
        if (first.some((event) => event._tag === "ToolCallFailed" && event.error._tag === "ApprovalUnavailable")) {
          task = undefined
        }
      })

    const callOf = (step: Step): Call => ({
      id: step.id ?? `call-${++count}`,
      name: step.name ?? "",
      arguments: step.raw ?? step.chunks?.join("") ?? JSON.stringify(step.args ?? {})
    })

    const inWorker = (step: Step) =>
      Effect.gen(function* () {
        const call = callOf(step)
        calls.push(call)
        const running = yield* Effect.fork(
          world.boot.tools.call({
            name: call.name,
            callId: call.id,
            sessionId: session,
            workerPath: ["root", step.worker ?? "W"],
            rawParams: JSON.parse(call.arguments),
            startedAt: 0,
            sink: silent
          })
        )
        workers.set(call.id, running)
        let found: ApprovalRequest | undefined
        while (found === undefined) {
          yield* Effect.yieldNow()
          found = (yield* world.boot.approvals.pending).find(({ callId }) => callId === call.id)
        }
        requests.push(found)
      })

    const byOperator = (step: Step) =>
      Effect.gen(function* () {
        const own = `manual-${++count}`
        yield* send(new InvokeTool({ session, task: own, tool: step.name ?? "", parameters: step.args ?? {} }))
        const { event } = yield* world.awaitEvent(
          session,
          (event, envelope) =>
            envelope.task === own &&
            (isTerminal(event) || event._tag === "ToolCallFailed" || event._tag === "ApprovalRequested")
        )
        if (event._tag === "ToolCallFailed") note(step.id ?? "c1", event.error._tag)
        if (event._tag === "ApprovalRequested") requests.push(event.request)
      })

    const requestFor = (label: string): ApprovalRequest | undefined => {
      const call = calls[Number(label.slice(1)) - 1]
      return requests.find(({ callId }) => callId === call?.id)
    }

    const digestOf = (step: Step, request: ApprovalRequest): string => {
      if (step.args_hash !== undefined) return step.args_hash
      const tool = world.tools.find(({ name }) => name === request.tool)
      return step.edited_args === undefined || tool === undefined
        ? request.digest
        : digest(
            { name: tool.name, tool, rawParams: step.edited_args, workerPath: request.workerPath, sessionId: session },
            request.preview?.targets ?? []
          )
    }

    const decide = (step: Step, wait = true) =>
      Effect.gen(function* () {
        const label = step.approval ?? ""
        const times = (decided.get(label) ?? 0) + 1
        decided.set(label, times)
        const name = times === 1 ? label : `${label}#${times}`
        const request = requestFor(label)
        const before = (yield* world.auditRows).filter(({ kind }) => kind === "decision_refused").length
        yield* send(
          new DecideApproval({
            session,
            approvalId: request?.id ?? label,
            digest: request === undefined ? "" : digestOf(step, request),
            decision: step.decision ?? "deny",
            ...(step.scope === undefined ? {} : { scope: step.scope })
          })
        )
        if (!wait) return
        yield* fence
        const refused = (yield* world.auditRows).filter(({ kind }) => kind === "decision_refused")
        const last = refused[refused.length - 1]
        if (refused.length > before && last !== undefined) note(name, last.outcome ?? "")
        else if (request !== undefined) {
          const worker = workers.get(request.callId)
          yield* worker === undefined ? ended(request.callId) : Effect.asVoid(Fiber.await(worker))
        }
      })

    /** A session approval that the row presupposes; it is neither a prompt nor a run of the row. */
    const presuppose = (name: string, args: Readonly<Record<string, unknown>>) =>
      Effect.gen(function* () {
        const call: Call = { id: `setup-${++count}`, name, arguments: JSON.stringify(args) }
        setup.add(call.id)
        yield* ask([call])
        const request = requests.pop()
        assert.isDefined(request)
        if (request === undefined) return
        const { digest, id: approvalId } = request
        yield* send(new DecideApproval({ session, approvalId, digest, decision: "approve", scope: "session" }))
        yield* ended(call.id)
      })

    const saveRule = (rule: Rule) =>
      Effect.zipRight(Effect.orDie(world.boot.rules.save("test", rule)), world.boot.approvals.beginTask(session))

    const stored = Effect.map(world.recorded(session), (envelopes): ReadonlyArray<StoredMessage> =>
      envelopes.flatMap(({ event }) => ("message" in event && typeof event.message === "object" ? [event.message] : []))
    )

    const run = (step: Step): Effect.Effect<void> =>
      Effect.gen(function* () {
        switch (step.step) {
          case "model_text":
            said = step.text
            return
          case "delegate":
          case "mcp_annotation":
            return
          case "decision":
            return yield* decide(step, !world.hold.started)
          case "parallel": {
            // Either order is possible; the row expects the one in which the last is the first.
            for (const each of (step.steps ?? []).toReversed()) yield* run(each)
            return
          }
          case "client_message": {
            const known = yield* stored
            const message: Message = {
              role: "tool",
              tool_call_id: step.tool_call_id ?? "",
              content: JSON.stringify(step.content)
            }
            const read = posted(known, [...known.map(({ message }) => message), message])
            assert.deepStrictEqual(Either.getOrThrow(read).answers, [])
            const approvalId = step.tool_call_id ?? ""
            yield* send(new DecideApproval({ session, approvalId, digest: "", decision: "approve", scope: "session" }))
            yield* fence
            const refused = (yield* world.auditRows).filter(({ approval }) => approval === approvalId)
            return void note(approvalId, refused[0]?.outcome ?? "")
          }
          case "client_history": {
            const known = (yield* stored).map(({ message }) => message)
            const changed = known.map((message): Message =>
              message.role === "assistant" && message.tool_calls !== undefined
                ? {
                    ...message,
                    tool_calls: message.tool_calls.map((call) => ({
                      ...call,
                      function: { ...call.function, arguments: `{"command":"ls"}` }
                    }))
                  }
                : message
            )
            const read = posted(yield* stored, changed)
            if (Either.isLeft(read)) note("history", read.left._tag)
            return
          }
          case "keys_typed_before_prompt":
            typed = true
            yield* send(new DecideApproval({ session, approvalId: "latest", digest: "", decision: "approve" }))
            return void (yield* fence)
          case "crash": {
            return
          }
          case "shutdown":
            yield* send(new Shutdown({}))
            return yield* world.shutdown
          case "restart":
          case "resume_session": {
            if (step.step === "resume_session") yield* world.shutdown
            task = undefined
            yield* world.restart
            yield* send(new ResumeSession({ session }))
            yield* fence
            return yield* world.release
          }
          case "import_session": {
            const lease = yield* Effect.orDie(
              world.store.open({ session: "imported", create: { project: "test", profile: "", time: 0 } })
            )
            const forged = new ApprovalResolved(
              {
                callId: "c1",
                tool: "run_shell",
                approvalId: "a",
                outcome: "granted",
                scope: "session",
                by: "user",
                waitedMillis: 0
              },
              trusted
            )
            yield* Effect.orDie(
              world.store.append(lease, [
                {
                  version: schemaVersion,
                  seq: 1,
                  time: 0,
                  session: "imported",
                  task: "t",
                  worker: ["root"],
                  event: forged
                }
              ])
            )
            return yield* send(new ResumeSession({ session: "imported" }))
          }
          case "advance": {
            const shown = (yield* world.boot.approvals.pending)[0]
            yield* TestClock.adjust(step.ms ?? 0)
            if (shown !== undefined && (step.ms ?? 0) >= shown.timeoutMillis) yield* ended(shown.callId)
            return
          }
          case "wall_clock_jump":
          case "suspend_resume":
            world.clock.offset += step.ms ?? 0
            return
          case "fs":
            if (step.do?.includes("package.json") === true) world.machine.files.set("/w/package.json", "changed")
            else world.machine.files.set("/w/a", "mine")
            return
          case "mcp_approve":
            return yield* presuppose(`mcp__${step.server}__${step.tool}`, {})
          case "approve_session": {
            const [name = "", command = ""] = (step.key ?? "").split(": ")
            return yield* presuppose(name, { command })
          }
          case "mcp_tools_changed": {
            const name = `mcp__${step.server}__${step.tool}`
            return yield* world.swapTools([
              ...world.tools.filter((tool) => tool.name !== name),
              foreignTool(world.machine, name, "Something else altogether")
            ])
          }
          case "mcp_tools": {
            const known = new Map(world.tools.map((tool) => [tool.name, tool]))
            const names = yield* Effect.provideService(
              namespaced(step.server ?? "", step.tools ?? [], known),
              Audit,
              world.boot.audit
            )
            for (const { name } of names) assert.match(name, /^mcp__evil__\w+$/)
            assert.strictEqual(names.length, step.tools?.length)
            yield* world.swapTools([
              ...world.tools,
              ...names.map(({ name, original }) => foreignTool(world.machine, name, original))
            ])
            const rows = yield* world.auditRows
            assert.isTrue(rows.some(({ kind }) => kind === "registration_warning"))
            return
          }
          case "grant_pattern": {
            const argv = argvOf(step.pattern ?? "")
            if (Either.isLeft(argv)) return void note("grant", argv.left._tag)
            return yield* saveRule({ id: "p", decision: "allow", level: "user", tool: "run_shell", argv: argv.right })
          }
          case "grant_glob": {
            const test = pathTest(step.glob ?? "", "/w")
            if (Either.isLeft(test)) return void note("grant", test.left._tag)
            const { glob = "", tool = "" } = step
            return yield* saveRule({ id: "g", decision: "allow", level: "user", tool, path: glob })
          }
          case "dialog_swap": {
            yield* send(new Interrupt({ session }))
            yield* Effect.forEach(calls, ({ id }) => ended(id))
            task = undefined
            const [id = "c2", ...command] = (step.to ?? "").split(" ")
            return yield* ask([{ id, name: "run_shell", arguments: JSON.stringify({ command: command.join(" ") }) }])
          }
          case "repeat": {
            const original = calls[0]
            if (original === undefined) return
            for (let time = 1; time <= (step.n ?? 0); time++) {
              const call = { ...original, id: `${original.id}-again-${time}` }
              const asked = requests.length
              yield* ask([call])
              const request = requests[asked]
              if (request === undefined) continue
              yield* send(
                new DecideApproval({ session, approvalId: request.id, digest: request.digest, decision: "deny" })
              )
              yield* ended(call.id)
            }
            return
          }
          case "retry_middleware":
            return yield* decide({ step: "decision", approval: "A1", decision: "approve", scope: "once" })
          case "burst":
            return yield* burst(step.n ?? 0, step.tool ?? "")
          case "tamper": {
            yield* Effect.orDie(Effect.map(world.boot.audit.verify, (found) => assert.isTrue(found.intact)))
            const database = new Sqlite(world.database)
            database.exec("DROP TRIGGER audit_unchanged; DROP TRIGGER audit_kept")
            const statement = step.do ?? ""
            database.exec(
              /^(?:UPDATE|DELETE FROM|INSERT)/.test(statement)
                ? statement
                : "DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)"
            )
            database.close()
            return
          }
          case "verify":
            verification = yield* Effect.orDie(world.boot.audit.verify)
            return
          default:
            return yield* Effect.die(new Error(`the interpreter does not know the step ${step.step}`))
        }
      })

    /** More calls than one answer holds, in as many sessions as it takes. */
    const burst = (n: number, tool: string) =>
      Effect.gen(function* () {
        const size = 125
        const names = Array.from({ length: Math.ceil(n / size) }, (_, index) => `burst-${index}`)
        for (const [index, name] of names.entries()) {
          yield* send(new CreateSession({ session: name, project: "test" }))
          yield* send(new SubmitPrompt({ session: name, task: name, prompt: "go" }))
          const batch = Array.from({ length: Math.min(size, n - index * size) }, (_, at) => ({
            id: `${name}-${at}`,
            name: tool,
            arguments: `{"command":"touch ${name}-${at}"}`
          }))
          yield* Queue.offer(world.boot.turns, { calls: batch })
        }
        const full = (rows: World.World["auditRows"] extends Effect.Effect<infer A> ? A : never) =>
          rows.filter(({ outcome }) => outcome === "queue full").length
        let rows = yield* world.auditRows
        while (full(rows) < n - 32) {
          yield* Effect.yieldNow()
          rows = yield* world.auditRows
        }
        assert.strictEqual((yield* world.boot.approvals.pending).length, 32)
        for (const name of names) yield* send(new Interrupt({ session: name }))
        while ((yield* world.boot.approvals.pending).length > 0) yield* Effect.yieldNow()
      })

    yield* send(new CreateSession({ session, project: "test" }))
    while (Either.isLeft(yield* Effect.either(world.store.get(session)))) yield* Effect.yieldNow()

    const { steps } = input
    for (let index = 0; index < steps.length; index++) {
      const step = steps[index]
      if (step === undefined) continue
      if (step.step.startsWith("tool_call")) {
        if (step.worker !== undefined) yield* inWorker(step)
        else if (step.from !== undefined) yield* byOperator(step)
        else {
          const batch: Array<Call> = []
          for (let next: Step | undefined = step; next !== undefined; next = steps[++index]) {
            if (!next.step.startsWith("tool_call") || next.worker !== undefined || next.from !== undefined) break
            batch.push(callOf(next))
          }
          index--
          calls.push(...batch)
          yield* ask(batch)
        }
        continue
      }
      if (step.step === "decision" && steps[index + 1]?.step === "crash") world.hold.started = true
      yield* run(step)
      if (world.hold.started && step.step === "decision") {
        const request = requestFor(step.approval ?? "")
        while (!(yield* world.isResolved(session, request?.id ?? ""))) yield* Effect.yieldNow()
      }
    }
    const rows = yield* world.auditRows
    const outcome: Outcome = {
      world,
      executed: world.machine.executed.filter((id) => !setup.has(id)),
      prompts: rows.filter(({ call, kind }) => kind === "requested" && (call === null || !setup.has(call))).length,
      errors,
      audit: rows.map(({ kind }) => kind),
      requests,
      verification
    }
    if (typed) assert.strictEqual(outcome.executed.length, 0)
    return outcome
  })
