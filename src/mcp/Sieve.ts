import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client"
import type * as Library from "@modelcontextprotocol/client"
import * as Predicate from "effect/Predicate"
import { hearing } from "./hearing.ts"
import type { Offer } from "./Manifest.ts"

/** The lists of a server: where their entries are, what each is here, and what the library calls it. */
const lists = {
  "tools/list": { field: "tools", kind: "tool", type: "Tool" },
  "prompts/list": { field: "prompts", kind: "prompt", type: "Prompt" },
  "resources/templates/list": { field: "resourceTemplates", kind: "template", type: "ResourceTemplate" }
} as const
type List = (typeof lists)[keyof typeof lists]

/** Hears of an entry that was taken out. */
type Taken = (kind: Offer["kind"], entry: unknown) => void

/** Takes out of lists what the library refuses the whole list for. */
export interface Sieve {
  /** Asks for a list and takes out of it; one at a time. */
  readonly sifting: <A>(ask: () => Promise<A>, taken: Taken) => Promise<A>
}

const isList = (method: string): method is keyof typeof lists => Object.hasOwn(lists, method)

/** Puts a sieve into the way of what a server answers. */
export const make = (transport: Transport, { isSpecType }: typeof Library): Sieve => {
  const asked = new Map<RequestId, List>()
  let taken: Taken | undefined

  const sifted = (message: JSONRPCMessage, { field, kind, type }: List): JSONRPCMessage => {
    if (!("result" in message)) return message
    const { [field]: entries } = message.result
    if (!Array.isArray(entries)) return message
    const isUsable = (entry: unknown) => Predicate.isReadonlyRecord(entry) && isSpecType[type](entry)
    for (const entry of entries) if (!isUsable(entry)) taken?.(kind, entry)
    return { ...message, result: { ...message.result, [field]: entries.filter(isUsable) } }
  }

  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (taken !== undefined && "method" in message && "id" in message && isList(message.method))
      asked.set(message.id, lists[message.method])
    return send(message, options)
  }
  hearing(transport, (message) => {
    const id = "id" in message ? message.id : undefined
    const list = id === undefined || "method" in message ? undefined : asked.get(id)
    if (id !== undefined) asked.delete(id)
    return list === undefined ? message : sifted(message, list)
  })
  return {
    sifting: (ask, hears) => {
      taken = hears
      return ask().finally(() => {
        taken = undefined
        asked.clear()
      })
    }
  }
}
