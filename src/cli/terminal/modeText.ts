import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import type { Style } from "./Style.ts"

const words: Readonly<Record<ApprovalPolicy, string>> = {
  ask: "asks before acting",
  deny: "denies what needs approval",
  fail: "fails where approval is needed",
  "allow-read-only": "allows reading without asking",
  "allow-edits": "allows edits without asking",
  allow: "RUNS EVERY CALL WITHOUT ASKING"
}

/** What happens to calls that need approval, in words. */
export const modeText = (mode: ApprovalPolicy): string => words[mode]

/** The same for a header, in capitals if everything is allowed. */
export const modeMark = (mode: ApprovalPolicy, style: Style): string =>
  mode === "allow"
    ? style.red(style.bold(modeText(mode)))
    : mode === "allow-edits"
      ? style.yellow(modeText(mode))
      : style.dim(modeText(mode))

/** In front of where a person types; only the mode that asks goes without its name. */
export const promptMark = (mode: ApprovalPolicy, style: Style): string =>
  mode === "ask" ? "› " : mode === "allow" ? `${style.red(style.bold("ALLOW"))} › ` : `${style.yellow(mode)} › `
