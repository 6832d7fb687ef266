import { assert } from "@effect/vitest"
import { Effect, Either, Queue } from "effect"
import { Audit } from "../../src/audit/Audit.ts"
import type { Verification } from "../../src/audit/AuditChain.ts"
import { namespaced } from "./ForeignNames.ts"
import {
  ClearSession,
  CompactSession,
  CreateSession,
  DecideApproval,
  EndSession,
  Interrupt,
  ResumeSession,
  RevokeApproval,
  SetApprovalPolicy,
  Shutdown,
  SubmitPrompt,
  SwitchModel
} from "../../src/runtime/Command.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { globbed, hosted, pattern, policyOf, revoked } from "./granting.ts"
import { foreignTool, openTool } from "./MockTools.ts"
import { imported, postedHistory, postedMessage } from "./posting.ts"
import type { Meaning, Stage } from "./Stage.ts"
import { millisOf, type Step, wordOf } from "./Step.ts"
import { tamper } from "../audit/tamper.ts"

const nothing: Meaning = () => Effect.void

const jump =
  (sign: 1 | -1): Meaning =>
  ({ world }, step) =>
    Effect.sync(() => {
      world.clock.offset += sign * millisOf(step)
    })

/** What somebody does to the files, as the row says it. */
const touch: Meaning = ({ calls, world: { machine } }, { do: said = "", path, step, target }) =>
  Effect.sync(() => {
    const absolute = (file: string) => (file.startsWith("/") ? file : `/w/${file}`)
    if (/sym_?-?link|\bln -s\b/i.test(said) || step.includes("symlink")) {
      const outside = /(?:^|\s)(?:~|\/(?!w\/))\S*/.exec(said)?.[0].trim()
      const link = /(?:sym-?link)\s+(\S+)\s*(?:->|to)\s*(\S+)/i.exec(said)
      const written = Either.getOrUndefined(Either.try((): unknown => JSON.parse(calls.at(-1)?.arguments ?? "{}")))
      const last = typeof written === "object" && written !== null && "path" in written ? String(written.path) : "a"
      const to = (target ?? link?.[2] ?? outside ?? "/etc/passwd").replace("~", "/home/u")
      return void machine.links.set(absolute(path ?? (link?.[1] === "to" ? last : (link?.[1] ?? last))), absolute(to))
    }
    const named = path ?? /[\w./-]*\b\w+\.(?:json|ts|js|sh|py|md|mk|txt)\b|\bMakefile\b|\bjustfile\b/.exec(said)?.[0]
    const file = absolute(named ?? /(?:edits?|changes?|deletes?|removes?)\s+([\w./-]+)$/.exec(said)?.[1] ?? "a")
    if (/delete|remove/i.test(said)) machine.files.delete(file)
    else machine.files.set(file, "mine")
  })

const redefined: Meaning = ({ world }, { name, server, tool = "" }) => {
  const changed = server === undefined ? (name ?? tool) : `mcp__${server}__${tool}`
  return world.swapTools([
    ...world.tools.filter((known) => known.name !== changed),
    foreignTool(world.machine, changed, "Something else altogether")
  ])
}

const registered: Meaning = (stage, { name, tools = [] }) =>
  Effect.forEach(
    name === undefined ? tools : [name, ...tools],
    (each) =>
      Effect.gen(function* () {
        const { world } = stage
        const made = openTool(world.machine, each)
        const sealed = yield* Effect.either(Toolset.make([...world.tools, made], { gate: Gate.unguarded("unit test") }))
        if (Either.isLeft(sealed)) for (const label of [each, "registration"]) stage.note(label, sealed.left._tag)
        else yield* world.swapTools([...world.tools, made])
      }),
    { discard: true }
  )

const resumed: Meaning = (stage, { session = stage.session }) =>
  Effect.zipRight(stage.send(new ResumeSession({ session })), stage.fence(session))

/** Another process goes on; whatever the one before still does counts no more. */
const restarted = (stage: Stage) =>
  Effect.gen(function* () {
    stage.abandon()
    yield* stage.world.restart
    yield* Effect.forEach(stage.sessions(), (session) => resumed(stage, { step: "", session }), { discard: true })
    yield* stage.world.release
  })

const interrupted: Meaning = (stage, { session = stage.session }) =>
  Effect.zipRight(stage.send(new Interrupt({ session })), stage.leave(session))

