import type { SessionConfigOption } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import { type ApprovalPolicy, ApprovalPolicy as Policy } from "../approval/ApprovalPolicy.ts"
import { Approvals } from "../approval/Approvals.ts"
import { Configuration } from "../config/Configuration.ts"
import { Models } from "../model/Models.ts"
import { SetApprovalPolicy, SwitchModel } from "../runtime/Command.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { configOptionsOf, modesFor, type Options } from "./Options.ts"
import { type EditorRequestRefused, invalid, refusedBy } from "./Refused.ts"

/** What a session can be set to, and is by now. */
export type Settable = Effect.Effect<Options, EditorRequestRefused>

/** The mode and the model of sessions. */
export const make = Effect.gen(function* () {
  const runtime = yield* Runtime
  const store = yield* SessionStore
  const approvals = yield* Approvals
  const models = yield* Models
  const { profiles } = yield* Configuration
  const danger = (yield* approvals.state()).policy === "allow"

  const apply = (session: string, policy: ApprovalPolicy) =>
    Effect.mapError(runtime.request(new SetApprovalPolicy({ session, policy }, trusted)), refusedBy(session))

  const setMode = (session: string, options: Settable, mode: unknown): Effect.Effect<void, EditorRequestRefused> =>
    Effect.gen(function* () {
      const { modes } = yield* options
      const policy = modes.find((one) => one === mode)
      if (policy === undefined) return yield* invalid(`There is no mode ${JSON.stringify(mode)}: ${modes.join(", ")}.`)
      yield* apply(session, policy)
    })

  const setModel = (session: string, options: Settable, value: unknown): Effect.Effect<void, EditorRequestRefused> =>
    Effect.gen(function* () {
      const known = (yield* options).models.map(({ profile }) => profile)
      const profile = known.find((one) => one === value)
      if (profile === undefined)
        return yield* invalid(`There is no model ${JSON.stringify(value)}: ${known.join(", ")}.`)
      yield* Effect.mapError(runtime.request(new SwitchModel({ session, profile }, trusted)), refusedBy(session))
    })

  return {
    of: (session: string, unconfined: Effect.Effect<string | undefined>): Settable =>
      Effect.gen(function* () {
        const mode = (yield* approvals.state(session)).policy
        const { profile } = yield* store.get(session)
        return {
          mode,
          modes: modesFor(mode, { danger, unconfined: yield* unconfined }),
          profile,
          models: [...new Set([...models.profiles, profile])].map((name) => ({
            profile: name,
            model: profiles[name]?.model
          }))
        } satisfies Options
      }).pipe(Effect.mapError(refusedBy(session))),

    /** Sets the mode that was chosen last in a stored session, in whatever run of it. */
    restore: (session: string): Effect.Effect<void> =>
      Effect.gen(function* () {
        const all = yield* Effect.orElseSucceed(store.tagged(session, ["ApprovalPolicySet", "SessionForked"]), () => [])
        // What was chosen in the session that it is a copy of does not hold in it.
        const own = all.slice(all.findLastIndex(({ event }) => event._tag === "SessionForked") + 1)
        const last = own.at(-1)?.event
        if (last?._tag !== "ApprovalPolicySet") return
        const mode = Policy.literals.find((one) => one === last.policy)
        if (mode === undefined || mode === (yield* approvals.state(session)).policy) return
        yield* Effect.ignoreLogged(apply(session, mode))
      }),

    setMode,

    setOption: (
      session: string,
      options: Settable,
      option: string,
      value: unknown
    ): Effect.Effect<Array<SessionConfigOption>, EditorRequestRefused> =>
      Effect.gen(function* () {
        if (option === "mode") yield* setMode(session, options, value)
        else if (option === "model") yield* setModel(session, options, value)
        else return yield* invalid(`There is no option ${JSON.stringify(option)}: mode, model.`)
        return configOptionsOf(yield* options)
      })
  }
})

export type Settings = Effect.Effect.Success<typeof make>
