import { foreign, type Line, own } from "../../../approval/rendering/Line.ts"
import { exact } from "../../../approval/rendering/Exact.ts"
import type { Paged } from "../Pager.ts"

/** Something that was printed in part, as a whole. */
export interface FoldedBlock {
  readonly title: string
  readonly lines: ReadonlyArray<Line>
}

/** Blocks, and characters of all together, that are kept; the oldest give way. */
const blockLimit = 50
const sizeLimit = 1024 * 1024

/** The lines of a text as a pager shows them. */
export const foldedLines = (text: string, kind: "value" | "context" = "value"): ReadonlyArray<Line> =>
  text.split("\n").map((line) => foreign(kind, exact(line)))

/** What was left out of the transcript, the latest last. */
export class Folded {
  private blocks: ReadonlyArray<{ readonly block: FoldedBlock; readonly size: number }> = []

  add(block: FoldedBlock): void {
    const size = block.lines.reduce((sum, line) => sum + line.text.length + 1, block.title.length)
    let kept = [...this.blocks, { block, size }].slice(-blockLimit)
    let all = kept.reduce((sum, one) => sum + one.size, 0)
    while (all > sizeLimit && kept.length > 1) {
      all -= kept[0]!.size
      kept = kept.slice(1)
    }
    this.blocks = kept
  }

  get all(): ReadonlyArray<FoldedBlock> {
    return this.blocks.map(({ block }) => block)
  }
}

/** The whole of what was left out for a pager, the latest first. */
export const paged = (blocks: ReadonlyArray<FoldedBlock>): Paged => ({
  lines: blocks
    .toReversed()
    .flatMap(({ lines, title }, index) => [...(index === 0 ? [] : [own("field", "")]), own("title", title), ...lines]),
  counted: 0
})
