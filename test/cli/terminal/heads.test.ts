import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { ToolCallOutcomeUnknown, WorkerCompleted, WorkerStarted } from "../../../src/agent/AgentEvent.ts"
import { retold } from "../../../src/cli/prompt/retold.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import { Transcript } from "../../../src/cli/terminal/transcript/Transcript.ts"
import { verbs } from "../../../src/ui/verbs.ts"
import {
  ToolCallCompleted,
  ToolCallFailed,
  ToolCallInterrupted,
  ToolCallRequested
} from "../../../src/gate/CallEvent.ts"
import { noUsage } from "../../../src/model/ModelPart.ts"
import type { Event } from "../../../src/runtime/Event.ts"
import type { ApprovalRequest } from "../../../src/tool/ApprovalRequest.ts"
import {
  ApprovalRequested,
  ApprovalResolved,
  ToolCallStarted,
  ToolOutput,
  trusted
} from "../../../src/tool/ToolEvent.ts"
import { Narrator } from "../../../src/ui/Narrator.ts"

/** What has happened to a call by an event, as far as its head may speak of it. */
type State = "asked" | "waits" | "running" | "happened" | "over"

interface Happening {
  readonly event: Event
  readonly state: State
  readonly worker?: ReadonlyArray<string>
}

const callId = "c1"
const message = {
  id: "result_c1",
  message: { role: "tool" as const, tool_call_id: callId, content: "one\ntwo\nthree" }
}
const error = { _tag: "Refused", message: "no" }
const request = (tool: string): ApprovalRequest => ({
  id: "r1",
  callId,
  sessionId: "s",
  tool,
  workerPath: ["root"],
  risk: "medium",
  digest: "0",
  arguments: {},
  message: "do it",
  scopes: ["once"],
  requestedAt: 0,
  timeoutMillis: 0
})

/** A call of a tool as the log may have it: each step with what is true of it from then on. */
const history = (tool: string): FastCheck.Arbitrary<ReadonlyArray<Happening>> => {
  const of = { callId, tool }
  const ended = { ...of, message, durationMillis: 5 }
  const requested: Happening = { event: new ToolCallRequested({ ...of, arguments: "{}" }, trusted), state: "asked" }
  const asks: Happening = {
    event: new ApprovalRequested({ request: request(tool), ahead: 0 }, trusted),
    state: "waits"
  }
  const resolved = (outcome: ApprovalResolved["outcome"], by: string, state: State): Happening => ({
    event: new ApprovalResolved({ ...of, approvalId: "r1", outcome, by, waitedMillis: 0 }, trusted),
    state
  })
  const failed: Happening = { event: new ToolCallFailed({ ...ended, error }, trusted), state: "over" }
  const interrupted: Happening = { event: new ToolCallInterrupted(ended, trusted), state: "over" }
  const started: Happening = { event: new ToolCallStarted({ ...of, readOnly: false }, trusted), state: "running" }
  const output: Happening = {
    event: new ToolOutput({ ...of, channel: "stdout", text: "some\noutput\n" }, trusted),
    state: "running"
  }
  const worker = ["root", "W1"]
  const delegated: ReadonlyArray<Happening> =
    tool === "delegate"
      ? [
          { event: new WorkerStarted({ callId, task: "look", depth: 1 }), state: "happened", worker },
          {
            event: new WorkerCompleted({ status: "done", usage: noUsage, iterations: 1, durationMillis: 0 }),
            state: "happened",
            worker
          }
        ]
      : []
  const refused = [[failed], [interrupted]]
  const ran = [
    [{ event: new ToolCallCompleted(ended, trusted), state: "happened" as const }],
    [
      {
        event: new ToolCallCompleted({ ...ended, failed: { reason: "exit code 1", exitCode: 1 } }, trusted),
        state: "happened" as const
      }
    ],
    [failed],
    [interrupted],
    [{ event: new ToolCallOutcomeUnknown({ ...of, message }, trusted), state: "over" as const }],
    []
  ]
  const runs = FastCheck.tuple(FastCheck.boolean(), FastCheck.boolean(), FastCheck.constantFrom(...ran)).map(
    ([speaks, delegates, end]) => {
      const workers = delegates ? delegated : []
      const after = workers.length > 0 ? end.map((one) => ({ ...one, state: "happened" as const })) : end
      return [started, ...(speaks ? [output] : []), ...workers, ...after]
    }
  )
  const denials = FastCheck.constantFrom(
    resolved("denied", "user", "asked"),
    resolved("denied", "mode", "asked"),
    resolved("expired", "timeout", "asked")
  ).map((denied) => [asks, denied, failed])
  const withdrawn = [asks, resolved("withdrawn", "interruption", "asked"), interrupted]
  const granted = runs.map((run) => [asks, resolved("granted", "user", "asked"), ...run])
  return FastCheck.oneof(
    FastCheck.constantFrom(...refused),
    denials,
    FastCheck.constantFrom(withdrawn, [asks]),
    granted,
    runs
  ).map((rest) => [requested, ...rest])
}

const past = new Set([...verbs.values()].flatMap(({ asked, ended }) => (asked === ended ? [] : [ended])))
const progressive = new Set([...verbs.values()].map(({ running }) => running))
/** The words of the verbs that a text has at the beginning of a head. */
const spoken = (text: string, words: ReadonlySet<string>): ReadonlyArray<string> =>
  [...words].filter((word) => new RegExp(`^\\s*[•✗◼?○⏸] ${word}(?: |$)`, "mu").test(text))

describe("the head of a call", () => {
  const cases: FastCheck.Arbitrary<readonly [string, ReadonlyArray<Happening>]> = FastCheck.constantFrom(
    ...verbs.keys()
  ).chain((tool) => FastCheck.tuple(FastCheck.constant(tool), history(tool)))

  it.prop(
    "never says that something happened or goes on that does not, live, printed, folded or told again (U12)",
    [cases, FastCheck.boolean()],
    ([[, events], live]) => {
      const narrator = new Narrator()
      const transcript = new Transcript({ style: plain, width: () => 100, split: false, live })
      let printed = ""
      let state: State = "asked"
      let hasHappened = false
      for (const [seq, { event, state: next, worker = ["root"] }] of events.entries()) {
        const steps = narrator.tell({ version: 1, seq, time: seq, session: "s", task: "t", worker, event })
        for (const step of steps)
          printed += retold(transcript, step)
            .map(({ text }) => text)
            .join("")
        if (event._tag === "ToolOutput")
          for (const step of steps) {
            if (step._tag === "CallOutput")
              printed += transcript
                .render(step)
                .map(({ text }) => text)
                .join("")
          }
        state = next
        hasHappened ||= state === "happened"
        const shown = transcript.live().join("\n")
        const folded = transcript.folded.map(({ title }) => `• ${title}`).join("\n")
        if (!hasHappened) assert.deepStrictEqual(spoken(`${printed}\n${shown}\n${folded}`, past), [])
        if (state !== "running" && state !== "happened") assert.deepStrictEqual(spoken(shown, progressive), [])
        assert.deepStrictEqual(spoken(printed, progressive), [])
        if (state === "waits") assert.match(shown, /⏸ .* needs an answer$/m)
        else assert.notInclude(shown, "⏸")
      }
      printed += transcript
        .end()
        .map(({ text }) => text)
        .join("")
      if (!hasHappened) assert.deepStrictEqual(spoken(printed, past), [])
      assert.deepStrictEqual(spoken(printed, progressive), [])
    }
  )
})
