import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { Configuration } from "../../config/Configuration.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import type { Level } from "../../ui/Display.ts"
import { Ui } from "../../ui/Ui.ts"
import { many } from "../../ui/Words.ts"
import { version } from "../../version.ts"
import { header } from "../terminal/header.ts"
import { invocation } from "../invocation.ts"
import { advised } from "../../ui/advice.ts"
import { attached, isRouted } from "../attached.ts"
import type { Chosen } from "../checkProfile.ts"
import { isTerminalGone } from "../end.ts"
import { load } from "../command/load.ts"
import { modeMark } from "../terminal/modeText.ts"
import { sandboxMark, sandboxText } from "../terminal/sandboxText.ts"
import { Composer } from "../terminal/Composer.ts"
import { Region } from "../terminal/Region.ts"
import { shownLines } from "../terminal/editor/FoldedPastes.ts"
import { Screen } from "../terminal/Screen.ts"
import type { CommandFailed, Prompt } from "./commands/Command.ts"
import type { Dialogue } from "./Dialogue.ts"
import { type Line, lineOf } from "./Line.ts"
import * as PlanQuestion from "./PlanQuestion.ts"
import * as PromptSession from "./PromptSession.ts"
import { PromptState } from "./PromptState.ts"
import type { Watched } from "./watch.ts"
import * as Typing from "./Typing.ts"
import { statusLine } from "../terminal/StatusLine.ts"

/** In which the keys are read that wait in the terminal. */
const typedFirst = "60 millis"

/** How long a process that is ended waits for what was typed to be kept. */
const patience = "2 seconds"

/** What is said of prompts that were not sent, by whether they were kept. */
const unsentText = (kept: ReadonlyArray<boolean>): string => {
  const lost = kept.filter((one) => !one).length
  const all = many(kept.length, "prompt")
  return lost === 0
    ? `${all} not sent; ↑ recalls ${kept.length === 1 ? "it" : "them"} the next time`
    : `${all} not sent, ${lost} of them not kept either`
}

/** What belongs behind a sign that stands alone. */
const usage = { Command: "usage: /COMMAND", Shell: "usage: !COMMAND", Note: "usage: #NOTE" } as const

/** Another session that the person has picked, and the mode to go on in. */
export interface Picked {
  readonly picked: string
  readonly mode: ApprovalPolicy
}

