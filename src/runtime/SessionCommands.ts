import * as Effect from "effect/Effect"
import type { ClientFunctions } from "../agent/ClientFunctions.ts"
import { Approvals } from "../approval/Approvals.ts"
import type { SessionApprovals } from "../approval/SessionState.ts"
import { ClientTools } from "../tool/ClientTools.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { Models } from "../model/Models.ts"
import { openModel } from "../model/openModel.ts"
import { trusted } from "../tool/ToolEvent.ts"
import {
  causeOf,
  type DecideApproval,
  type EndSession,
  type RenameSession,
  senderOf,
  type SessionCommand,
  type SuspendSession
} from "./Command.ts"
import type { Rewinding } from "../checkpoint/Rewinding.ts"
import type { Background } from "./Background.ts"
import { ApprovalPolicySet, ApprovalRevoked, ModelSwitched, SessionCleared, SessionRenamed } from "./RuntimeEvent.ts"
import type { EventLog } from "./EventLog.ts"
import type { Replies } from "./Replies.ts"
import { rewind } from "./rewind.ts"
import { SessionStore } from "./SessionStore.ts"
import type { Tasks } from "./Task.ts"
import type { TasksInFlight } from "./TasksInFlight.ts"

/** Characters of a frontend's name. */
const maxName = 64

const deciderOf = (command: DecideApproval): string =>
  command.frontend === undefined ? senderOf(command) : `frontend ${command.frontend.slice(0, maxName)}`

export interface SessionParts {
  readonly log: EventLog
  readonly view: ModelView
  /** The profile of the model, which a command switches. */
  readonly profile: { current: string }
  readonly approvals: SessionApprovals
  readonly tasks: TasksInFlight
  readonly background: Background
  readonly functions: ClientFunctions
  readonly bodies: Tasks
  readonly replies: Replies
  /** Brings files back; nothing can if unset. */
  readonly checkpoints: Rewinding | undefined
  /** Takes no more commands but those that wait already. */
  readonly end: (command: EndSession | SuspendSession) => Effect.Effect<void>
}

const inFlight = "A task is in flight; interrupt it first."

/** The event that a command to rename leads to. */
export const renamed = (command: RenameSession): SessionRenamed =>
  new SessionRenamed({ ...causeOf(command), title: command.title.replaceAll(/\s+/gu, " ").trim() }, trusted)

/** What each command does to its session. */
export const make = ({
  approvals,
  background,
  bodies,
  checkpoints,
  end,
  functions,
  log,
  profile,
  replies: { done, reject },
  tasks,
  view
}: SessionParts): Effect.Effect<
  (command: SessionCommand) => Effect.Effect<void>,
  never,
  Approvals | Models | SessionStore
> =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const { decide } = yield* Approvals
    const clientTools = yield* ClientTools
    const models = yield* Models
    const { session: id } = log.lease

    /** Answers a command that fails with the reason. */
    const answered = <A extends SessionCommand>(
      command: A,
      self: Effect.Effect<void, { readonly _tag: string; readonly message: string }>
    ) => Effect.catchAll(self, (error) => reject(command, error.message, error._tag))

    return (command) => {
      switch (command._tag) {
        case "SubmitPrompt":
          return tasks.start(command, command.prompt, (sink) => bodies.prompt(sink, command, profile.current))
        case "InvokeTool":
          return tasks.start(command, `/tool ${command.tool}`, (sink) => bodies.invoke(sink, command))
        case "CompactSession":
          return tasks.start(command, "/compact", (sink) => bodies.compact(sink, command, profile.current))
        case "DecideApproval": {
          const decision = { ...command, sessionId: id, scope: command.scope ?? "once", by: deciderOf(command) }
          return answered(command, Effect.zipRight(decide(decision), done(command)))
        }
        case "RevokeApproval":
          return answered(
            command,
            Effect.flatMap(approvals.revoke(command.grantId, senderOf(command)), (revoked) =>
              revoked
                ? log.emit(new ApprovalRevoked({ ...causeOf(command), grantId: command.grantId }, trusted), {})
                : reject(command, `No grant or saved rule ${command.grantId} here.`)
            )
          )
        case "DeclareClientTools":
          return answered(
            command,
            Effect.suspend(() => {
              const { functions: own = [], tools } = command
              const names = [...tools, ...own.map(({ name }) => name)]
              return functions
                .declare(own)
                .pipe(Effect.zipRight(clientTools.declare(id, names)), Effect.zipRight(done(command)))
            })
          )
        case "AnswerClientCall":
          return answered(command, Effect.zipRight(clientTools.answer({ ...command, sessionId: id }), done(command)))
        case "CancelTask":
        case "Interrupt":
          return tasks.interrupt(command)
        case "DetachCall":
          return answered(command, Effect.zipRight(background.detach(command.callId), done(command)))
        case "SetApprovalPolicy":
          return answered(
            command,
            Effect.zipRight(
              approvals.setPolicy(command.policy, senderOf(command)),
              log.emit(new ApprovalPolicySet({ ...causeOf(command), policy: command.policy }, trusted), {})
            )
          )
        case "SwitchModel":
          return answered(
            command,
            Effect.flatMap(openModel(models, command.profile), () =>
              Effect.suspend(() => {
                profile.current = command.profile
                return log.emit(new ModelSwitched({ ...causeOf(command), profile: command.profile }, trusted), {})
              })
            )
          )
        case "RenameSession":
          return log.emit(renamed(command), {})
        case "RewindSession":
          return tasks.size() > 0
            ? reject(command, inFlight)
            : answered(command, rewind({ log, store, view }, checkpoints, command))
        case "ClearSession":
          return Effect.suspend(() => {
            if (tasks.size() > 0) return reject(command, inFlight)
            const cleared = new SessionCleared(causeOf(command), trusted)
            view.apply({ _tag: "Replaced", messages: [], todos: [] })
            return log.emit(cleared, {})
          })
        case "SuspendSession":
        case "EndSession":
          return end(command)
      }
    }
  })
