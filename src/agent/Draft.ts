import * as Option from "effect/Option"
import type { FunctionCall, StoredMessage } from "../conversation/Message.ts"
import { isCredible, noUsage, Usage } from "../cost/Usage.ts"
import type { FunctionCalled, Finished, ModelPart } from "../model/ModelPart.ts"
import { fieldsOf } from "../text/fieldsOf.ts"

const readUsage = fieldsOf(Usage)

export interface Answer {
  readonly message: StoredMessage
  readonly text: string
  readonly calls: ReadonlyArray<FunctionCall>
  readonly finished: Finished
}

/** Characters of one answer; a model that says more is broken. */
const answerLimit = 64 * 1024 * 1024
/** Calls of one answer; one that asks for more is refused as a whole. */
const callLimit = 1024
/** Characters of the name of a tool; no tool has one that is longer than 64. */
const nameLimit = 128

/** The name as sent; one that cannot be a tool's is cut. */
export const bounded = (name: string): string => (name.length <= nameLimit ? name : `${name.slice(0, nameLimit)}…`)

/** What has come of an answer so far. */
export class Draft {
  private text: Array<string> = []
  private reasoning: Array<string> = []
  private calls: Array<FunctionCall> = []
  private readonly ids = new Set<string>()
  size = 0
  private attempts = 0
  private isWhole = false

  /** Takes a part; gives what is wrong with it, if anything. */
  add(part: ModelPart): string | undefined {
    if (this.isWhole && part._tag !== "AttemptFailed") return "the answer went on after its end"
    switch (part._tag) {
      case "TextDelta":
        this.text.push(part.text)
        this.size += part.text.length
        break
      case "ReasoningDelta":
        this.reasoning.push(part.text)
        this.size += part.text.length
        break
      case "FunctionCalled":
        this.calls.push(this.distinct(part))
        this.size += part.arguments.length
        break
      case "AttemptFailed":
        if (part.attempt !== ++this.attempts) return "the attempts that failed are not numbered from 1"
        if (!(part.delayMillis >= 0 && Number.isFinite(part.delayMillis)))
          return "the wait for another attempt has no length"
        this.void()
        break
      case "Finished":
        this.isWhole = true
        break
      case "ArgumentsDelta":
        break
    }
    if (this.text.length > 4096) this.text = [this.text.join("")]
    if (this.size > answerLimit) return "the answer did not end"
    return this.calls.length > callLimit
      ? `it asks for more than ${callLimit} calls in one answer; none was run`
      : undefined
  }

  private void(): void {
    this.text = []
    this.reasoning = []
    this.calls = []
    this.ids.clear()
    this.size = 0
    this.isWhole = false
  }

  /** Two calls of one answer never share an id, even if the model repeats one. */
  private distinct(call: FunctionCalled): FunctionCall {
    let id = call.id
    for (let suffix = this.calls.length; this.ids.has(id); suffix++) id = `${call.id}-${suffix}`
    this.ids.add(id)
    return { id, type: "function", function: { name: bounded(call.name), arguments: call.arguments } }
  }

  get said(): string {
    return this.text.join("")
  }

  answer(id: string, told: Finished): Answer {
    // Estimated then, as where a server counts nothing.
    const usage = isCredible(told.usage) ? readUsage(told.usage) : Option.none()
    const finished = { ...told, usage: Option.getOrElse(usage, () => noUsage) }
    const text = this.said
    const reasoning = this.reasoning.join("")
    // What a filter has withheld may have been the condition of a call.
    const calls = finished.reason === "content_filter" ? [] : this.calls
    return {
      text,
      calls,
      finished,
      message: {
        id,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(calls.length > 0 ? { tool_calls: calls } : {})
        },
        ...(reasoning === "" ? {} : { reasoning }),
        ...(finished.provider === undefined ? {} : { provider: finished.provider })
      }
    }
  }
}
