import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Approvals } from "../../approval/Approvals.ts"
import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { Configuration } from "../../config/Configuration.ts"
import { ClearSession, CompactSession, Interrupt, SwitchModel } from "../../runtime/Command.ts"
import { isTerminal } from "../../runtime/Event.ts"
import { followIterations } from "../../runtime/followIterations.ts"
import { Runtime } from "../../runtime/Runtime.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import { Ids } from "../../tool/Ids.ts"
import { defaults } from "../../runtime/RuntimeOptions.ts"
import * as Iterations from "../../tool/iterations.ts"
import { ProgressBoard } from "../../tool/ProgressBoard.ts"
import { submit } from "../../ui/Conversation.ts"
import { present } from "../../ui/present.ts"
import { activity } from "./activity.ts"
import * as Instructions from "../../host/Instructions.ts"
import * as Misnamed from "../misnamed.ts"
import { countedMessages, lookedThrough, rows } from "./Recap.ts"
import * as Distrust from "../distrust.ts"
import * as SandboxNote from "../sandboxNote.ts"
import type { Screen } from "../terminal/Screen.ts"
import { agent, openSession, projectOf, type RunOptions } from "../Run.ts"

/** What the prompt wants to know of its session. */
export interface Listener {
  /** Runs when a task has ended. */
  readonly ended: Effect.Effect<unknown>
  readonly switched: (profile: string) => void
}

/** The runtime of an interactive prompt; a separate module, which loads while the user types. */
export const make = (options: Pick<RunOptions, "profile" | "session" | "last">, policy: ApprovalPolicy) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(agent(policy, true))
    const { project } = yield* Effect.provide(projectOf(options), context)
    yield* Effect.zipRight(Distrust.warn(project.config), Misnamed.warn(project.config))
    const tried = yield* Effect.forkScoped(SandboxNote.tried(project))
    const runtime = Context.get(context, Runtime)
    const approvals = Context.get(context, Approvals)
    const ids = yield* Ids

    const iterations = Iterations.make(Context.get(context, ProgressBoard))
    const { settings } = yield* Configuration
    const events = yield* runtime.events
    yield* Effect.forkScoped(followIterations(iterations, settings.maxIterations ?? defaults.maxIterations)(events))

    /** Opens the session that the options name. */
    const open = ({ ended, switched }: Listener) =>
      Effect.gen(function* () {
        const opened = yield* openSession(options, true)
        const { session } = opened
        const isNew = !options.last && Option.isNone(options.session)
        const store = yield* SessionStore
        /** What stood last in it, as rows of the screen. */
        const recap = (screen: Pick<Screen["Type"], "style" | "width">) =>
          isNew
            ? Effect.succeed([])
            : Effect.all({
                events: store.read(session, Math.max(1, opened.seq - lookedThrough), lookedThrough),
                messages: store.messages(session, countedMessages)
              }).pipe(
                Effect.map(({ events, messages }) =>
                  rows({ events: events.filter(({ seq }) => seq < opened.seq), messages }, screen)
                )
              )
        const shown = present(runtime.subscribe(session, { from: opened.seq }), {
          decide: (decision) => Effect.ignore(runtime.send(decision)),
          unmasked: approvals.unmasked,
          answer: (answer) => Effect.ignore(runtime.send(answer)),
          after: ({ event }) =>
            Effect.suspend(() => {
              if (event._tag === "ModelSwitched") switched(event.profile)
              return isTerminal(event) ? ended : Effect.void
            })
        })
        return {
          ...opened,
          recap,
          /** Shows what happens in it. */
          shown,
          submit: (text: string) => Effect.provide(submit(opened, text), context),
          directory: project.directory,
          activity: Effect.zipWith(
            project.instructions,
            Effect.provide(activity(project.directory), context),
            (found, rows) => {
              const files = Instructions.summary(found, project)
              return files === undefined ? rows : [`instructions: ${files}`, ...rows]
            }
          ),
          interrupt: Effect.ignore(runtime.send(new Interrupt({ session }))),
          compact: Effect.flatMap(ids.next("task"), (task) => runtime.send(new CompactSession({ session, task }))),
          clear: Effect.suspend(() => runtime.send(new ClearSession({ session }))),
          switchTo: (profile: string) => runtime.send(new SwitchModel({ session, profile }))
        }
      }).pipe(Effect.provide(context))
    return { open, sandbox: Fiber.join(tried) }
  })

export type Dialogue = Effect.Effect.Success<ReturnType<typeof make>>
export type Session = Effect.Effect.Success<ReturnType<Dialogue["open"]>>
