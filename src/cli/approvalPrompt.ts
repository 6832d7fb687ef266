import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type { Line } from "../approval/rendering/Line.ts"
import {
  argumentLines,
  contextLines,
  insightLines,
  promptLines,
  repeatLines,
  scopeLines,
  workerLines
} from "../approval/rendering/Prompt.ts"
import { monotonicMillis } from "../middleware/monotonic.ts"
import { makeVisible } from "../redaction/visible.ts"
import type { ApprovalRequest, Scope } from "../tool/ApprovalRequest.ts"
import type { Answer, Approval } from "../ui/Display.ts"
import { many, seconds } from "../ui/Words.ts"
import { brief } from "./Arguments.ts"
import { isCtrl, isEnter, isEscape, type Key, type Keyboard } from "./Keyboard.ts"
import { columns, wrap } from "./Layout.ts"
import { isQuiet, untilQuiet } from "./quiet.ts"
import type { Screen } from "./Screen.ts"
import type { Style } from "./Style.ts"

export interface ApprovalPromptOptions {
  readonly screen: Screen["Type"]
  readonly keyboard: Keyboard["Type"]
  /** Prints lines under the header of the call. */
  readonly print: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Reads a line, the question drawn anew each second; none where the person goes back. */
  readonly ask: (question: Effect.Effect<string>) => Effect.Effect<Option.Option<string>>
  readonly interrupt: Effect.Effect<void>
}

/** Lines that are shown at once, and lines of the details. */
const summaryLimit = 60
const detailLimit = 200

/** How long no key may come before one counts: what was typed at something else is no answer. */
const settling = Duration.millis(300)

/** How long none may come after words, which somebody may go on with. */
const pausing = Duration.seconds(1)

/** How long none may follow an answer: letters of a word come faster. */
const lasting = Duration.millis(250)

/** Keys that are kept while another is looked at; more of them only say that somebody types. */
const keyLimit = 16

const painted = ({ kind, text }: Line, style: Style): string => {
  switch (kind) {
    case "title":
      return style.bold(text)
    case "warning":
      return style.yellow(text)
    case "added":
      return style.green(text)
    case "removed":
      return style.red(text)
    case "field":
    case "choice":
    case "diff":
    case "context":
      return style.dim(text)
    case "value":
      return text
  }
}

/** Nothing is cut at the edge of the terminal: what does not fit goes on in the next line, behind the same margin. */
const laidOut = (lines: ReadonlyArray<Line>, room: number, limit: number, style: Style): ReadonlyArray<string> => {
  const all = lines.flatMap((line) =>
    wrap(line.text, room - 2).map((text) => `${line.margin ? style.dim("│ ") : ""}${painted({ ...line, text }, style)}`)
  )
  const more = all.length - limit
  return more > 0 ? [...all.slice(0, limit), style.yellow(`… ${many(more, "more line")}`)] : all
}

/** The header of the call, or its diff, says it all. */
const isTold = ({ arguments: given, preview, tool }: ApprovalRequest, room: number): boolean =>
  preview?.diff !== undefined || columns(makeVisible(brief(JSON.stringify(given) ?? ""))) + columns(tool) + 1 < room

const summaryOf = (request: ApprovalRequest, room: number): ReadonlyArray<Line> => [
  ...workerLines(request),
  ...repeatLines(request),
  ...(isTold(request, room) ? insightLines(request) : argumentLines(request)),
  ...scopeLines(request)
]

/** The keys with as many words as there is room for. */
const keysIn = (scopes: ReadonlyArray<Scope>, space: number, style: Style): string => {
  const has = (scope: Scope, key: string, word: string) => (scopes.includes(scope) ? [[key, word] as const] : [])
  const choices = (why: string, more: string) => [
    ["y", "yes"] as const,
    ...has("task", "t", "task"),
    ...has("session", "s", "session"),
    ...has("always", "a", "always"),
    ["n", "no"] as const,
    ["r", why] as const,
    ["d", more] as const
  ]
  const worded = (why: string, more: string, between: string) =>
    choices(why, more)
      .map(([key, word]) => `${style.bold(key)} ${word}`)
      .join(between)
  const bare = choices("", "")
    .map(([key]) => style.bold(key))
    .join("/")
  const forms = [worded("why not", "details", "  "), worded("why", "more", " "), bare]
  return forms.find((form) => columns(form) <= space) ?? bare
}

const deny: Answer = { decision: "deny" }

