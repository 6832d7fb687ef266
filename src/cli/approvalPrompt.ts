import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Scope } from "../tool/ApprovalRequest.ts"
import { makeVisible } from "../redaction/visible.ts"
import type { Answer, Approval } from "../ui/Display.ts"
import { seconds } from "../ui/Words.ts"
import { full } from "./Arguments.ts"
import { isCtrl, isEnter, isEscape, type Key, type Keyboard } from "./Keyboard.ts"
import { columns, fit } from "./Layout.ts"
import type { Screen } from "./Screen.ts"

export interface ApprovalPromptOptions {
  readonly screen: Screen["Type"]
  readonly keyboard: Keyboard["Type"]
  /** Prints lines under the header of the call. */
  readonly print: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  readonly ask: (question: string) => Effect.Effect<Option.Option<string>>
  readonly interrupt: Effect.Effect<void>
}

/** Lines of the arguments that are shown at once. */
const summaryLimit = 12
/** Lines of the details; nobody reads more before the time is up. */
const detailLimit = 60

/** Asks for one key: yes once, for the session or always; anything that ends it otherwise is no. */
export const approvalPrompt = (
  { call, request, waiting }: Approval,
  { ask, interrupt, keyboard, print, screen }: ApprovalPromptOptions
): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const { style } = screen
    const offered = new Set(request.scopes)
    const shownAt = yield* Clock.currentTimeMillis
    const chosen = yield* Deferred.make<Answer | "reason">()
    const choose = (answer: Answer | "reason") => Effect.asVoid(Deferred.succeed(chosen, answer))
    const room = screen.width() - 6

    const lines = full(request.arguments)
    /** The header of the call says it all. */
    const told =
      request.preview?.diff !== undefined || (lines.length === 1 && columns(lines[0] ?? "") < room - columns(call.tool))
    const summary: ReadonlyArray<string> = [
      ...(told ? [] : lines).slice(0, summaryLimit).map((line) => style.dim(fit(makeVisible(line), room))),
      ...(request.workerPath.length > 1 ? [style.dim(`asked by ${makeVisible(request.workerPath.join(" › "))}`)] : [])
    ]
    const details = Effect.suspend(() => {
      const lines = [
        `request ${request.id} · ${request.risk} risk · worker ${request.workerPath.join(" › ")}`,
        `bound to ${request.digest}`,
        ...(request.preview?.targets ?? []).map(
          ({ baseHash, path }) => `target ${path} (${baseHash === null ? "new" : `as of ${baseHash.slice(0, 12)}`})`
        ),
        ...(request.grant === undefined ? [] : [`session and always allow: ${request.grant}`]),
        ...full(request.arguments)
      ].flatMap((line) => makeVisible(line).split("\n"))
      const more = lines.length - detailLimit
      return print([
        ...lines.slice(0, detailLimit).map((line) => fit(line, room)),
        ...(more > 0 ? [style.dim(`… ${more} more lines`)] : [])
      ])
    })

    /** The keys with as many words as there is room for. */
    const keysIn = (space: number): string => {
      const has = (scope: Scope, key: string, word: string) => (offered.has(scope) ? [[key, word] as const] : [])
      const choices = (why: string, more: string) => [
        ["y", "yes"] as const,
        ...has("session", "s", "session"),
        ...has("always", "a", "always"),
        ["n", "no"] as const,
        ["r", why] as const,
        ["d", more] as const
      ]
      const forms = [
        choices("why not", "details")
          .map(([key, word]) => `${style.bold(key)} ${word}`)
          .join("  "),
        choices("why", "more")
          .map(([key, word]) => `${style.bold(key)} ${word}`)
          .join(" "),
        choices("", "")
          .map(([key]) => style.bold(key))
          .join("/")
      ]
      return forms.find((form) => columns(form) <= space) ?? forms.at(-1) ?? ""
    }
    const show = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const left = seconds(request.timeoutMillis - (now - shownAt))
      const others = waiting()
      const tail = `· ${left}${others > 0 ? ` · ${others} more` : ""}`
      const keys = keysIn(screen.width() - 1 - columns(`allow?  ${tail}`))
      return screen.bottom({ text: `${style.yellow("allow?")} ${keys} ${style.dim(tail)}` })
    })
    const onKey = (key: Key): Effect.Effect<void> => {
      if (isCtrl(key, "c")) return Effect.zipRight(interrupt, choose({ decision: "deny" }))
      if (isEnter(key) || isEscape(key)) return choose({ decision: "deny" })
      const letter = Option.getOrElse(key.input, () => "").toLowerCase()
      switch (letter) {
        case "y":
          return choose({ decision: "approve", scope: "once" })
        case "s":
          return offered.has("session") ? choose({ decision: "approve", scope: "session" }) : Effect.void
        case "a":
          return offered.has("always") ? choose({ decision: "approve", scope: "always" }) : Effect.void
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

    yield* summary.length === 0 ? Effect.void : print(summary)
    const ticking = Effect.repeat(show, Schedule.spaced("1 second"))
    const answer = yield* Effect.raceFirst(
      keyboard.focus(onKey)(Deferred.await(chosen)),
      Effect.zipRight(ticking, Effect.never)
    )
    if (answer !== "reason") return answer
    const reason = yield* ask(`${style.yellow("why not?")} `)
    const said = Option.filter(
      Option.map(reason, (text) => text.trim()),
      (text) => text !== ""
    )
    return { decision: "deny", ...(Option.isSome(said) ? { reason: said.value } : {}) }
  })
