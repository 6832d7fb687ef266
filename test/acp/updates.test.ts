import type { SessionUpdate } from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, FastCheck } from "effect"
import * as path from "node:path"
import { diffsOf } from "../../src/acp/Diffs.ts"
import { requestOf } from "../../src/acp/Permission.ts"
import { Terminals } from "../../src/acp/Terminals.ts"
import type { Told } from "../../src/acp/Told.ts"
import { Updates } from "../../src/acp/Updates.ts"
import { type Envelope, schemaVersion } from "../../src/runtime/Envelope.ts"
import { Event } from "../../src/runtime/Event.ts"
import { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { unifiedDiff } from "../../src/tools/files/UnifiedDiff.ts"
import { problemsOf } from "./Protocol.ts"

const few = FastCheck.constantFrom("a", "b")

/** Events of few tasks, workers and calls, so that they meet. */
const envelopes: FastCheck.Arbitrary<ReadonlyArray<Envelope>> = FastCheck.array(
  FastCheck.record({
    event: Arbitrary.make(Event),
    callId: few,
    task: few,
    worker: FastCheck.constantFrom(["root"], ["root", "helper"], ["compaction", "root"])
  }),
  { minLength: 1, maxLength: 40 }
).map((all) =>
  all.map(({ callId, event, task, worker }, index) => ({
    version: schemaVersion,
    seq: index + 1,
    time: index,
    session: "s1",
    task,
    iteration: 1,
    worker,
    event:
      "callId" in event
        ? Object.assign(Object.create(Object.getPrototypeOf(event) as object), event, { callId })
        : event
  }))
)

const updatesOf = (told: ReadonlyArray<Told>): ReadonlyArray<SessionUpdate> =>
  told.flatMap((one) => (one._tag === "Update" ? [one.update] : []))

const can = FastCheck.record({
  forms: FastCheck.boolean(),
  notices: FastCheck.boolean(),
  compaction: FastCheck.boolean()
})
const ranks = { pending: 0, in_progress: 1, completed: 2, failed: 2 } as const

describe("what an editor is told", () => {
  it("would not pass with a status, a kind or an option that the protocol does not have (X3)", () => {
    const update = { sessionUpdate: "tool_call_update", toolCallId: "1", status: "done" }
    const request = {
      sessionId: "s1",
      toolCall: { toolCallId: "1" },
      options: [{ optionId: "1", name: "", kind: "ask" }]
    }
    assert.isNotEmpty(problemsOf("SessionNotification", { sessionId: "s1", update }))
    assert.isNotEmpty(problemsOf("SessionNotification", { sessionId: "s1", update: { sessionUpdate: "told" } }))
    assert.isNotEmpty(problemsOf("RequestPermissionRequest", request))
  })

  it("is by the schema of the protocol whatever happens, and each call begins, goes on and ends once (X3)", () => {
    FastCheck.assert(
      FastCheck.property(envelopes, can, FastCheck.boolean(), (all, can, live) => {
        const updates = new Updates({ directory: "/project", can })
        updates.live = live
        const told = all.flatMap((envelope) => [...updates.tell(envelope), ...updates.flush()])
        const reached = new Map<string, number>()
        for (const update of updatesOf(told)) {
          assert.deepStrictEqual(problemsOf("SessionNotification", { sessionId: "s1", update }), [])
          if (update.sessionUpdate === "tool_call") {
            assert.isFalse(reached.has(update.toolCallId))
            reached.set(update.toolCallId, 0)
          }
          if (update.sessionUpdate === "tool_call_update") {
            const before = reached.get(update.toolCallId)
            assert.isDefined(before, "an update of a call that has not begun")
            assert.isBelow(before!, 2, "an update of a call that has ended")
            const now = typeof update.status === "string" ? ranks[update.status] : before!
            assert.isTrue(now > before! || update.status === undefined)
            reached.set(update.toolCallId, now)
          }
          for (const { path: place } of "locations" in update ? (update.locations ?? []) : [])
            assert.isTrue(path.isAbsolute(place))
        }
        for (const one of told) {
          if (one._tag !== "Ask") continue
          const asked = requestOf(one.approval, { session: "s1", directory: "/project", forms: can.forms })
          assert.deepStrictEqual(problemsOf("RequestPermissionRequest", asked), [])
          assert.isTrue(reached.has(asked.toolCall.toolCallId))
        }
      }),
      { numRuns: 100 }
    )
  })

  it("names a terminal with one call alone, and no more once that has ended (X3)", () => {
    const terminals = FastCheck.array(
      FastCheck.record({ callId: few, taskId: few, workerPath: FastCheck.constant(["root"]), at: FastCheck.nat(30) }),
      { minLength: 1, maxLength: 6 }
    )
    let named = 0
    FastCheck.assert(
      FastCheck.property(envelopes, terminals, can, (all, opened, can) => {
        const known = new Terminals()
        const updates = new Updates({ directory: "/project", can, terminals: known })
        updates.live = true
        const over = new Set<string>()
        const callOf = new Map<string, string>()
        for (const [index, envelope] of all.entries()) {
          for (const [id, { at, ...call }] of opened.entries()) if (at === index) known.open(call, `t${id}`)
          for (const one of [...updates.tell(envelope), ...updates.flush()]) {
            if (one._tag !== "Update" || one.update.sessionUpdate !== "tool_call_update") continue
            const { content, toolCallId } = one.update
            assert.deepStrictEqual(problemsOf("SessionNotification", { sessionId: "s1", update: one.update }), [])
            for (const part of content ?? []) {
              if (part.type !== "terminal") continue
              named++
              assert.isFalse(over.has(part.terminalId))
              assert.strictEqual(callOf.get(part.terminalId) ?? toolCallId, toolCallId)
              callOf.set(part.terminalId, toolCallId)
            }
            if (one.over !== undefined) over.add(one.over)
          }
        }
      }),
      { numRuns: 300 }
    )
    assert.isAbove(named, 0)
  })

  it("is the same live and told again, but for what is known now alone (X3)", () => {
    const kinds = new Set(["tool_call", "tool_call_update", "plan", "agent_message_chunk"])
    FastCheck.assert(
      FastCheck.property(envelopes, (all) => {
        const [live, replayed] = [true, false].map((isLive) => {
          const updates = new Updates({
            directory: "/project",
            can: { notices: true, compaction: false }
          })
          updates.live = isLive
          return updatesOf(all.flatMap((envelope) => updates.tell(envelope))).filter(({ sessionUpdate }) =>
            kinds.has(sessionUpdate)
          )
        })
        assert.deepStrictEqual(live, replayed)
      }),
      { numRuns: 30 }
    )
  })
})

describe("a request for permission", () => {
  it("is by the schema, has the four kinds alone, and all of the options lead to a decision (X3)", () => {
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(ApprovalRequest), FastCheck.boolean(), (request, forms) => {
        const call = { key: "k", tool: request.tool, arguments: "{}", worker: request.workerPath }
        const asked = requestOf({ call, request }, { session: "s1", directory: "/project", forms })
        assert.deepStrictEqual(problemsOf("RequestPermissionRequest", asked), [])
        assert.strictEqual(asked.options[0]?.optionId, "once")
        const kinds = asked.options.map(({ kind }) => kind)
        assert.isTrue(kinds.every((kind) => ["allow_once", "allow_always", "reject_once"].includes(kind)))
        const names = request.workerPath.slice(1)
        for (const name of names) if (/^\w{1,20}$/.test(name)) assert.include(asked.toolCall.title, name)
      }),
      { numRuns: 100 }
    )
  })

  const line = FastCheck.oneof(
    FastCheck.constantFrom("", " ", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "\\ No newline at end of file", "diff:"),
    FastCheck.string({ unit: "grapheme-ascii", maxLength: 8 })
  )
  const text = FastCheck.option(
    FastCheck.tuple(FastCheck.array(line, { maxLength: 30 }), FastCheck.boolean()).map(
      ([lines, ended]) => lines.join("\n") + (ended ? "\n" : "")
    ),
    { nil: undefined }
  )

  it("names the file that a diff names in quotes (A15)", () => {
    for (const name of ["日本語.txt", 'a"b.txt', "back\\slash.txt", "a\tb.txt"]) {
      const [diff] = diffsOf(unifiedDiff("a\n", "b\n", name), "/project") ?? []
      assert.strictEqual(diff?.path, `/project/${name}`)
    }
  })

  it("shows every change of a file, to its last character (A15)", () => {
    FastCheck.assert(
      FastCheck.property(text, text, (before, after) => {
        const unified = unifiedDiff(before, after, "dir/file.txt")
        if (unified === "" || !unified.includes("@@")) return
        const diffs = diffsOf(unified, "/project")
        assert.isDefined(diffs, unified)
        let from = 0
        let now = ""
        const old = before ?? ""
        for (const { newText, oldText, path: file } of diffs!) {
          assert.strictEqual(file, "/project/dir/file.txt")
          assert.strictEqual(oldText === null, before === undefined)
          const at = oldText === null || oldText === undefined ? 0 : old.indexOf(oldText, from)
          assert.isAtLeast(at, from, unified)
          now += old.slice(from, at) + newText
          from = at + (oldText ?? "").length
        }
        assert.strictEqual(now + old.slice(from), after ?? "")
      }),
      { numRuns: 300 }
    )
  })
})
