import * as Schema from "effect/Schema"
import { Verdict } from "../Verdict.ts"

/** The path policy, or a check at the moment of use, said no. */
export class PathRefused extends Schema.TaggedError<PathRefused>()("PathRefused", {
  operation: Schema.String,
  path: Schema.String,
  verdict: Verdict
}) {
  override get message() {
    return `Refused to ${this.operation} ${JSON.stringify(this.path)}: ${this.verdict.reason}`
  }
}
