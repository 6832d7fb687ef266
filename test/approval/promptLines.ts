import { type Line, marginMark } from "../../src/approval/rendering/Line.ts"
import { aboutLines, approvedLines, titleLine } from "../../src/approval/rendering/Prompt.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"

/** All that a frontend has to show of a request. */
export const promptLines = (request: ApprovalRequest): ReadonlyArray<Line> => [
  titleLine(request),
  ...approvedLines(request),
  ...aboutLines(request)
]

/** A line without colour. */
export const plain = ({ margin, text }: Line): string => (margin ? `${marginMark}${text}` : text)