/** What a key asks for; nothing where it is none of those that are shown. */
const choiceOf = (key: Key, scopes: ReadonlyArray<Scope>): Answer | "always" | "reason" | "details" | undefined => {
  if (isEnter(key) || isEscape(key) || isCtrl(key, "d")) return deny
  switch (Option.getOrElse(key.input, () => "").toLowerCase()) {
    case "y":
      return scopes.includes("once") ? { decision: "approve", scope: "once" } : undefined
    case "t":
      return scopes.includes("task") ? { decision: "approve", scope: "task" } : undefined
    case "s":
      return scopes.includes("session") ? { decision: "approve", scope: "session" } : undefined
    case "a":
      return scopes.includes("always") ? "always" : undefined
    case "n":
      return deny
    case "r":
      return "reason"
    case "d":
      return "details"
    default:
      return undefined
  }
}

/**
 * Asks for one key by itself: yes once, for the task, for the session or, once Enter confirms it, always; no ends it as well. What is
 * typed or pasted as part of something longer is no answer.
 */
export const approvalPrompt = (
  { request, waiting }: Approval,
  { ask, interrupt, keyboard, print, screen }: ApprovalPromptOptions
): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const { style } = screen
    const shownAt = yield* monotonicMillis
    const room = () => screen.width() - 6
    const left = Effect.map(monotonicMillis, (now) => request.timeoutMillis - (now - shownAt))

    const details = Effect.flatMap(left, (millisLeft) => {
      const whole = [...promptLines(request, { ahead: 0, behind: waiting(), millisLeft }), ...contextLines(request)]
      return print(laidOut(whole, room(), detailLimit, style))
    })
    const show = Effect.flatMap(left, (millisLeft) => {
      const others = waiting()
      const tail = `· ${seconds(millisLeft)}${others > 0 ? ` · ${others} more` : ""}`
      const keys = keysIn(request.scopes, screen.width() - 1 - columns(`allow?  ${tail}`), style)
      return screen.bottom({ text: `${style.yellow("allow?")} ${keys} ${style.dim(tail)}` })
    })
    const showAlways = Effect.flatMap(left, (millisLeft) => {
      const rule = makeVisible(request.rule ?? "").replaceAll("\n", " ")
      const tail = style.dim(`, other keys go back · ${seconds(millisLeft)} · ${rule}`)
      return screen.bottom({ text: `${style.yellow("always?")} ${style.bold("Enter")} saves the rule${tail}` })
    })
    const whyNot = Effect.map(left, (millisLeft) => `${style.yellow("why not?")} ${style.dim(seconds(millisLeft))} `)

    const keys = yield* Queue.sliding<Key>(keyLimit)
    const keyAt = (line: Effect.Effect<void>) =>
      Effect.raceFirst(
        Queue.take(keys),
        Effect.zipRight(Effect.repeat(line, Schedule.spaced("1 second")), Effect.never)
      )

    yield* print(laidOut(summaryOf(request, room()), room(), summaryLimit, style))
    const showNothing = screen.bottom({ text: style.dim("a call needs your approval …") })
    yield* showNothing
    /** How long it must be quiet before the question is put; not at all where its details were asked for. */
    let pause: Duration.Duration | undefined = settling
    const turn = Effect.gen(function* () {
      if (pause !== undefined) yield* untilQuiet(keys, pause)
      pause = settling
      const choice = choiceOf(yield* keyAt(show), request.scopes)
      if (choice === undefined || !(yield* isQuiet(keys, lasting))) {
        pause = pausing
        return yield* screen.bottom({
          text: style.dim("that is no answer; stop typing for a second to be asked again …")
        })
      }
      switch (choice) {
        case "details":
          pause = undefined
          return yield* details
        case "always": {
          const confirmed = isEnter(yield* keyAt(showAlways)) && (yield* isQuiet(keys, lasting))
          return confirmed ? ({ decision: "approve", scope: "always" } as const) : undefined
        }
        case "reason":
          // What is seen again once the line is left must be no question yet.
          yield* showNothing
          return Option.getOrUndefined(
            Option.map(yield* ask(whyNot), (text): Answer =>
              text.trim() === "" ? deny : { ...deny, reason: text.trim() }
            )
          )
        default:
          return choice
      }
    })
    const answer = Effect.repeat(turn, { until: (given): given is Answer => given !== undefined })

    let pasting = false
    return yield* keyboard.focus((key) => {
      if (isCtrl(key, "c")) return interrupt
      const { name } = key.key
      if (name === "paste-start" || name === "paste-end") {
        pasting = name === "paste-start"
        return Effect.void
      }
      // What is pasted was written for something else.
      return pasting ? Effect.void : Effect.asVoid(Queue.offer(keys, key))
    })(answer)
  })
