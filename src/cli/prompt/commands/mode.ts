import * as Effect from "effect/Effect"
import { aliases, ApprovalPolicy, following, modes, ordinary } from "../../../approval/ApprovalPolicy.ts"
import { command } from "./Command.ts"

/** What Shift-Tab asks for: the mode after this one. */
export const next = "next"

const modeOf = (name: string, current: ApprovalPolicy): ApprovalPolicy | undefined =>
  name === next
    ? following(current)
    : (ApprovalPolicy.literals.find((mode) => mode === name) ??
      Object.entries(aliases).find(([alias]) => alias === name)?.[1])

/** Every mode that can be chosen here, the current one marked. */
const list = (current: ApprovalPolicy): string => {
  const shown = ApprovalPolicy.literals.filter((mode) => mode === current || ordinary.some((one) => one === mode))
  const wide = Math.max(...shown.map((mode) => mode.length))
  return shown.map((mode) => `${mode === current ? "●" : " "} ${mode.padEnd(wide)}  ${modes[mode].words}`).join("\n")
}

export const mode = command({
  name: "mode",
  group: "session",
  summary: "show the mode, or switch to one (shift-tab: ask, edits, plan)",
  arguments: "[NAME|next]",
  details: "The mode holds for later calls of this session, not for a request that is shown.",
  duringTask: true,
  complete: () => Effect.succeed(ordinary.map((word) => ({ word, summary: modes[word].words }))),
  run: (name, prompt) => {
    if (name === "") return prompt.say(list(prompt.mode()))
    const policy = modeOf(name, prompt.mode())
    if (policy === undefined) return prompt.say(`unknown mode ${name} · ${ordinary.join(", ")}`, "error")
    const set = prompt.setMode(policy)
    return name === next ? set : Effect.zipRight(set, prompt.say(`mode: ${policy}`))
  }
})
