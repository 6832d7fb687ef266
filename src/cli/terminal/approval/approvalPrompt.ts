import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { own } from "../../../approval/rendering/Line.ts"
import { monotonicMillis } from "../../../system/monotonic.ts"
import { visibleLine } from "../../../text/visible.ts"
import type { Answer, Approval } from "../../../ui/Display.ts"
import { many, seconds } from "../../../ui/Words.ts"
import { rowsOf } from "./approvalRows.ts"
import { choiceOf, isRepeated, refusalOf, stepOf } from "./ChoiceKeys.ts"
import {
  type Body,
  bodyOf,
  detailsOf,
  headOf,
  indented,
  isLongDiff,
  listOf,
  shortDiff,
  widerRows
} from "./RequestBody.ts"
import { approves, choiceRows, choicesOf } from "./Choices.ts"
import { type Edit, editing } from "./editing.ts"
import { isCtrl, isEnter, isEscape, type Key } from "../Key.ts"
import type { Keyboard } from "../Keyboard.ts"
import { type Paged, pager } from "../Pager.ts"
import { alone, isQuiet, pausing, settling, untilQuiet } from "../quiet.ts"
import type { Screen } from "../Screen.ts"

export interface ApprovalPromptOptions {
  readonly screen: Screen["Type"]
  readonly keyboard: Keyboard["Type"]
  /** Reads a line below rows, the question drawn anew each second; none where the person goes back. */
  readonly ask: (
    question: Effect.Effect<string>,
    above: () => ReadonlyArray<string>
  ) => Effect.Effect<Option.Option<string>>
  readonly interrupt: Effect.Effect<void>
  /** If unset, nothing can be edited. */
  readonly edit?: Edit
}

/** Lines that say what is wrong with edited parameters. */
const maxWrong = 6

/** Keys that are queued while one is handled; more only show that a person types. */
const keyLimit = 16

const deny: Answer = { decision: "deny" }

/**
 * Asks for one key by itself, which an Enter may follow, or for a choice that the arrows went to and Enter takes; nothing is
 * chosen beforehand. What is typed or pasted as part of something longer is no answer; Ctrl-D always denies, and Escape stops everything.
 */
