import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { type Line, own } from "../../approval/rendering/Line.ts"
import { aboutLines, approvedLines, contextLines, scopeLines, titleLine } from "../../approval/rendering/Prompt.ts"
import { monotonicMillis } from "../../system/monotonic.ts"
import { visibleLine } from "../../text/visible.ts"
import type { ApprovalRequest, Scope } from "../../tool/ApprovalRequest.ts"
import type { Answer, Approval } from "../../ui/Display.ts"
import { many, seconds } from "../../ui/Words.ts"
import { rowsOf } from "./approvalRows.ts"
import { isCtrl, isEnter, isEscape, type Key } from "./Key.ts"
import type { Keyboard } from "./Keyboard.ts"
import { columns } from "./Layout.ts"
import { type Paged, pager } from "./Pager.ts"
import { isQuiet, untilQuiet } from "./quiet.ts"
import type { Screen } from "./Screen.ts"
import type { Style } from "./Style.ts"
import { waitingHead } from "./transcript/callHead.ts"

export interface ApprovalPromptOptions {
  readonly screen: Screen["Type"]
  readonly keyboard: Keyboard["Type"]
  /** Reads a line below rows, the question drawn anew each second; none where the person goes back. */
  readonly ask: (
    question: Effect.Effect<string>,
    above: () => ReadonlyArray<string>
  ) => Effect.Effect<Option.Option<string>>
  readonly interrupt: Effect.Effect<void>
}

/** Rows of the screen that a request does not take: those of its head and of the question, and one to spare on each side. */
const reserved = 4
/** Columns in front of what stands under the header of a call, and the last one, where some terminals break. */
const indented = 5

/** How long no key may come before one counts: what was typed at something else is no answer. */
const settling = Duration.millis(300)

/** How long the pause must be after typed words before a key approves. */
const pausing = Duration.seconds(1)

/** How long none may follow an answer: letters of a word come faster. */
const lasting = Duration.millis(250)

/** Keys that are queued while one is handled; more only show that a person types. */
const keyLimit = 16

/** What a prompt shows beside the question, and whether that is everything to approve. */
interface Body {
  readonly rows: ReadonlyArray<string>
  readonly whole: boolean
}

/** Why `a` is missing where longer answers are offered. */
const neverAlways = ({ scopes }: ApprovalRequest): ReadonlyArray<Line> =>
  scopes.includes("session") && !scopes.includes("always")
    ? [own("choice", "not always: no saved rule can match exactly this call")]
    : []

const bodyOf = (request: ApprovalRequest, screen: Screen["Type"]): Body => {
  const { style } = screen
  const room = screen.width() - indented
  const approved = rowsOf(approvedLines(request), room, style)
  const scopes = rowsOf([...scopeLines(request), ...neverAlways(request)], room, style)
  const limit = screen.height() - reserved - scopes.length
  const whole = approved.length <= limit
  const first = whole ? approved : approved.slice(0, Math.max(0, limit - 1))
  const more = `… ${many(approved.length - first.length, "more row")}: d shows everything`
  const cut = whole ? [] : rowsOf([own("warning", more)], room, style)
  const head = waitingHead(request, { style, width: screen.width() - 1 })
  return { rows: ["", head, ...[...first, ...cut, ...scopes].map(({ text }) => `    ${text}`)], whole }
}

/** All there is to know of a request; only what is approved must be read. */
const detailsOf = (request: ApprovalRequest, unmasked: ReadonlyArray<Line> = []): Paged => {
  const approved: ReadonlyArray<Line> = [titleLine(request), ...unmasked, ...approvedLines(request)]
  return { lines: [...approved, ...aboutLines(request), ...contextLines(request)], counted: approved.length }
}

