import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ApprovalPolicy, ordinary } from "../../approval/ApprovalPolicy.ts"
import { Configuration } from "../../config/Configuration.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import { inForeground } from "../../system/foreground.ts"
import type { Level } from "../../ui/Display.ts"
import { Ui } from "../../ui/Ui.ts"
import { version } from "../../version.ts"
import * as Frontend from "../Frontend.ts"
import { header } from "../terminal/header.ts"
import { invocation } from "../invocation.ts"
import { UsageError } from "../Outcome.ts"
import { policyOf } from "../approvalPolicy.ts"
import { checkProfile } from "../checkProfile.ts"
import { load } from "../command/load.ts"
import type { Session } from "./Session.ts"
import { flagsOf } from "../flags.ts"
import type { RunOptions } from "../Run.ts"
import { modeMark } from "../terminal/modeText.ts"
import { sandboxMark, sandboxText } from "../terminal/sandboxText.ts"
import { isCtrl } from "../terminal/Key.ts"
import { Composer } from "../terminal/Composer.ts"
import { Region } from "../terminal/Region.ts"
import { Screen } from "../terminal/Screen.ts"
import type { Services } from "../../host/Host.ts"
import type { CommandServices, Prompt } from "./commands/Command.ts"
import { type Standing, statusLine } from "../terminal/StatusLine.ts"
import { isTerminal } from "../../runtime/Event.ts"
import { Doings } from "./Doings.ts"

interface InteractiveOptions extends Pick<
  RunOptions,
  "profile" | "session" | "last" | "mode" | "approve" | "allowAll"
> {
  /** Whether the person picks the session. */
  readonly resume: boolean
}

/** Whether a line is a command for Tollgate and no prompt; `//` at its beginning stands for a slash. */
const isCommand = (line: string): boolean => line.startsWith("/") && !line.startsWith("//")

/** A mode that an event names; one of a later version leaves it as it was. */
const decodeMode = (name: string, before: ApprovalPolicy): ApprovalPolicy =>
  ApprovalPolicy.literals.find((mode) => mode === name) ?? before

/** Prompts one after the other until the person has no more to say. */
export const interactive = (options: InteractiveOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (!screen.interactive) {
      const missing = !(process.stdin.isTTY && process.stdout.isTTY)
        ? "The prompt needs a terminal."
        : inForeground()
          ? "The prompt needs a terminal that can move its cursor, and TERM is dumb."
          : "The prompt cannot run as a background job."
      return yield* new UsageError({
        reason: `${missing} Send one prompt with tollgate run "…", or see tollgate --help.`
      })
    }
    const policy = yield* policyOf(options, true)
    if (!options.resume) {
      yield* checkProfile(options)
      return yield* talk(options, policy)
    }
    if (options.last || Option.isSome(options.session)) {
      return yield* new UsageError({ reason: "--resume cannot be combined with --continue or --session." })
    }
    const picked = yield* Effect.flatMap(
      load(
        () => import("./pickSession.ts"),
        ({ pickSession }) => pickSession
      ),
      (session) => Effect.succeed({ ...options, session })
    )
    if (Option.isNone(picked.session)) return
    yield* checkProfile(picked)
    yield* talk(picked, policy)
  }).pipe(
    Effect.provide(Frontend.layer({ split: false, keys: true })),
    Effect.provide(Configuration.layer(flagsOf(options)))
  )