/** More calls than may wait; those of one answer are asked for one after the other, so they come from many sessions. */
const burst: Meaning = ({ send, world }, { n = 0, tool = "run_shell" }) =>
  Effect.gen(function* () {
    const size = Math.ceil(n / 100)
    const names = Array.from({ length: Math.ceil(n / size) }, (_, index) => `burst-${index}`)
    for (const [index, name] of names.entries()) {
      const turns = yield* world.boot.turnsOf(name)
      yield* send(new CreateSession({ session: name, project: "test" }))
      yield* send(new SubmitPrompt({ session: name, task: name, prompt: name }))
      const calls = Array.from({ length: Math.min(size, n - index * size) }, (_, at) => ({
        id: `${name}-${at}`,
        name: tool,
        arguments: `{"command":"touch ${name}-${at}"}`
      }))
      yield* Queue.offer(turns, { calls })
    }
    const known = world.tools.some(({ name }) => name === tool)
    const refused = Effect.map(world.auditRows, (rows) => rows.filter(({ outcome }) => outcome === "queue full").length)
    if (known) {
      while ((yield* refused) < n - 32 * size) yield* Effect.yieldNow()
      while ((yield* world.boot.approvals.state()).pending.length < Math.min(n, 32)) yield* Effect.yieldNow()
    }
    assert.isAtMost((yield* world.boot.approvals.state()).pending.length, 32)
    for (const name of names) yield* send(new Interrupt({ session: name }))
    const open = Effect.map(world.boot.approvals.state(), ({ pending: found }) =>
      found.some(({ sessionId }) => names.includes(sessionId))
    )
    while (yield* open) yield* Effect.yieldNow()
  })

const repeated: Meaning = (stage, { call = "", n = 1 }) =>
  Effect.gen(function* () {
    const original = stage.calls.find(({ id }) => call.split(" ").includes(id)) ?? stage.calls[0]
    if (original === undefined) return
    for (let time = 1; time <= n; time++) {
      const made = stage.called({
        step: "tool_call",
        id: `${original.id}-again-${time}`,
        name: original.name,
        raw: original.arguments,
        session: original.session
      })
      yield* stage.ask([made], original.session)
      const [request] = made.requests
      if (request === undefined) continue
      const { digest, id: approvalId, sessionId: session } = request
      yield* stage.send(new DecideApproval({ session, approvalId, digest, decision: "deny" }))
      yield* stage.settle(made)
    }
  })

const swapped: Meaning = (stage, { to = "" }) =>
  Effect.gen(function* () {
    yield* interrupted(stage, { step: "" })
    const [id = "c2", ...command] = to.split(" ")
    const made = stage.called({ step: "tool_call", id, name: "run_shell", args: { command: command.join(" ") } })
    yield* stage.ask([made])
  })

const foreignTools: Meaning = ({ world }, { server = "", tools = [] }) =>
  Effect.gen(function* () {
    const known = new Map(world.tools.map((tool) => [tool.name, tool]))
    const names = yield* Effect.provideService(namespaced(server, tools, known), Audit, world.boot.audit)
    yield* world.swapTools([
      ...world.tools,
      ...names.map(({ name, original }) => foreignTool(world.machine, name, original))
    ])
  })

const typed: Meaning = ({ fence, send, session }) =>
  Effect.zipRight(
    send(new DecideApproval({ session, approvalId: "latest", digest: "", decision: "approve" })),
    Effect.asVoid(fence())
  )

/** Any command opens a session again; one that is just closing refuses it. */
const reopened = ({ fresh, send, world }: Stage, session: string) =>
  Effect.gen(function* () {
    for (;;) {
      const commandId = fresh("reopen")
      yield* send(new RevokeApproval({ session, commandId, grantId: "none" }))
      for (let turn = 0; turn < 100; turn++) {
        const answered = ({ event }: Envelope) => event._tag === "CommandRejected" && event.commandId === commandId
        if ((yield* world.recorded(session)).some(answered)) return
        yield* Effect.yieldNow()
      }
    }
  })

const ended: Meaning = (stage, { session = stage.session }) =>
  Effect.gen(function* () {
    yield* stage.send(new EndSession({ session }))
    yield* stage.leave(session)
    yield* stage.world.awaitEvent(session, (event) => event._tag === "SessionEnded")
    yield* reopened(stage, session)
  })

/** Whoever shuts down in a row is done with the sessions: what they were asked dies with them. */
const shutDown: Meaning = (stage) =>
  Effect.gen(function* () {
    for (const session of stage.sessions()) {
      yield* stage.send(new EndSession({ session }))
      yield* stage.leave(session)
      yield* stage.world.awaitEvent(session, (event) => event._tag === "SessionEnded")
    }
    yield* stage.send(new Shutdown({}))
    yield* stage.world.shutdown
  })

const compacted: Meaning = (stage, { session = stage.session }) =>
  Effect.gen(function* () {
    yield* interrupted(stage, { step: "", session })
    const task = stage.fresh("compact")
    yield* stage.send(new CompactSession({ session, task }))
    yield* Queue.offer(stage.world.boot.turns, { say: "a summary" })
    yield* stage.world.awaitEvent(session, (event) => event._tag === "SessionCompacted")
  })

