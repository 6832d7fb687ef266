import { Schema, Stream } from "effect"
import type { ModelService } from "../../src/model/Model.ts"
import { Models } from "../../src/model/Models.ts"
import { noUsage } from "../../src/model/ModelPart.ts"

/** A call of a tool that a prompt asks for. */
export type Wanted = readonly [name: string, parameters: object]

const decode = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Schema.Tuple(Schema.String, Schema.Object))))

/** The prompt that has the model make these calls, one after the other, and say `done`. */
export const asking = (calls: ReadonlyArray<Wanted>): string => JSON.stringify(calls)

/** A model that makes the calls of its prompt, in whatever session it is asked. */
const model: ModelService = {
  name: "directed",
  stream: ({ messages }) => {
    const from = messages.findLastIndex(({ message }) => message.role === "user")
    const calls = decode(messages[from]?.message.content)
    const made = messages.slice(from).filter(({ message }) => message.role === "tool").length
    const [name, parameters] = calls[made] ?? []
    const finished = { _tag: "Finished", usage: noUsage } as const
    if (name === undefined)
      return Stream.make({ _tag: "TextDelta", text: "done" } as const, { ...finished, reason: "stop" } as const)
    const id = `call_${messages.length}`
    const call = { _tag: "FunctionCalled", id, name, arguments: JSON.stringify(parameters) } as const
    return Stream.make(call, { ...finished, reason: "tool_calls" } as const)
  }
}

export const models = Models.layerOf({ directed: model })
