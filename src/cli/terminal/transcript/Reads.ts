import { duration } from "../../../text/duration.ts"
import { makeVisible } from "../../../text/visible.ts"
import { aligned } from "./callHead.ts"
import type { CallBlock } from "./CallBlock.ts"
import type { RowsOptions } from "./callRows.ts"
import { readings, worded } from "../../../ui/verbs.ts"

/** Reads that one row can name. */
const limit = 200

/** Whether a call is nothing but a read that gave what was asked for. */
export const isPlainRead = (block: CallBlock): boolean =>
  readings.has(block.call.tool) &&
  block.ended?.outcome === "done" &&
  block.output === undefined &&
  block.remarks.length === 0 &&
  block.request === undefined &&
  block.diffs.length === 0

/** Reads one after the other, which wait for what comes next: one row tells of all. */
export class Reads {
  private blocks: ReadonlyArray<CallBlock> = []

  /** Whether the read goes with those that wait. */
  takes(block: CallBlock): boolean {
    if (!isPlainRead(block) || this.blocks.length >= limit) return false
    const [first] = this.blocks
    if (first !== undefined && first.call.worker.join("/") !== block.call.worker.join("/")) return false
    this.blocks = [...this.blocks, block]
    return true
  }

  /** Those that have waited, which wait no longer. */
  taken(): ReadonlyArray<CallBlock> {
    const { blocks } = this
    this.blocks = []
    return blocks
  }

  get waiting(): ReadonlyArray<CallBlock> {
    return this.blocks
  }
}

/** Milliseconds of reads that may have run side by side, and of nothing between them. */
const timeOf = (blocks: ReadonlyArray<CallBlock>): number => {
  const times = blocks.flatMap(({ ended }) =>
    ended === undefined ? [] : [{ from: ended.endedAt - ended.durationMillis, to: ended.endedAt }]
  )
  let [sum, last] = [0, -Infinity]
  for (const { from, to } of times.sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, last))
    last = Math.max(last, to)
  }
  return sum
}

/** One row of several reads. */
export const readsRow = (blocks: ReadonlyArray<CallBlock>, options: RowsOptions): string => {
  const { style } = options
  const counts = new Map<string, number>()
  for (const tool of readings.keys()) counts.set(tool, 0)
  for (const { call } of blocks) counts.set(call.tool, (counts.get(call.tool) ?? 0) + 1)
  const said = [...counts]
    .filter(([, count]) => count > 0)
    .map(([tool, count]) => readings.get(tool)!(count))
    .join(", ")
  const names = blocks.map(({ call }) => worded(call, "ended").object).filter((name) => name !== "")
  const time = timeOf(blocks)
  const [first] = blocks
  const path = first === undefined || first.depth > 0 ? [] : first.call.worker.slice(1)
  const worker = path.map((name) => style.dim(`${makeVisible(name)} › `))
  const head = `${worker.join("")}${style.bold(`${said[0]!.toUpperCase()}${said.slice(1)}`)}`
  const objects =
    names.length === 0 ? "" : `  ${style.dim(makeVisible([...new Set(names)].join(" ").replaceAll("\n", " ")))}`
  return aligned(`${style.green("•")} ${head}${objects}`, time === 0 ? [] : [duration(time)], options)
}
