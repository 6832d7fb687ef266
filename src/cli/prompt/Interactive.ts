import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { Configuration } from "../../config/Configuration.ts"
import * as Frontend from "../Frontend.ts"
import { UsageError } from "../Outcome.ts"
import { policyOf } from "../approvalPolicy.ts"
import { checkProfile, type Chosen } from "../checkProfile.ts"
import { load } from "../command/load.ts"
import { flagsOf } from "../flags.ts"
import type { RunOptions } from "../Run.ts"
import { Interruptions } from "../terminal/Interruptions.ts"
import { Screen } from "../terminal/Screen.ts"
import type { Watched } from "./watch.ts"
import { type Picked, talk } from "./Talk.ts"

interface InteractiveOptions extends Pick<
  RunOptions,
  "profile" | "session" | "last" | "mode" | "approve" | "allowAll" | "screenReader"
> {
  /** Whether the person picks the session. */
  readonly resume: boolean
}

/** Prompts one after the other until the person has no more to say. */
export const interactive = (options: InteractiveOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (!screen.interactive) {
      const missing = !process.stdin.isTTY
        ? "The prompt needs a terminal, and standard input is none."
        : !process.stdout.isTTY
          ? "The prompt needs a terminal, and standard output is none."
          : "The prompt cannot run as a background job."
      return yield* new UsageError({
        reason: `${missing} Send one prompt with tollgate run "…", or see tollgate --help.`
      })
    }
    const { profiles } = yield* Configuration
    if (Object.keys(profiles).length > 0 || Option.isSome(options.profile)) return yield* begin(options)
    const configuration = yield* load(
      () => import("../start/firstStart.ts"),
      ({ firstStart }) => firstStart
    )
    if (Option.isSome(configuration)) {
      yield* Effect.provideService(begin(options), Configuration, configuration.value)
    }
  }).pipe(
    Effect.provide(Frontend.layer({ split: false, keys: true })),
    Effect.provide(Configuration.layer(flagsOf(options)))
  )

/** Opens the prompt with the session that the options name. */
const begin = (options: InteractiveOptions) =>
  Effect.gen(function* () {
    const policy = yield* policyOf(options, true)
    if (!options.resume) {
      yield* (yield* Interruptions).expect
      yield* checkProfile(options)
      return yield* attend(options, policy)
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
    yield* attend(picked, policy)
  })

/**
 * Talks as long as the session is open here, goes on in another where the person picks one, and shows it read-only while another
 * process has it.
 */
const attend = (options: Chosen, policy: ApprovalPolicy) =>
  Effect.gen(function* () {
    let chosen: Chosen = options
    let mode: ApprovalPolicy = policy
    let isShown = false
    for (;;) {
      const next: Picked | Watched | undefined = yield* talk(chosen, mode, isShown).pipe(
        Effect.catchIf(
          (error) => error._tag === "SessionUnavailable" && error.error === "SessionBusy",
          (error) =>
            error._tag === "SessionUnavailable" && error.session !== undefined
              ? Effect.succeed<Watched>({ session: error.session })
              : Effect.fail(error)
        )
      )
      if (next === undefined) return
      if ("picked" in next) {
        mode = next.mode
        isShown = false
        // A profile that was asked for was meant for the session before.
        chosen = { ...options, profile: Option.none(), session: Option.some(next.picked), last: false }
        continue
      }
      const { session } = next
      const isTaken = yield* load(
        () => import("./watch.ts"),
        ({ watch }) => watch(next)
      )
      if (!isTaken) return
      isShown = true
      const profile = next.takenBy === undefined ? chosen.profile : Option.none()
      chosen = { ...options, profile, session: Option.some(session), last: false }
    }
  })
