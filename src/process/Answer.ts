import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Output from "./Output.ts"
import type { ProcessResult } from "./Processes.ts"

/** A program did not give an answer to decide by. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  reason: Schema.Literal("failed", "signalled", "limited", "truncated", "too-long"),
  /** The exit code, the signal or the limit. */
  detail: Schema.String
}) {
  /** The rest of a sentence about the program. */
  override get message() {
    switch (this.reason) {
      case "failed":
        return `exited with code ${this.detail}`
      case "signalled":
        return `was ended by ${this.detail}`
      case "limited":
        return `was ended at its limit of ${this.detail}`
      case "truncated":
        return "ended, but a process it started still held its output, so the answer may be incomplete; redirect the output of processes that stay"
      case "too-long":
        return "printed too much"
    }
  }
}

/** What a program that ended by itself printed, all of it. */
export interface Answer {
  readonly exitCode: number
  readonly stdout: string
  /** For people; may lack its middle or its end. */
  readonly stderr: string
}

const none = (reason: NoAnswer["reason"], detail = "") => Either.left(new NoAnswer({ reason, detail }))

/** Reads a result as an answer: only a normal end with an accepted exit code and a whole output is one. */
export const of = (
  { exceeded, exitCode, signal, stderr, stdout }: ProcessResult,
  accept: ReadonlyArray<number> = [0]
): Either.Either<Answer, NoAnswer> => {
  if (exceeded !== undefined) return none("limited", exceeded)
  if (exitCode === null) return none("signalled", signal ?? "a signal")
  if (!accept.includes(exitCode)) return none("failed", String(exitCode))
  if (stdout._tag === "Incomplete") return none(stdout.truncated ? "truncated" : "too-long")
  return Either.right({ exitCode, stdout: stdout.text, stderr: Output.render(stderr) })
}
