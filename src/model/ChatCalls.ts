import type { CallDelta } from "./ChatChunk.ts"
import type { ArgumentsDelta, FunctionCalled } from "./ModelPart.ts"

interface Call {
  readonly id: string
  readonly index: number | undefined
  name: string
  arguments: string
}

/** Collects the calls of one answer from fragments that servers number, name and repeat as they please. */
export interface ChatCalls {
  readonly count: () => number
  readonly accept: (delta: CallDelta) => ArgumentsDelta | undefined
  /** The calls in the order they began. Where the answer was cut short, one without arguments yet is none. */
  readonly calls: (cutShort: boolean) => ReadonlyArray<FunctionCalled>
}

const isWhole = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** `prefix` makes up the ids of calls that come without one. */
export const make = (prefix: string): ChatCalls => {
  const calls: Array<Call> = []

  /**
   * The call that a fragment continues, if any. Without a name: the one with its id or its index, else the latest. With
   * a name: only one with the same id or, without ids, the same name at the same index that has no text yet.
   */
  const find = (id: string, name: string, index: number | undefined, text: string): Call | undefined => {
    const byId = id === "" ? undefined : calls.findLast((call) => call.id === id)
    const byIndex = index === undefined ? undefined : calls.findLast((call) => call.index === index)
    if (name === "") return byId ?? (index === undefined ? calls.at(-1) : byIndex)
    const same = id === "" ? byIndex : byId
    if (same === undefined || (index !== undefined && same.index !== index)) return undefined
    if (same.name !== "" && same.name !== name) return undefined
    return text !== "" && isWhole(same.arguments) ? undefined : same
  }

  const begin = (id: string, name: string, index: number | undefined): Call => {
    const taken = id === "" || calls.some((call) => call.id === id)
    const call: Call = { id: taken ? `${prefix}_${calls.length + 1}` : id, index, name, arguments: "" }
    calls.push(call)
    return call
  }

  return {
    count: () => calls.length,
    accept: (delta) => {
      const id = delta.id ?? ""
      const name = delta.function?.name ?? ""
      const index = delta.index ?? undefined
      const fragment = delta.function?.arguments ?? ""
      const text = typeof fragment === "string" ? fragment : JSON.stringify(fragment)
      const call = find(id, name, index, text) ?? begin(id, name, index)
      if (call.name === "") call.name = name
      if (text === "") return undefined
      call.arguments += text
      return { _tag: "ArgumentsDelta", id: call.id, name: call.name, text }
    },
    calls: (cutShort) =>
      calls.flatMap(({ id, name, arguments: text }): ReadonlyArray<FunctionCalled> => {
        if (text.trim() !== "") return [{ _tag: "FunctionCalled", id, name, arguments: text }]
        return cutShort ? [] : [{ _tag: "FunctionCalled", id, name, arguments: "{}" }]
      })
  }
}
