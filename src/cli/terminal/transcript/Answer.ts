import { Flow } from "../Layout.ts"
import type { Style } from "../Style.ts"
import { textWidth } from "./noteRows.ts"

/** An answer that is being written. */
export class Answer {
  private readonly flow: Flow
  /** What has come of the row that is being written. */
  private row = ""

  constructor({ width }: { readonly style: Style; readonly width: () => number }) {
    this.flow = new Flow(() => Math.min(textWidth, Math.max(20, width())), true)
  }

  /** What of it is complete by now. */
  push(text: string): string {
    const written = this.row + this.flow.push(text)
    const end = written.lastIndexOf("\n") + 1
    this.row = written.slice(end)
    return written.slice(0, end)
  }

  /** The rows that are not. */
  live(_limit: number): ReadonlyArray<string> {
    return [this.row]
  }

  end(): string {
    const rest = this.row + this.flow.end()
    return rest === "" ? "" : `${rest}\n`
  }
}
