import type { Level } from "../policy/shell/Severity.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type * as Tool from "../tool/Tool.ts"
import type { Subject } from "./Subject.ts"

const byLevel = { reads: "low", ordinary: "medium", destructive: "high", forbidden: "high" } as const satisfies Record<
  Level,
  Tool.Risk
>

/** How risky a call is: for a tool that runs shell text, by how bad the text is. `show` redacts what a person reads. */
export const riskOf = (
  { category, risk }: Pick<Tool.Any, "category" | "risk">,
  subject: Subject,
  show: (text: string) => string
): Pick<ApprovalRequest, "risk" | "severity"> => {
  const severity = subject.severity()
  if (severity === undefined) return { risk }
  const { because, level } = severity
  const own = byLevel[level]
  return {
    risk: category === "shell" || own === "high" ? own : risk,
    severity: {
      level,
      because: because.map(({ command, reason }) => ({ command: show(command), reason: show(reason) }))
    }
  }
}