export const approvalPrompt = (
  { again, issues, others = () => [], request, unmasked, waiting }: Approval,
  { ask, edit, interrupt, keyboard, screen }: ApprovalPromptOptions
): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const { style } = screen
    const shownAt = yield* monotonicMillis
    const left = Effect.map(monotonicMillis, (now) => request.timeoutMillis - (now - shownAt))
    /** How long there is, where there is an end of it. */
    const time = Effect.map(left, (millis) => (request.timeoutMillis === 0 ? [] : [seconds(millis)]))

    /** What could be allowed together with this request: each as a whole, once. */
    const listed = () => (request.masked === undefined ? others().filter(({ masked }) => masked === undefined) : [])
    const choicesNow = (read: boolean) =>
      choicesOf({ request, read, remaining: listed().length }).filter(
        ({ act }) => act._tag !== "Edit" || edit !== undefined
      )
    /** The choice that the arrows went to. */
    let selected: number | undefined
    const rowsFor = (read: boolean, parts: ReadonlyArray<string> = []) => {
      const all = waiting() + 1
      const tail = [...(all > 1 ? [`1 of ${all}`] : []), ...parts].join(" · ")
      return choiceRows(choicesNow(read), selected, tail, screen.width() - 1, style)
    }

    /** Whether everything to approve has been read page by page. */
    let paged = false
    let laidOut: (Body & { readonly width: number; readonly height: number }) | undefined
    const body = (): Body => {
      const [width, height] = [screen.width(), screen.height()]
      if (laidOut?.width !== width || laidOut.height !== height) {
        laidOut = { ...bodyOf({ request, ...(again && { again }) }, screen, rowsFor(true).length), width, height }
      }
      return laidOut
    }
    const above = () => body().rows
    /** Whether everything to approve is on the screen or has been read. */
    const isRead = () => paged || (body().whole && request.masked === undefined)
    const bottom = (text: () => string) => screen.bottom(() => ({ above: above(), text: text(), tall: true }))
    const show = Effect.flatMap(time, (parts) =>
      screen.bottom(() => {
        const rows = rowsFor(isRead(), parts)
        return { above: [...above(), ...rows.slice(0, -1)], text: rows.at(-1) ?? "", tall: true }
      })
    )
    const showAlways = Effect.flatMap(time, (parts) => {
      const rule = visibleLine(request.rule ?? "")
      const tail = style.dim([", other keys go back", ...parts, rule].join(" · "))
      return bottom(() => `${style.yellow("always?")} ${style.bold("Enter")} saves this rule${tail}`)
    })
    const showWider = Effect.flatMap(time, (parts) => {
      const tail = style.dim([", other keys go back", ...parts].join(" · "))
      return screen.bottom(() => ({
        above: [headOf(request, screen), ...widerRows(request, screen)],
        text: `${style.yellow("wider?")} ${style.bold("Enter")} allows it for the session${tail}`,
        tall: true
      }))
    })
    const isConfirmed = (question: Effect.Effect<void>) =>
      Effect.gen(function* () {
        return isEnter(yield* beside(keyAt(question))) && (yield* isQuiet(keys, alone)) && isRead()
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
      const act = choiceOf(key.value, choicesNow(isRead()))
      return act === undefined || approves(act) ? yield* earlyKey : key
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

    /** Whether a key stands by itself, tapped twice, or with the Enter of whoever is used to confirm. */
    const standsAlone = (key: Key) =>
      Effect.gen(function* () {
        const next = yield* Effect.timeoutOption(Queue.take(keys), alone)
        if (Option.isNone(next)) return true
        return (isEnter(next.value) || isRepeated(key, next.value)) && (yield* isQuiet(keys, alone))
      })

    /** The first key that is none of going through the choices. */
    const nextKey = (early: Option.Option<Key>) =>
      Effect.gen(function* () {
        let key = Option.isSome(early) ? early.value : yield* keyAt(show)
        for (let step = stepOf(key); step !== 0; step = stepOf(key)) {
          const { length } = choicesNow(isRead())
          selected = selected === undefined ? (step > 0 ? 0 : length - 1) : (selected + step + length) % length
          yield* show
          key = yield* keyAt(show)
        }
        return key
      })

    const remaining = Effect.gen(function* () {
      const chosen = listed()
      const all = [request, ...chosen]
      yield* showNothing
      const seen = yield* beside(pager(screen, listOf(all), keyAt))
      if (!seen) return yield* refuse("not read to the end · A lists them again")
      yield* untilQuiet(keys, settling)
      const ask = bottom(
        () =>
          `${style.yellow(`allow all ${all.length} once?`)} ${style.bold("y")} allows exactly these · other keys go back`
      )
      const key = yield* beside(keyAt(ask))
      const isYes = Option.contains(key.input, "y") && (yield* standsAlone(key))
      return isYes ? ({ decision: "approve", scope: "once", also: chosen } as const) : undefined
    })

    const goesOn = (wrong: ReadonlyArray<string>) => {
      const lines = wrong.slice(0, maxWrong).map((text) => own("warning", visibleLine(text)))
      const shown = () => rowsOf(lines, screen.width() - indented, style).map(({ text }) => `    ${text}`)
      const question = `${style.yellow("edit on?")} ${style.bold("e")} opens your text again · other keys go back, the text is kept`
      const ask = screen.bottom(() => ({ above: [...above(), ...shown()], text: question, tall: true }))
      return Effect.map(keyAt(ask), (key) => isEnter(key) || Option.contains(key.input, "e"))
    }
    const edited =
      edit === undefined
        ? Effect.succeedNone
        : editing({ approval: { request, ...(issues === undefined ? {} : { issues }) }, edit, above, goesOn })

    yield* showNothing
    const turn = Effect.gen(function* (): Effect.fn.Return<Answer | undefined> {
      const early = yield* earlyKey
      pause = settling
      const key = yield* nextKey(early)
      const choices = choicesNow(isRead())
      const pointed = selected === undefined ? undefined : choices[selected]?.act
      // Enter alone answers nothing.
      if (isEnter(key) && pointed === undefined) return undefined
      const act = isEnter(key) ? pointed : choiceOf(key, choicesNow(true))
      selected = undefined
      if (act === undefined || !(yield* standsAlone(key))) return void (yield* refuse(refusalOf(key, act)))
      if (approves(act) && !isRead()) {
        return void (yield* refuse(
          `not read yet · ${request.masked === undefined ? "d" : "v"} shows everything, then a key allows it`
        ))
      }
      const isCapital = Option.exists(key.input, (input) => /^[A-Z]$/.test(input))
      if (approves(act) && !paged && !isCapital && isLongDiff(request)) {
        return void (yield* refuse(
          `over ${shortDiff} rows · d shows it to the end, a capital letter allows it as it stands`
        ))
      }
      switch (act._tag) {
        case "Allow":
          return { decision: "approve", scope: act.scope }
        case "Deny":
          return deny
        case "Remaining":
          return (yield* remaining) ?? undefined
        case "Edit":
          yield* showNothing
          return Option.getOrUndefined(
            Option.map(yield* beside(edited), (parameters): Answer => ({
              decision: "approve",
              scope: "once",
              parameters
            }))
          )
        case "Details":
          return void (yield* beside(page(detailsOf(request), request.masked === undefined)))
        case "Unmasked": {
          const plain = request.masked === undefined ? undefined : yield* unmasked ?? Effect.succeed(undefined)
          if (plain === undefined) return void (yield* refuse("nothing is masked · wait a second"))
          const { masked = 0, ...rest } = request
          const shown = `unmasked: ${many(masked, "secret")} shown as ${masked === 1 ? "it is" : "they are"}`
          return void (yield* beside(page(detailsOf({ ...rest, ...plain }, [own("warning", shown)]), true)))
        }
        case "Always": {
          const confirmed = yield* isConfirmed(showAlways)
          return confirmed ? { decision: "approve", scope: "always" } : undefined
        }
        case "Wider": {
          const confirmed = yield* isConfirmed(showWider)
          return confirmed ? { decision: "approve", scope: "session", wider: act.kind } : undefined
        }
        case "Reason":
          // What is seen again once the line is left must be no question yet.
          yield* showNothing
          return Option.getOrUndefined(
            Option.map(yield* ask(whyNot, above), (text): Answer =>
              text.trim() === "" ? deny : { ...deny, reason: text.trim() }
            )
          )
      }
    })
    const answer = Effect.repeat(turn, { until: (given): given is Answer => given !== undefined })

    return yield* keyboard.focus((key) => {
      if (isCtrl(key, "c") || (!aside && isEscape(key))) return interrupt
      if (!aside && isCtrl(key, "d")) return Effect.asVoid(Deferred.succeed(denied, deny))
      // What is pasted was written for something else.
      return key.key.name === "paste" ? Effect.void : Effect.asVoid(Queue.offer(keys, key))
    })(Effect.ensuring(Effect.raceFirst(answer, Deferred.await(denied)), screen.bottom(undefined)))
  })
