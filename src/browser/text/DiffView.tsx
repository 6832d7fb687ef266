import { exact } from "../../approval/rendering/Exact.ts"
import { coloured, languageOfPath } from "./Code.tsx"

interface Line {
  readonly kind: "added" | "removed" | "same" | "hunk" | "head"
  readonly text: string
  readonly before: number | undefined
  readonly after: number | undefined
}

const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The lines of a unified diff with their numbers in both files. */
const linesOf = (diff: string): ReadonlyArray<Line> => {
  let before: number | undefined
  let after: number | undefined
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((text): Line => {
      const [, from, upTo] = header.exec(text) ?? []
      if (from !== undefined) {
        before = Number(from)
        after = Number(upTo)
        return { kind: "hunk", text, before: undefined, after: undefined }
      }
      if (before === undefined || after === undefined || text.startsWith("\\")) {
        return { kind: "head", text, before: undefined, after: undefined }
      }
      if (text.startsWith("+")) return { kind: "added", text: text.slice(1), before: undefined, after: after++ }
      if (text.startsWith("-")) return { kind: "removed", text: text.slice(1), before: before++, after: undefined }
      return { kind: "same", text: text.slice(1), before: before++, after: after++ }
    })
}

const signs = { added: "+", removed: "−", same: " ", hunk: "", head: "" } as const
const names = { added: "added", removed: "removed", same: "", hunk: "", head: "" } as const

/** Added and removed lines of a diff. */
export const sizeOf = (diff: string): { readonly added: number; readonly removed: number } => {
  const lines = linesOf(diff)
  const count = (kind: Line["kind"]) => lines.filter((line) => line.kind === kind).length
  return { added: count("added"), removed: count("removed") }
}

/** A unified diff, every character of it, with the colours of its language and what nobody would see shown as escapes. */
export const DiffView = ({ path, text }: { readonly text: string; readonly path: string }) => {
  const language = languageOfPath(path)
  return (
    <div class="diff" role="group" aria-label={`Diff ${path}`} tabIndex={0}>
      <table>
        <tbody>
          {linesOf(text).map(({ after, before, kind, text }) =>
            kind === "head" || kind === "hunk" ? (
              <tr class={kind}>
                <td class="number" />
                <td class="number" />
                <td class="sign" />
                <td class="line">{exact(text)}</td>
              </tr>
            ) : (
              <tr class={kind}>
                <td class="number">{before}</td>
                <td class="number">{after}</td>
                <td class="sign" aria-label={names[kind]}>
                  {signs[kind]}
                </td>
                <td class="line">{coloured(exact(text), language)}</td>
              </tr>
            )
          )}
        </tbody>
      </table>
    </div>
  )
}