/** The keys with as many words as there is room for; none approves while there is something left to read. */
const keysIn = (
  { masked, scopes }: Pick<ApprovalRequest, "masked" | "scopes">,
  read: boolean,
  space: number,
  style: Style
): string => {
  const has = (scope: Scope, key: string, word: string) =>
    read && scopes.includes(scope) ? [[key, word] as const] : []
  const choices = (why: string, more: string, reveal: string) => [
    ...(read
      ? []
      : [masked === undefined ? (["d", "read it all"] as const) : (["v", "read it all, unmasked"] as const)]),
    ...has("once", "y", "yes"),
    ...has("task", "t", "task"),
    ...has("session", "s", "session"),
    ...has("always", "a", "always"),
    ["n", "no"] as const,
    ["r", why] as const,
    ...(read && masked !== undefined ? [["v", reveal] as const] : []),
    ...(read ? [["d", more] as const] : [])
  ]
  const worded = (why: string, more: string, reveal: string, between: string) =>
    choices(why, more, reveal)
      .map(([key, word]) => `${style.bold(key)} ${word}`)
      .join(between)
  const bare = choices("", "", "")
    .map(([key]) => style.bold(key))
    .join("/")
  const forms = [worded("why not", "details", "view masked", "  "), worded("why", "more", "view", " "), bare]
  return forms.find((form) => columns(form) <= space) ?? bare
}

const deny: Answer = { decision: "deny" }

type Choice = Answer | "always" | "reason" | "details" | "unmasked"

const approves = (choice: Choice): boolean =>
  choice === "always" || (typeof choice === "object" && choice.decision === "approve")

/** What a key asks for; nothing where it is none of those that are shown. */
const choiceOf = (key: Key, scopes: ReadonlyArray<Scope>): Choice | undefined => {
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
    case "v":
      return "unmasked"
    default:
      return undefined
  }
}

/** What is not taken, by its name where it is one character. */
const refusalOf = (key: Key): string => {
  const input = Option.getOrElse(key.input, () => "")
  return `${/^[!-~]$/.test(input) ? `${input} is ` : ""}not a valid key · wait a second`
}

/**
 * Asks for one key by itself: yes once, for the task, for the session or, once Enter confirms it, always; no ends it as well. What is
 * typed or pasted as part of something longer is no answer; Escape and Ctrl-D always deny.
 */
