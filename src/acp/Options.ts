import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk"
import { type ApprovalPolicy, ApprovalPolicy as Policy, modes } from "../approval/ApprovalPolicy.ts"

/** What a person can choose in an editor; `allow` only where Tollgate was started with it. */
const offered: ReadonlyArray<ApprovalPolicy> = ["ask", "edits", "plan", "sandboxed", "deny"]

/** A model that can be chosen. */
export interface ModelChoice {
  readonly profile: string
  readonly model: string | undefined
}

/** What a session can be set to, and is. */
export interface Options {
  readonly mode: ApprovalPolicy
  readonly modes: ReadonlyArray<ApprovalPolicy>
  readonly profile: string
  readonly models: ReadonlyArray<ModelChoice>
}

/** The modes that can be set, the present one among them. */
export const modesFor = (
  present: ApprovalPolicy,
  { danger, unconfined }: { readonly danger: boolean; readonly unconfined: string | undefined }
): ReadonlyArray<ApprovalPolicy> =>
  Policy.literals.filter(
    (mode) =>
      mode === present ||
      (mode === "allow" && danger) ||
      (offered.includes(mode) && (mode !== "sandboxed" || unconfined === undefined))
  )

export const modeStateOf = ({ mode, modes: those }: Options): SessionModeState => ({
  currentModeId: mode,
  availableModes: those.map((id) => ({ id, name: id, description: modes[id].words }))
})

export const configOptionsOf = ({ mode, models, modes: those, profile }: Options): Array<SessionConfigOption> => [
  {
    id: "mode",
    name: "Mode",
    description: "Which calls run without asking",
    category: "mode",
    type: "select",
    currentValue: mode,
    options: those.map((value) => ({ value, name: value, description: modes[value].words }))
  },
  {
    id: "model",
    name: "Model",
    description: "The profile of the next task",
    category: "model",
    type: "select",
    currentValue: profile,
    options: models.map((one) => ({
      value: one.profile,
      name: one.profile,
      ...(one.model === undefined ? {} : { description: one.model })
    }))
  }
]
