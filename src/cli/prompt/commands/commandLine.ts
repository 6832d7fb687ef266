import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { AnyTool } from "../../../tool/ToolCall.ts"
import { fieldsOf } from "../../../tool/ToolField.ts"
import { toolOf } from "../../toolCall.ts"
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

const builtin = () => import("../../../tools/Builtin.ts")

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

/** Parameters as JSON; other text stands for the one that the tool cannot do without. */
const spokenFor = (tool: AnyTool, text: string): Either.Either<string | undefined, string> => {
  if (text === "" || text.startsWith("{")) return Either.right(text === "" ? undefined : text)
  const [field, ...more] = fieldsOf(tool).filter(({ required }) => required)
  return field === undefined || more.length > 0
    ? Either.left(
        `give the parameters of ${tool.name} as JSON, e.g. /why ${tool.name} {"${field?.name ?? "path"}":"…"}`
      )
    : Either.right(JSON.stringify({ [field.name]: text }))
}

const whyExamples = `e.g. /why run_shell git push, or /why write_file {"path":"a.txt","content":""}; nothing is run`
const whyHelp = `name a tool and what it would do, ${whyExamples}`

export const why = command({
  name: "why",
  group: "approvals",
  summary: "explain what would happen to a call, and which rule or mode decides",
  arguments: "TOOL [TEXT|JSON]",
  details: whyExamples,
  duringTask: true,
  complete: (typed) =>
    typed.length > 1
      ? Effect.succeed([])
      : load(builtin, ({ tools }) => Effect.succeed(tools.map(({ label, name }) => ({ word: name, summary: label })))),
  run: (argument, prompt) =>
    Effect.gen(function* () {
      const [, name = "", text = ""] = /^(\S*)\s*([^]*)$/.exec(argument) ?? []
      if (name === "") return yield* prompt.say(whyHelp)
      const tool = yield* load(builtin, ({ tools }) => toolOf(name, tools))
      const spoken = spokenFor(tool, text)
      if (Either.isLeft(spoken)) return yield* prompt.say(spoken.left, "error")
      const given = {
        tool: name,
        parameters: Option.fromNullable(spoken.right),
        param: [],
        approve: Option.some(prompt.mode()),
        json: false
      }
      yield* printed(
        prompt,
        load(
          () => import("../../ExplainCommand.ts"),
          ({ explain }) => explain(given)
        )
      )
    })
})

const configure = () => import("../../Configure.ts")

const countsLater = "what is set counts from the next start on"

export const config = command({
  name: "config",
  group: "settings",
  summary: "show the configuration, or show or set one value of the file",
  arguments: "[KEY] [VALUE]",
  details: countsLater,
  duringTask: true,
  complete: (typed) =>
    typed.length > 1
      ? Effect.succeed([])
      : load(
          () => import("../../../config/Settings.ts"),
          ({ keys }) => Effect.succeed(keys.map(({ about, name }) => ({ word: name, summary: about })))
        ),
  run: (argument, prompt) => {
    const [, key = "", given = ""] = /^(\S*)\s*([^]*)$/.exec(argument) ?? []
    // Advice has the quotes that a shell needs.
    const value = /^'([^']*)'$/.exec(given)?.[1] ?? given
    const done = printed(
      prompt,
      load(configure, ({ get, set, showAll }): Effect.Effect<unknown, CommandFailed, CommandServices> =>
        key === "" ? showAll(false) : value === "" ? get(key, false) : set(key, Option.some(value), false)
      )
    )
    return value === "" ? done : Effect.zipRight(done, prompt.say(countsLater))
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
        ({ doctor }) => doctor({ stack: false, offline: false, json: false })
      )
    )
})
