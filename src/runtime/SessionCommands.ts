import * as Effect from "effect/Effect"
import { Approvals, type SessionApprovals } from "../approval/Approvals.ts"
import { ClientTools } from "../tool/ClientTools.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { Models } from "../model/Models.ts"
import { openModel } from "../model/openModel.ts"
import { trusted } from "../tool/ToolEvent.ts"
import {
  causeOf,
  type DecideApproval,
  type EndSession,
  senderOf,
  type SessionCommand,
  type SuspendSession
} from "./Command.ts"
import type { Background } from "./Background.ts"
import { ApprovalPolicySet, ApprovalRevoked, ModelSwitched, SessionCleared } from "./Event.ts"
import type { EventLog } from "./EventLog.ts"
import type { Replies } from "./Replies.ts"
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
  readonly bodies: Tasks
  readonly replies: Replies
  /** Takes no more commands but those that wait already. */
  readonly end: (command: EndSession | SuspendSession) => Effect.Effect<void>
}

/** What each command does to its session. */
export const make = ({
  approvals,
  background,
  bodies,
  end,
  log,
  profile,
  replies: { done, reject },
  tasks,
  view
}: SessionParts): Effect.Effect<(command: SessionCommand) => Effect.Effect<void>, never, Approvals | Models> =>
  Effect.gen(function* () {
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
          return tasks.start(command, "/compact", (sink) => bodies.compact(sink, profile.current))
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
          return Effect.zipRight(clientTools.declare(id, command.tools), done(command))
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
        case "ClearSession":
          return Effect.suspend(() => {
            if (tasks.size() > 0) return reject(command, "A task is in flight; interrupt it first.")
            view.clear()
            return log.emit(new SessionCleared(causeOf(command), trusted), {})
          })
        case "SuspendSession":
        case "EndSession":
          return end(command)
      }
    }
  })