const talk = (options: InteractiveOptions, policy: ApprovalPolicy) =>
  Effect.gen(function* () {
    const ui = yield* Ui
    const screen = yield* Screen
    const composer = yield* Composer
    const context = yield* Effect.context<Scope.Scope | Ui>()
    const { preferred, profiles, settings } = yield* Configuration
    const { directory } = yield* Surroundings
    let profile = yield* preferred
    let sandbox = sandboxText(settings.sandbox)
    let session: Session | undefined
    let running: Deferred.Deferred<void> | undefined
    let mode = policy
    let branch: Standing["branch"]
    let completed = false
    const doings = new Doings()
    const region = yield* Region
    const scope = yield* Effect.scope
    let idleInterrupts = 0
    const quit = yield* Deferred.make<void>()
    const say = (text: string, level: Level = "info") => ui.display({ _tag: "Note", level, text, whole: true })

    /** Loading and building the runtime takes longer than showing the prompt, which therefore comes first. */
    const runtime = yield* Effect.forkScoped(
      Effect.zipRight(
        Effect.sleep(0),
        load(
          () => import("./Dialogue.ts"),
          (module) => module.make(options, policy)
        )
      )
    )

    yield* Effect.forkScoped(
      Effect.flatMap(Fiber.join(runtime), (dialogue) =>
        Effect.flatMap(dialogue.sandbox, (text) => {
          sandbox = text
          return region.changed
        })
      )
    )

    yield* region.place({
      statusLine: (width) => {
        const { contextWindow } = profiles[profile] ?? {}
        return statusLine(
          { mode, profile, branch, sandbox, ...doings.standing(contextWindow, session?.workers()) },
          width,
          screen.style
        )
      }
    })
    /** Looks at the branch anew. */
    const look = Effect.flatMap(Fiber.join(runtime), (dialogue) =>
      Effect.flatMap(dialogue.branch, (found) => {
        branch = found
        return region.changed
      })
    )
    yield* Effect.forkScoped(Effect.ignore(look))

    /** The session is created with the first prompt. */
    const opened = Effect.gen(function* () {
      if (session !== undefined) return session
      const { open } = yield* Fiber.join(runtime)
      const fresh = yield* open({
        ended: Effect.suspend(() =>
          Effect.zipRight(
            Effect.forkIn(Effect.ignore(look), scope),
            running === undefined ? Effect.void : Deferred.succeed(running, undefined)
          )
        ),
        switched: (name) => {
          profile = name
        },
        heard: (envelope) =>
          Effect.suspend(() => {
            const { event } = envelope
            doings.hear(envelope)
            if (event._tag === "ApprovalPolicySet") mode = decodeMode(event.policy, mode)
            if (isTerminal(event)) completed = event._tag === "TaskCompleted"
            return envelope.transient === true ? Effect.void : region.changed
          })
      })
      if (mode !== policy) yield* fresh.setMode(mode)
      session = fresh
      const before = yield* fresh.recap(screen)
      if (before.length > 0) yield* screen.progress(`${before.join("\n")}\n\n`)
      if (fresh.goesOn !== undefined) running = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        // What is shown ends where the session does, and with it the wait for its task.
        Effect.zipRight(
          Effect.catchAll(fresh.shown, (error) => say(error.message, "error")),
          Deferred.succeed(quit, undefined)
        )
      )
      return fresh
    }).pipe(Effect.provide(context))

    const onInterrupt = Effect.suspend(() => {
      if (session !== undefined && running !== undefined) {
        return session.interrupt
      }
      return idleInterrupts++ === 0 ? say("press ctrl-c again, or ctrl-d, to quit") : Deferred.succeed(quit, undefined)
    })
    yield* Effect.forkScoped(Stream.runForEach(ui.interruptions, () => onInterrupt))

    const ended = Effect.gen(function* () {
      if (running !== undefined) yield* Effect.raceFirst(Deferred.await(running), Deferred.await(quit))
      running = undefined
    })
    const setMode = (wanted: ApprovalPolicy) =>
      session === undefined && ordinary.some((one) => one === wanted) && wanted !== "sandboxed"
        ? Effect.suspend(() => {
            mode = wanted
            return say(`mode: ${wanted}`)
          })
        : Effect.flatMap(opened, (target) => target.setMode(wanted))
    /** What the person wants after a plan: to go on in another mode, or to stay. */
    const goOn = Effect.map(
      ui.question("Go on with this plan? a in ask · e in edits · enter stays in plan"),
      (answer): ApprovalPolicy | undefined => {
        const said = Option.getOrElse(answer, () => "")
          .trim()
          .toLowerCase()
        return /^a(?:sk)?$/.test(said) ? "ask" : /^e(?:dits)?$/.test(said) ? "edits" : undefined
      }
    )
    const prompt = (text: string) =>
      Effect.gen(function* () {
        yield* sent(text)
        if (mode !== "plan" || !completed || (yield* Deferred.isDone(quit))) return
        const chosen = yield* goOn
        if (chosen === undefined) return
        yield* setMode(chosen)
        yield* sent("Go on: carry out the plan.")
      })
    const sent = (text: string) =>
      Effect.gen(function* () {
        const target = yield* opened
        completed = false
        running = yield* Deferred.make<void>()
        yield* Effect.catchTag(target.submit(text), "SessionUnavailable", (error) => {
          running = undefined
          return say(error.message, "error")
        })
        yield* ended
      })
    /** An old session is opened at once: one of its tasks may wait for a decision. */
    const reopened = options.last || Option.isSome(options.session) ? Effect.zipRight(opened, ended) : Effect.void

    /** Shows the task that is sent off to its end. */
    const task = <E, R>(begin: (session: Session) => Effect.Effect<unknown, E, R>) =>
      Effect.gen(function* () {
        const target = yield* opened
        running = yield* Deferred.make<void>()
        yield* Effect.onError(begin(target), () =>
          Effect.sync(() => {
            running = undefined
          })
        )
        yield* ended
      })
    const commanded: Prompt = {
      say,
      current: () => session,
      session: opened,
      isRunning: () => running !== undefined,
      task,
      submit: prompt,
      profile: () => profile,
      mode: () => mode,
      setMode,
      sandbox: () => sandbox,
      directory,
      quit: Effect.asVoid(Deferred.succeed(quit, undefined))
    }
    /** Runs a command of the person behind the gate that those of the model are behind. */
    const shell = (line: string) =>
      task((target) => target.invoke("run_shell", { command: line })).pipe(
        Effect.catchAll((error) => say(error.message, "error"))
      )
    const perform = (line: string) =>
      Fiber.join(runtime).pipe(
        Effect.flatMap((dialogue) => dialogue.perform(line, commanded)),
        Effect.catchAll((error) => say(error.message, "error"))
      )

    /** A slash command is about now, also where it is typed while a task runs. */
    yield* Effect.forkScoped(Stream.runForEach(ui.asides, perform))

    /** What was typed at the prompts of this project. */
    const typedBefore: Array<string> = []
    let unwritable = false
    const services = yield* Effect.context<Exclude<CommandServices, Services>>()
    yield* Effect.forkScoped(
      Effect.flatMap(Fiber.join(runtime), ({ edited, history, search, suggest }) =>
        Effect.gen(function* () {
          const suggesting = suggest(commanded)
          yield* composer.assist((typed, at) => Effect.provide(suggesting(typed, at), services))
          typedBefore.unshift(...history.entries)
          composer.editor.remember(history.entries)
          yield* composer.searchWith(search(() => typedBefore))
          if (history.problem !== undefined) yield* say(history.problem, "warning")
          const { editor } = composer
          const edit = Effect.suspend(() => composer.lend(edited(editor.text))).pipe(
            Effect.map((text) => {
              editor.text = text
            }),
            Effect.catchAll((error) => say(error.message, "error")),
            Effect.provide(services)
          )
          yield* composer.bind({ matches: (key) => isCtrl(key, "g"), run: edit })
        })
      )
    )
    /** Keeps what was typed for the prompts that follow. */
    const record = (text: string) => {
      typedBefore.push(text)
      if (unwritable) return Effect.void
      return Effect.flatMap(Fiber.join(runtime), ({ history }) => history.add(text)).pipe(
        Effect.catchTag("HistoryFailed", (error) => {
          unwritable = true
          return say(error.message, "warning")
        }),
        Effect.ignore
      )
    }
    yield* composer.bind({
      matches: ({ key }) => key.name === "tab" && key.shift,
      run: Effect.asVoid(Effect.forkIn(Effect.provide(perform("/mode next"), services), scope))
    })

    const marks = [modeMark(policy, screen.style), sandboxMark(sandbox, screen.style)]
    yield* screen.progress(header([version, profile], marks, ["/help", "esc stops", "ctrl-d quits"], screen))
    const loop = Effect.gen(function* () {
      yield* reopened
      for (;;) {
        const line = yield* ui.input("› ")
        if (Option.isNone(line)) return
        idleInterrupts = 0
        const text = line.value.trim()
        if (text === "") continue
        yield* Effect.forkScoped(record(text))
        const command = /^!\s*(\S[^]*)$/.exec(text)?.[1]
        yield* command !== undefined
          ? shell(command)
          : isCommand(text)
            ? perform(text)
            : prompt(text.replace(/^\/\//, "/"))
        if (yield* Deferred.isDone(quit)) return
      }
    })
    const looping = yield* Effect.fork(loop)
    const failed = Effect.zipRight(Fiber.join(runtime), Effect.never)
    yield* Effect.raceFirst(Effect.raceFirst(Fiber.join(looping), Deferred.await(quit)), failed)
    yield* Fiber.interrupt(looping)
    yield* ui.stop
    if (session !== undefined) {
      yield* screen.progress(
        screen.style.dim(`resume with ${invocation()} --session ${session.session.slice(0, 16)}\n`)
      )
    }
  }).pipe(Effect.scoped)
