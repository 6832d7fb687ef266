import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
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
  scopeLines,
  workerLines
} from "../approval/rendering/Prompt.ts"
import { makeVisible } from "../redaction/visible.ts"
import type { ApprovalRequest, Scope } from "../tool/ApprovalRequest.ts"
import type { Answer, Approval } from "../ui/Display.ts"
import { many, seconds } from "../ui/Words.ts"
import { brief } from "./Arguments.ts"
import { isCtrl, isEnter, isEscape, type Key, type Keyboard } from "./Keyboard.ts"
import { columns, wrap } from "./Layout.ts"
import type { Screen } from "./Screen.ts"
import type { Style } from "./Style.ts"

export interface ApprovalPromptOptions {
  readonly screen: Screen["Type"]
  readonly keyboard: Keyboard["Type"]
  /** Prints lines under the header of the call. */
  readonly print: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  readonly ask: (question: string) => Effect.Effect<Option.Option<string>>
  readonly interrupt: Effect.Effect<void>
}

/** Lines that are shown at once, and lines of the details. */
const summaryLimit = 60
const detailLimit = 200

/** How long no key may come before one counts: what was typed at something else is no answer. */
const settling = Duration.millis(300)

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
  ...(isTold(request, room) ? insightLines(request) : argumentLines(request)),
  ...scopeLines(request)
]

/** The keys with as many words as there is room for. */
const keysIn = (scopes: ReadonlyArray<Scope>, space: number, style: Style): string => {
  const has = (scope: Scope, key: string, word: string) => (scopes.includes(scope) ? [[key, word] as const] : [])
  const choices = (why: string, more: string) => [
    ["y", "yes"] as const,
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

/** Asks for one key: yes once, for the session or always; anything that ends it otherwise is no. */
export const approvalPrompt = (
  { request, waiting }: Approval,
  { ask, interrupt, keyboard, print, screen }: ApprovalPromptOptions
): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const { style } = screen
    const shownAt = yield* Clock.currentTimeMillis
    const chosen = yield* Deferred.make<Answer | "reason">()
    const choose = (answer: Answer | "reason") => Effect.asVoid(Deferred.succeed(chosen, answer))
    const approve = (scope: Scope) =>
      request.scopes.includes(scope) ? choose({ decision: "approve", scope }) : Effect.void
    const room = () => screen.width() - 6
    const left = Effect.map(Clock.currentTimeMillis, (now) => request.timeoutMillis - (now - shownAt))

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
    const onKey = (key: Key): Effect.Effect<void> => {
      if (isEnter(key) || isEscape(key)) return choose({ decision: "deny" })
      switch (Option.getOrElse(key.input, () => "").toLowerCase()) {
        case "y":
          return approve("once")
        case "s":
          return approve("session")
        case "a":
          return approve("always")
        case "n":
          return choose({ decision: "deny" })
        case "r":
          return choose("reason")
        case "d":
          return Effect.zipRight(details, show)
        default:
          return Effect.void
      }
    }

    const early = yield* Queue.sliding<void>(1)
    const settled = Effect.raceFirst(Effect.as(Queue.take(early), false), Effect.as(Effect.sleep(settling), true)).pipe(
      Effect.repeat({ until: (quiet) => quiet })
    )
    yield* print(laidOut(summaryOf(request, room()), room(), summaryLimit, style))
    yield* screen.bottom({ text: style.dim("a call needs your approval …") })
    let open = false
    let pasting = false
    const keys = keyboard.focus((key) => {
      if (isCtrl(key, "c")) return Effect.zipRight(interrupt, choose({ decision: "deny" }))
      const { name } = key.key
      if (name === "paste-start" || name === "paste-end") pasting = name === "paste-start"
      // What is pasted was written for something else.
      if (pasting) return Effect.void
      return open ? onKey(key) : Effect.asVoid(Queue.offer(early, undefined))
    })
    const showing = Effect.zipRight(
      settled,
      Effect.suspend(() => {
        open = true
        return Effect.repeat(show, Schedule.spaced("1 second"))
      })
    )
    const answer = yield* keys(Effect.raceFirst(Deferred.await(chosen), Effect.zipRight(showing, Effect.never)))
    if (answer !== "reason") return answer
    const reason = yield* ask(`${style.yellow("why not?")} `)
    const said = Option.filter(
      Option.map(reason, (text) => text.trim()),
      (text) => text !== ""
    )
    return { decision: "deny", ...(Option.isSome(said) ? { reason: said.value } : {}) }
  })