/**
 * What the product has for each step. What happens only to a frontend, to a server's hints or to the process beside the
 * runtime does nothing here, for none of it is evidence of a decision.
 */
const meanings: Readonly<Record<string, Meaning>> = {
  model_text: (stage, { text = "" }) => Effect.sync(() => stage.say(text)),
  tool_result: ({ world }, { content, text }) =>
    Effect.sync(() => {
      world.machine.answer = text ?? (typeof content === "string" ? content : JSON.stringify(content ?? "done"))
    }),
  client_message: postedMessage,
  client_history: postedHistory,
  keys_typed_before_prompt: typed,
  paste: typed,
  decision: (stage, step) => stage.decide(step),
  advance: (stage, step) => stage.advance(step),
  wall_clock_jump: jump(1),
  clock_back: jump(-1),
  suspend_resume: ({ world }, step) =>
    Effect.sync(() => {
      world.clock.offset += millisOf(step)
      world.clock.slept += millisOf(step)
    }),
  fs: touch,
  interrupt: interrupted,
  end_session: ended,
  new_session: (stage, { id, session = id ?? stage.fresh("session") }) => stage.enter(session),
  clear: (stage, { session = stage.session }) =>
    interrupted(stage, { step: "", session }).pipe(
      Effect.zipRight(stage.send(new ClearSession({ session }))),
      Effect.zipRight(stage.fence(session))
    ),
  compact: compacted,
  switch_model: (stage, { session = stage.session }) =>
    Effect.zipRight(stage.send(new SwitchModel({ session, profile: "scripted" })), stage.fence(session)),
  set_approval_policy: (stage, { policy = "", session = stage.session }) =>
    Effect.zipRight(stage.send(new SetApprovalPolicy({ session, policy: policyOf(policy) })), stage.fence(session)),
  shutdown: shutDown,
  // A signal or a closed terminal ends the process in good order, and no session.
  hangup: (stage) => stage.world.shutdown,
  restart: restarted,
  resume_session: (stage) => Effect.zipRight(stage.world.shutdown, restarted(stage)),
  import_session: imported,
  approve_session: (stage, { args, command, key = "", tool }) => {
    const [name = "", said = ""] = key.split(/: (.*)/s)
    const given = command ?? said
    return stage.presuppose(
      tool ?? (name === "" ? "run_shell" : name),
      args ?? (given === "" ? {} : { command: given })
    )
  },
  mcp_approve: (stage, { server, tool }) => stage.presuppose(`mcp__${server}__${tool}`, {}),
  grant_pattern: pattern("allow"),
  deny_pattern: pattern("deny"),
  ask_pattern: pattern("ask"),
  grant_glob: globbed("allow"),
  deny_glob: globbed("deny"),
  grant_host: hosted,
  revoke: revoked,
  mcp_tools: foreignTools,
  mcp_tools_changed: redefined,
  tool_redefined: redefined,
  register_tools: registered,
  hook_rewrites_args: ({ world }, { args = {}, edited_args, name, tool }) =>
    Effect.sync(() => void world.machine.rewritten.set(name ?? tool ?? "run_shell", edited_args ?? args)),
  worker_ends: nothing,
  dialog_swap: swapped,
  repeat: repeated,
  retry_middleware: (stage) => stage.decide({ step: "decision", approval: "A1", decision: "approve", scope: "once" }),
  burst,
  tamper: ({ world }, { do: what = "" }) =>
    Effect.zipRight(
      Effect.orDie(Effect.map(world.boot.audit.verify, (found) => assert.isTrue(found.intact))),
      Effect.sync(() => tamper(world, what))
    ),
  crash: nothing,
  delegate: nothing,
  mcp_annotation: nothing,
  list_grants: nothing,
  second_frontend: nothing,
  disconnect: nothing,
  reconnect: nothing,
  resize: nothing,
  env_change: nothing,
  cwd_change: nothing,
  http_post: nothing
}

/** An audit that cannot be read is not intact. */
export const verified = ({ world }: Stage): Effect.Effect<Verification> =>
  Effect.catchAll(world.boot.audit.verify, ({ message }) =>
    Effect.succeed({ intact: false, entries: 0, entry: 1, reason: message } as const)
  )

export const isKnown = (step: Step): boolean =>
  wordOf(step) in meanings || /^(?:tool_calls?(?:_raw|_stream)?|parallel|verify)$/.test(wordOf(step))

/**
 * What a step does. One that nobody knows does nothing: what the row expects of runs, prompts, errors and audit is checked
 * all the same. The rows kept here have none (see siblings.test.ts).
 */
export const perform = (stage: Stage, step: Step): Effect.Effect<void> =>
  (meanings[wordOf(step)] ?? nothing)(stage, step)
