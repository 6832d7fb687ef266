import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { Configuration } from "../../config/Configuration.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import { inForeground } from "../../system/foreground.ts"
import { Ui } from "../../ui/Ui.ts"
import { version } from "../../version.ts"
import * as Frontend from "../Frontend.ts"
import { header } from "../terminal/header.ts"
import { invocation } from "../invocation.ts"
import { UsageError } from "../Outcome.ts"
import { policyOf } from "../approvalPolicy.ts"
import { checkProfile } from "../checkProfile.ts"
import { load } from "../command/load.ts"
import type { Session } from "./Dialogue.ts"
import { flagsOf } from "../flags.ts"
import type { RunOptions } from "../Run.ts"
import { modeMark, modeText, promptMark } from "../terminal/modeText.ts"
import { sandboxMark, sandboxText } from "../terminal/sandboxText.ts"
import { Screen } from "../terminal/Screen.ts"
import { type SlashCommand, parseSlash, slashHelp, slashNames } from "./slash.ts"

type InteractiveOptions = Pick<RunOptions, "profile" | "session" | "last" | "mode" | "approve" | "allowAll">

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
    yield* checkProfile(options)
    yield* talk(options, policy)
  }).pipe(
    Effect.provide(Frontend.layer({ split: false, keys: true })),
    Effect.provide(Configuration.layer(flagsOf(options)))
  )

const talk = (options: InteractiveOptions, policy: ApprovalPolicy) =>
  Effect.gen(function* () {
    const ui = yield* Ui
    const screen = yield* Screen
    const { preferred, profiles, settings } = yield* Configuration
    const { directory } = yield* Surroundings
    let profile = yield* preferred
    let sandbox = sandboxText(settings.sandbox)
    let session: Session | undefined
    let running: Deferred.Deferred<void> | undefined
    let idleInterrupts = 0
    const quit = yield* Deferred.make<void>()
    const say = (text: string, level: "info" | "error" = "info") => ui.display({ _tag: "Note", level, text })

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
        Effect.map(dialogue.sandbox, (text) => {
          sandbox = text
        })
      )
    )

    /** The session is created with the first prompt. */
    const opened = Effect.gen(function* () {
      if (session !== undefined) return session
      const { open } = yield* Fiber.join(runtime)
      const fresh = yield* open({
        ended: Effect.suspend(() => (running === undefined ? Effect.void : Deferred.succeed(running, undefined))),
        switched: (name) => {
          profile = name
        }
      })
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
    })

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
    const prompt = (text: string) =>
      Effect.gen(function* () {
        const target = yield* opened
        running = yield* Deferred.make<void>()
        yield* Effect.catchTag(target.submit(text), "SessionUnavailable", (error) => {
          running = undefined
          return say(error.message, "error")
        })
        yield* ended
      })
    /** An old session is opened at once: one of its tasks may wait for a decision. */
    const reopened = options.last || Option.isSome(options.session) ? Effect.zipRight(opened, ended) : Effect.void

    const perform = (command: SlashCommand) =>
      Effect.gen(function* () {
        switch (command._tag) {
          case "Help":
            return yield* say(slashHelp)
          case "Exit":
            return running === undefined
              ? yield* Deferred.succeed(quit, undefined)
              : yield* say("a task is running · esc stops it, then /exit quits", "error")
          case "Clear":
            return session === undefined ? yield* say("nothing to clear yet") : yield* session.clear
          case "Compact": {
            if (session === undefined) return yield* say("nothing to summarize yet")
            if (running !== undefined) return yield* say("a task is running · esc stops it", "error")
            running = yield* Deferred.make<void>()
            yield* session.compact
            return yield* ended
          }
          case "Status": {
            const place = `${session === undefined ? "no session yet" : session.session} · ${profile} · ${modeText(policy)} · ${sandbox} · ${session?.directory ?? directory}`
            return yield* say([place, ...(session === undefined ? [] : yield* session.activity)].join("\n"))
          }
          case "Model": {
            if (command.profile === undefined)
              return yield* say(`${profile} · available: ${Object.keys(profiles).join(", ")}`)
            const target = yield* opened
            return yield* target.switchTo(command.profile)
          }
          case "Unknown":
            return yield* say(
              `${command.name === "" ? "commands" : `unknown command /${command.name} · commands`}: ${slashNames}`,
              "error"
            )
        }
      })

    /** A slash command is about now, also where it is typed while a task runs. */
    yield* Effect.forkScoped(
      Stream.runForEach(ui.asides, (line) => {
        const command = parseSlash(line.trim())
        return command === undefined
          ? Effect.void
          : Effect.catchAll(perform(command), (error) => say(error.message, "error"))
      })
    )

    const marks = [modeMark(policy, screen.style), sandboxMark(sandbox, screen.style)]
    yield* screen.progress(header([version, profile], marks, ["/help", "esc stops", "ctrl-d quits"], screen))
    const loop: Effect.Effect<
      void,
      Effect.Effect.Error<ReturnType<typeof prompt>>,
      Effect.Effect.Context<ReturnType<typeof prompt>>
    > = Effect.gen(function* () {
      yield* reopened
      for (;;) {
        const line = yield* ui.input(promptMark(policy, screen.style))
        if (Option.isNone(line)) return
        idleInterrupts = 0
        const text = line.value.trim()
        if (text === "") continue
        const command = parseSlash(text)
        yield* command === undefined ? prompt(text) : perform(command)
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
