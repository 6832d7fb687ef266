import { Stream } from "effect"
import type { ModelService } from "../../../src/model/Model.ts"
import { Models } from "../../../src/model/Models.ts"

/** The calls that a prompt asks for: `write NAME`, or a worker that does it. */
const callsOf = (prompt: string): ReadonlyArray<{ readonly name: string; readonly arguments: string }> =>
  [...prompt.matchAll(/(worker )?write (\S+)/g)].map(([, worker, file]) =>
    worker === undefined
      ? { name: "write_file", arguments: JSON.stringify({ path: file, content: "written" }) }
      : { name: "delegate", arguments: JSON.stringify({ task: `write ${file}` }) }
  )

const usage = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2, reasoningTokens: 1 }

/** Makes the calls of its prompt one after the other, says `done`, and waits forever where it is told to. */
const writer: ModelService = {
  name: "writer",
  stream: ({ messages }) => {
    const from = messages.findLastIndex(({ message }) => message.role === "user")
    const prompt = messages[from]?.message.content ?? ""
    if (prompt.includes("wait"))
      return Stream.concat(
        Stream.make({ _tag: "TextDelta", text: "well, this may take a while.\n".repeat(40) } as const),
        Stream.never
      )
    const made = messages.slice(from).filter(({ message }) => message.role === "tool").length
    const call = callsOf(prompt)[made]
    return call === undefined
      ? Stream.make(
          { _tag: "TextDelta", text: "do" } as const,
          { _tag: "TextDelta", text: "ne" } as const,
          { _tag: "Finished", usage, reason: "stop" } as const
        )
      : Stream.make(
          { _tag: "FunctionCalled", id: `call_${messages.length}`, ...call } as const,
          { _tag: "Finished", usage, reason: "tool_calls" } as const
        )
  }
}

export const models = Models.layerOf({ writer })
