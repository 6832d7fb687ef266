import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Line, own } from "../../../approval/rendering/Line.ts"
import {
  aboutLines,
  approvedLines,
  contextLines,
  scopeLines,
  titleLine,
  widerLines
} from "../../../approval/rendering/Prompt.ts"
import { visibleLine } from "../../../text/visible.ts"
import type { ApprovalRequest } from "../../../tool/ApprovalRequest.ts"
import type { Answer, Approval } from "../../../ui/Display.ts"
import { editedParameters } from "../../../ui/editedParameters.ts"
import { many, seconds } from "../../../ui/Words.ts"
import { rowsOf } from "../approval/approvalRows.ts"
import { againLines } from "../approval/RequestBody.ts"
import { type Act, type Choice, choicesOf } from "../approval/Choices.ts"
import type { Screen } from "../Screen.ts"
import { quoted } from "./Lines.ts"
import { pausing, settling } from "../quiet.ts"
import { readLine, type Reader } from "./readLine.ts"

export interface PlainApprovalOptions extends Reader {
  readonly screen: Screen["Type"]
}

const deny: Answer = { decision: "deny" }

const isYes = (line: Option.Option<string>): boolean => Option.exists(line, (text) => /^y(?:es)?$/i.test(text.trim()))

/** What a line asks for: the key of a choice, or a word for yes or no. */
const choiceOf = (line: string, choices: ReadonlyArray<Choice>): Act | undefined => {
  const text = line.trim()
  const named = (key: string) => choices.find((one) => one.key === key)?.act
  return named(text) ?? (/^yes$/i.test(text) ? named("y") : /^no$/i.test(text) ? named("n") : undefined)
}

/**
 * Asks for a decision by lines: everything that an approval covers is printed, then what can be answered. An empty line
 * answers nothing; the end of the input denies.
 */
export const plainApproval = (approval: Approval, options: PlainApprovalOptions): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const { again, others = () => [], request, unmasked, waiting } = approval
    const { screen } = options
    const print = (lines: ReadonlyArray<Line>) =>
      screen.progress(
        rowsOf(lines, screen.width() - 1, screen.style)
          .map(({ text }) => `${text}\n`)
          .join("")
      )
    const say = (text: string) => screen.progress(`${text}\n`)
    let pause = settling
    const ask = (question: string) =>
      Effect.suspend(() => {
        const asked = readLine(question, options, pause)
        pause = settling
        return asked
      })
    const listed = () => (request.masked === undefined ? others().filter(({ masked }) => masked === undefined) : [])
    /** Whether all of it has been printed as it is. */
    let read = request.masked === undefined
    const ofRequest = (one: ApprovalRequest) => [titleLine(one), ...approvedLines(one)]
    yield* say("")
    yield* print([...againLines(again), ...ofRequest(request), ...scopeLines(request)])

    const all = Effect.gen(function* () {
      const chosen = listed()
      for (const [index, one] of chosen.entries()) {
        yield* print([own("field", `${index + 2} of ${chosen.length + 1}`), ...ofRequest(one)])
      }
      return isYes(yield* ask(`allow all ${chosen.length + 1} once? (y/n) `))
        ? ({ decision: "approve", scope: "once", also: chosen } as const)
        : undefined
    })
    const edited = Effect.gen(function* () {
      yield* say(JSON.stringify(request.arguments) ?? "null")
      const text = yield* ask("edited, as JSON (empty to leave it): ")
      if (Option.isNone(text) || text.value.trim() === "") return undefined
      const read = yield* editedParameters(text.value, approval)
      if (Either.isLeft(read)) {
        yield* say([...read.left, "nothing was changed"].map(visibleLine).join("\n"))
        return undefined
      }
      return { decision: "approve", scope: "once", parameters: read.right } as const
    })

    const turn = Effect.gen(function* (): Effect.fn.Return<Answer | undefined> {
      const choices = choicesOf({ request, read, remaining: listed().length })
      const left = waiting()
      const more = [
        ...(left > 0 ? [`1 of ${left + 1}`] : []),
        ...(request.timeoutMillis === 0 ? [] : [`expires after ${seconds(request.timeoutMillis)}`])
      ]
      yield* say(choices.map(({ key, words }) => `  ${key}  ${words}`).join("\n"))
      const line = yield* ask(`allow?${more.length === 0 ? "" : ` (${more.join(", ")})`} `)
      if (Option.isNone(line)) return deny
      if (line.value.trim() === "") return undefined
      const act = choiceOf(line.value, choices)
      switch (act?._tag) {
        case undefined:
          pause = pausing
          return void (yield* say(`${quoted(line.value)} is not one of the answers`))
        case "Allow":
          return { decision: "approve", scope: act.scope }
        case "Deny":
          return deny
        case "Remaining":
          return yield* all
        case "Edit":
          return yield* edited
        case "Details":
          return void (yield* print([...aboutLines(request), ...contextLines(request)]))
        case "Unmasked": {
          const shown = yield* unmasked ?? Effect.succeed(undefined)
          if (shown === undefined) return void (yield* say("nothing is masked"))
          const { masked = 0, ...rest } = request
          read = true
          const head = own(
            "warning",
            `unmasked: ${many(masked, "secret")} shown as ${masked === 1 ? "it is" : "they are"}`
          )
          return void (yield* print([head, ...ofRequest({ ...rest, ...shown })]))
        }
        case "Always":
          yield* say(visibleLine(request.rule ?? ""))
          return isYes(yield* ask("save this rule? (y/n) ")) ? { decision: "approve", scope: "always" } : undefined
        case "Wider":
          yield* print(widerLines(request))
          return isYes(yield* ask("allow it for the session? (y/n) "))
            ? { decision: "approve", scope: "session", wider: act.kind }
            : undefined
        case "Reason":
          return Option.getOrUndefined(
            Option.map(yield* ask("why not? "), (text): Answer =>
              text.trim() === "" ? deny : { ...deny, reason: text.trim() }
            )
          )
      }
    })
    return yield* Effect.repeat(turn, { until: (given): given is Answer => given !== undefined })
  })
