import { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { isTerminal } from "../../runtime/Event.ts"
import type { Standing } from "../terminal/StatusLine.ts"
import type { WorkerTree } from "../../ui/WorkerTree.ts"
import { Doings } from "./Doings.ts"
import { isPlan } from "./PlanQuestion.ts"

/** A mode that an event names; one of a later version leaves it as it was. */
const decodeMode = (name: string, before: ApprovalPolicy): ApprovalPolicy =>
  ApprovalPolicy.literals.find((mode) => mode === name) ?? before

/** What holds at a prompt: what the person has chosen, and what the events of the session have changed since. */
export class PromptState {
  mode: ApprovalPolicy
  profile: string
  /** Where commands run, in words. */
  sandbox: string
  branch: Standing["branch"]
  /** Whether the task that ended last was completed. */
  completed = false
  /** Whether its answer is a plan, or it has planned steps. */
  planned = false
  private readonly doings = new Doings()

  constructor({ mode, profile, sandbox }: Pick<PromptState, "mode" | "profile" | "sandbox">) {
    this.mode = mode
    this.profile = profile
    this.sandbox = sandbox
  }

  hear(envelope: Envelope): void {
    const { event } = envelope
    this.doings.hear(envelope)
    if (event._tag === "ApprovalPolicySet") this.mode = decodeMode(event.policy, this.mode)
    if (event._tag === "ModelSwitched") this.profile = event.profile
    if (event._tag === "TaskStarted") this.planned = false
    if (event._tag === "TodosChanged" && event.items.length > 0) this.planned = true
    if (event._tag === "TaskCompleted" && isPlan(event.text)) this.planned = true
    if (isTerminal(event)) this.completed = event._tag === "TaskCompleted"
  }

  /** What the session had cost before its first event here. */
  spent(before: Parameters<Doings["spent"]>[0]): void {
    this.doings.spent(before)
  }

  /** What the status line says; `window` is what the model takes, in tokens. */
  standing(window: number | undefined, workers: WorkerTree | undefined): Standing {
    const { branch, mode, profile, sandbox } = this
    return { mode, profile, branch, sandbox, ...this.doings.standing(window, workers) }
  }
}
