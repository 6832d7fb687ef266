import * as Duration from "effect/Duration"
import type { ModelRequest } from "../../model/Model.ts"
import type { ScriptStep } from "../../model/Script.ts"
import type { Turn } from "../../model/Scripted.ts"

/** What the person of the tour asks for. */
export const prompt = "Add up the harvest, check the garden, and tidy up what is not needed."

const summary = [
  "# Harvest",
  "",
  "| bed | kilos |",
  "|---|---|",
  "| beans | 14 |",
  "| tomatoes | 31 |",
  "| squash | 9 |",
  "",
  "54 kilos in all.",
  ""
].join("\n")

/** Whether the last result is that of a call whose arguments contain this text, and how the call went. */
const after =
  (part: string, outcome: "done" | "refused") =>
  ({ messages }: ModelRequest): boolean => {
    const last = messages.at(-1)?.message
    if (last?.role !== "tool") return false
    const asked = messages
      .flatMap(({ message }) => (message.role === "assistant" ? (message.tool_calls ?? []) : []))
      .find(({ id }) => id === last.tool_call_id)
    const refused = last.content.startsWith('{"error":')
    return asked?.function.arguments.includes(part) === true && refused === (outcome === "refused")
  }

/** Text word by word, as a model streams it; the pause is 0 if no one is attached. */
const speaking =
  (paceMillis: number) =>
  (text: string): ReadonlyArray<ScriptStep> =>
    paceMillis === 0
      ? [{ say: text }]
      : text
          .split(/(?<=\s)/u)
          .flatMap((word): ReadonlyArray<ScriptStep> => [{ say: word }, { wait: Duration.millis(paceMillis) }])

const call = (name: string, given: Readonly<Record<string, unknown>>): ScriptStep => ({
  call: { name, arguments: given }
})
const used = (inputTokens: number, outputTokens: number): ScriptStep => ({ usage: { inputTokens, outputTokens } })

/** The turns of the tour's model. */
export const turns = (paceMillis: number): ReadonlyArray<Turn> => {
  const say = speaking(paceMillis)
  return [
    [...say("I'll look around first."), call("list_dir", {}), call("read_file", { path: "README.md" }), used(412, 38)],
    [
      ...say("The ledger is on a share with a bad line. Reading changes nothing, so it may be tried again."),
      call("fetch_ledger", { name: "ledger/2025.csv" }),
      used(520, 31)
    ],
    [
      ...say("Now a tool that takes too long, and one with a bug. Neither ends the run."),
      call("forecast", { years: 10 }),
      call("weigh_soil", { bed: "roses" }),
      used(571, 44)
    ],
    [
      ...say(
        "Both failed, and I was told why; I can do without them. 14 + 31 + 9 makes 54. Writing that down needs your word:"
      ),
      call("write_file", { path: "harvest.md", content: summary }),
      used(640, 96)
    ],
    {
      when: after("harvest.md", "refused"),
      steps: [
        ...say("No file, then. I would still like to run the garden's own check."),
        call("run_shell", { command: "bash check.sh" }),
        used(702, 35)
      ]
    },
    {
      when: after("harvest.md", "done"),
      steps: [
        ...say("Written. Next, the garden's own check:"),
        call("run_shell", { command: "bash check.sh" }),
        used(702, 33)
      ]
    },
    [
      ...say("And I would throw the old ledger away. Better say no to this one:"),
      call("run_shell", { command: "rm -r ledger" }),
      used(790, 29)
    ],
    {
      when: after("rm -r", "refused"),
      steps: [
        ...say("Understood, the ledger stays. The harvest is 54 kilos; a refusal is an answer I can work with."),
        used(845, 27)
      ]
    },
    {
      when: after("rm -r", "done"),
      steps: [
        ...say("It is gone, as you allowed; the workspace was a throw-away one. The harvest is 54 kilos."),
        used(845, 26)
      ]
    }
  ]
}
