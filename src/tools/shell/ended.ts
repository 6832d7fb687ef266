import * as Duration from "effect/Duration"
import * as os from "node:os"
import * as Limits from "../../process/Limits.ts"
import type { ProcessResult } from "../../process/Processes.ts"
import { duration } from "../../text/duration.ts"
import type { ResultFailure } from "../../tool/ToolResult.ts"

const plural = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

const signals = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]))

/** An exit code as it is; a shell says by it of which signal a program ended. */
const told = (exitCode: number | null): string => {
  if (exitCode === null) return "ended, and nobody knows with which exit code"
  const signal = signals.get(exitCode - 128)
  return `exit code ${exitCode}${signal === undefined ? "" : ` (${signal})`}`
}

/** How it has ended, in words. */
export const status = ({ exceeded, exitCode, signal }: ProcessResult, limits: Limits.Limits): string => {
  switch (exceeded) {
    case undefined:
      return signal === null ? told(exitCode) : `ended by ${signal}`
    case "time":
      return `timed out after ${duration(Duration.toMillis(limits.time ?? 0))}; its processes were ended`
    default: {
      const asking = exceeded === "idle" ? "" : "; a command that the user approves has no such limit"
      return `ended at its limit of ${Limits.describe(exceeded, limits)}; its processes were ended${asking}`
    }
  }
}

/** A command that ended otherwise than by itself with 0. */
export const failure = (result: ProcessResult, reason: string): ResultFailure | undefined => {
  const { exceeded, exitCode, signal } = result
  if (exceeded === undefined && exitCode === 0) return undefined
  return {
    reason,
    ...(exitCode !== null && { exitCode }),
    ...(signal !== null && { signal }),
    ...((exceeded === "time" || exceeded === "idle") && { timedOut: true })
  }
}

/** What is to be said of what it had started. */
export const survivors = ({ exceeded, output, survivors: count }: ProcessResult): ReadonlyArray<string> => [
  ...(count === 0 || exceeded !== undefined
    ? []
    : [
        `[${plural(count, "process", "processes")} left in the background ended with the command; nothing keeps running]`
      ]),
  ...(output._tag === "Incomplete" && output.truncated && exceeded === undefined
    ? ["[the end of the output may be missing, because a background process still held the output]"]
    : [])
]

/** What programs say that cannot reach anything. */
export const offline =
  /could not resolve (?:host|proxy)|temporary failure in name resolution|name or service not known|network is unreachable|\b(?:EAI_AGAIN|ENETUNREACH)\b/i
