import { type ApprovalPolicy, modes } from "../../approval/ApprovalPolicy.ts"
import type { Style } from "./Style.ts"

/** What happens to calls that need approval, in words. */
export const modeText = (mode: ApprovalPolicy): string => modes[mode].words

/** A text about a mode in the colour of how much the mode lets run. */
export const toned = (mode: ApprovalPolicy, text: string, style: Style): string => {
  switch (modes[mode].tone) {
    case "alarm":
      return style.alarm(style.bold(text))
    case "caution":
      return style.yellow(text)
    case "calm":
      return style.dim(text)
  }
}

/** What a mode does, for a header. */
export const modeMark = (mode: ApprovalPolicy, style: Style): string => toned(mode, modeText(mode), style)