export const approvalPrompt = (
  { request, unmasked, waiting }: Approval,
  { ask, interrupt, keyboard, screen }: ApprovalPromptOptions
): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const { style } = screen
    const shownAt = yield* monotonicMillis
    const left = Effect.map(monotonicMillis, (now) => request.timeoutMillis - (now - shownAt))
    /** How long there is, where there is an end of it. */
    const time = Effect.map(left, (millis) => (request.timeoutMillis === 0 ? [] : [seconds(millis)]))

    /** Whether everything to approve has been read page by page. */
    let paged = false
    let laidOut: (Body & { readonly width: number; readonly height: number }) | undefined
    const body = (): Body => {
      const [width, height] = [screen.width(), screen.height()]
      if (laidOut?.width !== width || laidOut.height !== height) {
        laidOut = { ...bodyOf(request, screen), width, height }
      }
      return laidOut
    }
    const above = () => body().rows
    /** Whether everything to approve is on the screen or has been read. */
    const isRead = () => paged || (body().whole && request.masked === undefined)
    const bottom = (text: () => string) => screen.bottom(() => ({ above: above(), text: text(), tall: true }))
    const show = Effect.gen(function* () {
      const others = waiting()
      const tail = [...(yield* time), ...(others > 0 ? [`${others} more`] : [])].map((part) => ` · ${part}`).join("")
      yield* bottom(() => {
        const keys = keysIn(request, isRead(), screen.width() - 1 - columns(`allow? ${tail}`), style)
        return `${style.yellow("allow?")} ${keys}${style.dim(tail)}`
      })
    })
    const showAlways = Effect.flatMap(time, (parts) => {
      const rule = visibleLine(request.rule ?? "")
      const tail = style.dim([", other keys go back", ...parts, rule].join(" · "))
      return bottom(() => `${style.yellow("always?")} ${style.bold("Enter")} saves this rule${tail}`)
    })
    const whyNot = Effect.map(
      time,
      (parts) => `${style.yellow("why not?")} ${parts.map((part) => `${style.dim(part)} `).join("")}`
    )

    const keys = yield* Queue.sliding<Key>(keyLimit)
    const keyAt = (line: Effect.Effect<void>) =>
      Effect.raceFirst(
        Queue.take(keys),
        Effect.zipRight(Effect.repeat(line, Schedule.spaced("1 second")), Effect.never)
      )

    const showNothing = bottom(() => style.dim("a call needs your approval …"))
    const page = (details: Paged, plain: boolean) =>
      // What is seen again once the page is closed must be no question yet.
      Effect.map(Effect.zipRight(showNothing, pager(screen, details, keyAt)), (seen) => {
        paged ||= seen && plain
      })
    /** How long it must be quiet before the question is put. */
    let pause = settling
    const refuse = (why: string) => {
      pause = pausing
      return bottom(() => style.dim(why))
    }

    /** Waits for a pause in typing; a single key that does not approve is accepted sooner than one that does. */
    const earlyKey: Effect.Effect<Option.Option<Key>> = Effect.gen(function* () {
      yield* untilQuiet(keys, settling)
      if (pause === settling) return Option.none()
      const key = yield* Effect.timeoutOption(Queue.take(keys), Duration.subtract(pausing, settling))
      if (Option.isNone(key)) return key
      const choice = isEnter(key.value) ? undefined : choiceOf(key.value, request.scopes)
      return choice === undefined || approves(choice) ? yield* earlyKey : key
    })

    const denied = yield* Deferred.make<Answer>()
    /** Whether Escape and Ctrl-D go back instead. */
    let aside = false
    const beside = <A>(self: Effect.Effect<A>) =>
      Effect.ensuring(
        Effect.suspend(() => {
          aside = true
          return self
        }),
        Effect.sync(() => {
          aside = false
        })
      )

    yield* showNothing
    const turn = Effect.gen(function* () {
      const early = yield* earlyKey
      pause = settling
      const key = Option.isSome(early) ? early.value : yield* keyAt(show)
      const choice = choiceOf(key, request.scopes)
      if (choice === undefined || !(yield* isQuiet(keys, lasting))) return yield* refuse(refusalOf(key))
      if (approves(choice) && !isRead()) {
        return yield* bottom(() =>
          style.dim(`not read yet · ${request.masked === undefined ? "d" : "v"} shows everything`)
        )
      }
      switch (choice) {
        case "details":
          return yield* beside(page(detailsOf(request), request.masked === undefined))
        case "unmasked": {
          const plain = request.masked === undefined ? undefined : yield* unmasked ?? Effect.succeed(undefined)
          if (plain === undefined) return yield* refuse("nothing is masked · wait a second")
          const { masked = 0, ...rest } = request
          const shown = `unmasked: ${many(masked, "secret")} shown as ${masked === 1 ? "it is" : "they are"}`
          return yield* beside(page(detailsOf({ ...rest, ...plain }, [own("warning", shown)]), true))
        }
        case "always": {
          const confirmed = isEnter(yield* beside(keyAt(showAlways))) && (yield* isQuiet(keys, lasting))
          return confirmed && isRead() ? ({ decision: "approve", scope: "always" } as const) : undefined
        }
        case "reason":
          // What is seen again once the line is left must be no question yet.
          yield* showNothing
          return Option.getOrUndefined(
            Option.map(yield* ask(whyNot, above), (text): Answer =>
              text.trim() === "" ? deny : { ...deny, reason: text.trim() }
            )
          )
        default:
          return choice
      }
    })
    const answer = Effect.repeat(turn, { until: (given): given is Answer => given !== undefined })

    return yield* keyboard.focus((key) => {
      if (isCtrl(key, "c")) return interrupt
      if (!aside && (isEscape(key) || isCtrl(key, "d"))) return Effect.asVoid(Deferred.succeed(denied, deny))
      // What is pasted was written for something else.
      return key.key.name === "paste" ? Effect.void : Effect.asVoid(Queue.offer(keys, key))
    })(Effect.ensuring(Effect.raceFirst(answer, Deferred.await(denied)), screen.bottom(undefined)))
  })
