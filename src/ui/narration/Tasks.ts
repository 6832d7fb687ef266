import { DecisionTime } from "./DecisionTime.ts"
import { many } from "../Words.ts"
import { status, type Step } from "./Step.ts"

/** What a task has come to so far. */
export interface TaskTold {
  requests: number
  calls: number
  failedCalls: number
  deniedCalls: number
  /** The person runs a tool: no model asks for its call. */
  isInvoked: boolean
  /** Tokens of the iterations that have ended. */
  tokens: number
  /** How long it did nothing but wait for a decision. */
  readonly decided: DecisionTime
}

type Ended = Extract<Step, { readonly _tag: "TaskEnded" }>

/** The tasks that are going on. */
export class Tasks {
  private readonly tasks = new Map<string, TaskTold>()

  of(task: string): TaskTold {
    const known = this.tasks.get(task)
    if (known !== undefined) return known
    const fresh = {
      requests: 0,
      calls: 0,
      failedCalls: 0,
      deniedCalls: 0,
      isInvoked: false,
      tokens: 0,
      decided: new DecisionTime()
    }
    this.tasks.set(task, fresh)
    return fresh
  }

  end(task: string, ended: Omit<Ended, "_tag" | keyof TaskTold>): ReadonlyArray<Step> {
    const { calls, deniedCalls, failedCalls, requests, decided } = this.of(task)
    this.tasks.delete(task)
    const { error, outcome, reason, usage } = ended
    const durationMillis = Math.max(0, ended.durationMillis - decided.millis)
    const why = error === undefined ? {} : { error }
    const denied = deniedCalls === 0 ? {} : { deniedCalls }
    const figures = { durationMillis, requests, calls, failedCalls, ...denied, usage }
    return [status(undefined), { _tag: "TaskEnded", outcome, reason, ...why, ...figures }]
  }
}

/** How far a task has come, from its second request on. */
export const far = ({ requests, tokens }: TaskTold): string =>
  requests < 2 ? "" : ` · request ${requests}${tokens === 0 ? "" : ` · ${many(tokens, "token")}`}`
