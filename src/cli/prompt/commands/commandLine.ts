import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Screen } from "../../terminal/Screen.ts"
import { plain } from "../../terminal/Style.ts"
import { load } from "../../command/load.ts"
import { type Carried, command, type CommandFailed, type CommandServices, type Prompt } from "./Command.ts"

/** Columns that a note takes in front of its text. */
const margin = 3

/** What a command of the command line prints, as a note at the prompt; what it printed before it failed as well. */
export const printed = (prompt: Prompt, self: Effect.Effect<unknown, CommandFailed, CommandServices>): Carried =>
  Effect.gen(function* () {
    const screen = yield* Screen
    let text = ""
    const print = (more: string) =>
      Effect.sync(() => {
        text += more
      })
    const capture = Screen.of({
      ...screen,
      style: plain,
      live: false,
      plain: false,
      width: () => Math.max(20, screen.width() - margin),
      answer: print,
      progress: print
    })
    const said = Effect.suspend(() => (text.trim() === "" ? Effect.void : prompt.say(text.trimEnd())))
    yield* Effect.ensuring(Effect.provideService(self, Screen, capture), said)
  })

const usage = (prompt: Prompt, name: string, given: string) => prompt.say(`usage: /${name} ${given}`, "error")

const rules = () => import("../../ApprovalsCommand.ts")

export const approvals = command({
  name: "approvals",
  group: "approvals",
  summary: "show what waits for an answer, the saved rules, or all rules",
  arguments: "[rules]",
  duringTask: true,
  complete: () => Effect.succeed([{ word: "rules", summary: "every rule, its level and its source" }]),
  run: (which, prompt) =>
    which === ""
      ? printed(
          prompt,
          load(rules, ({ list }) => list({ json: false, jsonl: false }))
        )
      : which === "rules"
        ? printed(
            prompt,
            load(rules, ({ rules }) => rules({ json: false, jsonl: false }))
          )
        : usage(prompt, "approvals", "[rules]")
})

export const why = command({
  name: "why",
  group: "approvals",
  summary: "explain what would happen to a call, and which rule or mode decides",
  arguments: "TOOL [JSON]",
  details: `e.g. /why run_shell {"command":"git status"}`,
  duringTask: true,
  run: (argument, prompt) => {
    const [, tool = "", parameters = ""] = /^(\S*)\s*([^]*)$/.exec(argument) ?? []
    if (tool === "") return usage(prompt, "why", "TOOL [JSON]")
    const given = {
      tool,
      parameters: Option.liftPredicate(parameters, (text) => text !== ""),
      param: [],
      approve: Option.some(prompt.mode()),
      json: false
    }
    return printed(
      prompt,
      load(
        () => import("../../ExplainCommand.ts"),
        ({ explain }) => explain(given)
      )
    )
  }
})

const configure = () => import("../../Configure.ts")

export const config = command({
  name: "config",
  group: "settings",
  summary: "show the configuration, or show or set one value of the file",
  arguments: "[KEY] [VALUE]",
  details: "what is set counts from the next start on",
  duringTask: true,
  complete: (typed) =>
    typed.length > 1
      ? Effect.succeed([])
      : load(
          () => import("../../../config/Settings.ts"),
          ({ keys }) => Effect.succeed(keys.map(({ about, name }) => ({ word: name, summary: about })))
        ),
  run: (argument, prompt) => {
    const [, key = "", value = ""] = /^(\S*)\s*([^]*)$/.exec(argument) ?? []
    return printed(
      prompt,
      load(configure, ({ get, set, showAll }): Effect.Effect<unknown, CommandFailed, CommandServices> =>
        key === "" ? showAll : value === "" ? get(key) : set(key, Option.some(value))
      )
    )
  }
})

export const doctor = command({
  name: "doctor",
  group: "settings",
  summary: "check configuration, models, storage and sandbox",
  run: (_, prompt) =>
    printed(
      prompt,
      load(
        () => import("../../Doctor.ts"),
        ({ doctor }) => doctor({ stack: false, offline: false })
      )
    )
})