/** Talks with the person in one session, until they leave it, pick another, or another process takes it. */
export const talk = (options: Chosen, policy: ApprovalPolicy, isShown: boolean) =>
  Effect.gen(function* () {
    const ui = yield* Ui
    const screen = yield* Screen
    const region = yield* Region
    const composer = yield* Composer
    const { preferred, profiles, settings } = yield* Configuration
    const { directory, env } = yield* Surroundings
    const state = new PromptState({ mode: policy, profile: yield* preferred, sandbox: sandboxText(settings.sandbox) })
    const quit = yield* Deferred.make<void>()
    /** The session to go on in. */
    let next: string | undefined
    const say = (text: string, level: Level = "info") => ui.display({ _tag: "Note", level, text, whole: true })

    /** Loading and building the runtime takes longer than showing the prompt and what has been typed until then, which therefore come first. */
    const loading = yield* Effect.forkScoped(
      Effect.zipRight(
        Effect.sleep(typedFirst),
        load(
          () => import("./Dialogue.ts"),
          (module) => module.make(options, policy)
        )
      )
    )
    const dialogue = Fiber.join(loading)

    /** Keeps what is found out for the status line. */
    const learn = <A, E>(found: (dialogue: Dialogue) => Effect.Effect<A, E>, keep: (found: A) => void) =>
      Effect.flatMap(Effect.map(Effect.flatMap(dialogue, found), keep), () => region.changed)
    const branch = Effect.ignore(
      learn(
        (dialogue) => dialogue.branch,
        (found) => (state.branch = found)
      )
    )
    yield* Effect.forkScoped(branch)
    yield* Effect.forkScoped(
      learn(
        (dialogue) => dialogue.sandbox,
        (found) => (state.sandbox = found)
      )
    )

    const current = yield* PromptSession.make({ dialogue, ended: branch, isShown, policy, quit, say, state })
    yield* region.place({
      statusLine: (width) => {
        const window = profiles[state.profile]?.contextWindow
        return statusLine(state.standing(window, current.current()?.workers()), width, screen.style)
      }
    })
    const plan = yield* PlanQuestion.make

    let idleInterrupts = 0
    const onInterrupt = Effect.gen(function* () {
      if ((yield* plan.leave) || (yield* current.interrupt)) return
      if (idleInterrupts++ === 0) yield* say("press ctrl-c again, or ctrl-d, to quit")
      else yield* Deferred.succeed(quit, undefined)
    })
    yield* Effect.forkScoped(Stream.runForEach(ui.interruptions, () => onInterrupt))

    const draft = (text: string) =>
      Effect.suspend(() => {
        if (composer.editor.isEmpty) composer.editor.text = text
        return region.redraw
      })
    const send = (given: string, typed?: string) =>
      Effect.gen(function* () {
        const from = { directory, home: env["HOME"] ?? "/" }
        const { images, text } = yield* attached(given, from, {
          profile: state.profile,
          profiles,
          isRouted: isRouted(settings),
          choose: (profile) => `/model ${profile}`
        })
        yield* current.task((session) => session.submit(text, typed, images))
      }).pipe(
        Effect.catchTag("SessionUnavailable", "ImageRefused", "NotSent", (error) =>
          Effect.gen(function* () {
            state.completed = false
            yield* say(advised(error.message, error), error._tag === "NotSent" ? "info" : "error")
            // Nothing was sent: it can be mended and sent again.
            if (error._tag !== "SessionUnavailable") yield* draft(given)
          })
        )
      )
    const submit = (text: string, typed?: string) =>
      Effect.gen(function* () {
        yield* send(text, typed)
        while (state.mode === "plan" && state.completed && state.planned && !(yield* Deferred.isDone(quit))) {
          const chosen = yield* plan.ask
          if (chosen === undefined) return
          if (chosen._tag === "Change") yield* send(chosen.text, chosen.text)
          else {
            yield* current.setMode(chosen.mode)
            yield* send("Go on: carry out the plan.")
          }
        }
      })
    const prompt: Prompt = {
      say,
      current: current.current,
      session: current.opened,
      isRunning: current.isRunning,
      task: current.task,
      draft,
      submit: (text) => submit(text),
      profile: () => state.profile,
      mode: () => state.mode,
      // The question is one of plan mode.
      setMode: (mode) => Effect.zipRight(plan.leave, current.setMode(mode)),
      sandbox: () => state.sandbox,
      directory,
      quit: Effect.asVoid(Deferred.succeed(quit, undefined)),
      resume: (session) =>
        Effect.suspend(() => {
          next = session
          return Effect.asVoid(Deferred.succeed(quit, undefined))
        })
    }
    const told = Effect.catchAll((error: CommandFailed) =>
      say(Predicate.isTagged(error, "RequestRejected") ? advised(error.message, error) : error.message, "error")
    )
    /** Runs a command of the person behind the gate that those of the model are behind. */
    const shell = (line: string) => told(current.task((session) => session.invoke("run_shell", { command: line })))
    const perform = (line: string) => told(Effect.flatMap(dialogue, (dialogue) => dialogue.perform(line, prompt)))

    /** Shows a typed line that no task shows, above what comes of it. */
    const echo = (text: string) => ui.display({ _tag: "Prompt", text })
    const follow = ({ _tag, text }: Line) => {
      if (text === "" && _tag !== "Prompt") return say(usage[_tag], "error")
      switch (_tag) {
        case "Command":
          return perform(text)
        case "Shell":
          return shell(text)
        case "Note":
          return told(Effect.flatMap(dialogue, ({ remember }) => remember(text, prompt)))
        case "Prompt":
          // What is folded was pasted.
          return submit(text, text.split("\n").length > shownLines ? undefined : text)
      }
    }

    /** A slash command is about now, also where it is typed while a task runs. */
    yield* Effect.forkScoped(Stream.runForEach(ui.asides, (line) => Effect.zipRight(echo(line.trim()), perform(line))))
    const typing = yield* Typing.make({ prompt, dialogue, perform })

    const marks = [modeMark(policy, screen.style), sandboxMark(state.sandbox, screen.style)]
    if (!isShown) {
      yield* screen.progress(
        header(
          [version, state.profile],
          marks,
          ["/help", `${screen.plain ? "ctrl-c" : "esc"} stops`, "ctrl-d quits"],
          screen
        )
      )
    }
    const loop = Effect.gen(function* () {
      // An old session is opened at once: one of its tasks may wait for a decision.
      if (options.last || Option.isSome(options.session)) yield* Effect.zipRight(current.opened, current.awaited)
      for (;;) {
        const line = yield* ui.input("› ")
        if (Option.isNone(line)) return
        idleInterrupts = 0
        const text = line.value.trim()
        if (text === "") continue
        yield* Effect.forkScoped(typing.record(text))
        const meant = lineOf(text)
        // What is remembered is shown without secrets.
        if (meant._tag === "Command" || meant._tag === "Shell" || meant.text === "") yield* echo(text)
        yield* follow(meant)
        if (yield* Deferred.isDone(quit)) return
      }
    })
    const looping = yield* Effect.fork(loop)
    const failed = Effect.zipRight(dialogue, Effect.never)
    const resumable = Effect.suspend(() => {
      const session = current.current()?.session
      return session === undefined
        ? Effect.void
        : screen.progress(screen.style.dim(`resume with ${invocation()} --session ${session.slice(0, 16)}\n`))
    })
    /** What was typed is not lost with a process that is ended. */
    const ended = Effect.gen(function* () {
      const unsent = yield* composer.unsent
      const kept = yield* Effect.forEach(unsent, (text) =>
        Effect.timeoutTo(typing.record(text), { duration: patience, onSuccess: (kept) => kept, onTimeout: () => false })
      )
      if (isTerminalGone()) return
      yield* ui.stop
      if (unsent.length > 0) yield* say(unsentText(kept), kept.every(Boolean) ? "info" : "warning")
      yield* resumable
    })
    yield* Effect.raceFirst(Effect.raceFirst(Fiber.join(looping), Deferred.await(quit)), failed).pipe(
      Effect.onInterrupt(() => ended)
    )
    yield* Fiber.interrupt(looping)
    yield* ui.stop
    const session = current.current()
    const taker = session?.takenBy()
    if (session !== undefined && taker !== undefined) {
      return { session: session.session, takenBy: taker } satisfies Watched
    }
    yield* resumable
    return next === undefined ? undefined : ({ picked: next, mode: state.mode } satisfies Picked)
  }).pipe(Effect.scoped)
