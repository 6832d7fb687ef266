import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type * as Library from "@modelcontextprotocol/client"
import * as Predicate from "effect/Predicate"
import { hearing } from "./hearing.ts"
import { most, type Offer } from "./Manifest.ts"

/** The lists of a server: where their entries are, what each is here, and what the library calls it. */
const lists = {
  "tools/list": { field: "tools", kind: "tool", type: "Tool" },
  "prompts/list": { field: "prompts", kind: "prompt", type: "Prompt" },
  "resources/templates/list": { field: "resourceTemplates", kind: "template", type: "ResourceTemplate" }
} as const
const fields = { ...lists, "resources/list": { field: "resources" } } as const
type Method = keyof typeof fields

/** Characters of the entries of a list, on all of its pages; no page is asked for behind so many. */
const mostCharacters = most.offers * most.characters

/** Hears of an entry that was taken out. */
type Taken = (kind: Offer["kind"], entry: unknown) => void

/** Takes out of lists what the library refuses the whole list for. */
export interface Sieve {
  /** Asks for a list and takes out of it; one at a time. */
  readonly sifting: <A>(ask: () => Promise<A>, taken: Taken) => Promise<A>
  /** Whether a list that was asked for last goes on behind what was read of it. */
  readonly isCut: (method: string) => boolean
}

const isMethod = (method: string): method is Method => Object.hasOwn(fields, method)
const isSifted = (method: Method): method is keyof typeof lists => Object.hasOwn(lists, method)

/** Puts a sieve into the way of what a server answers. */
export const make = (
  transport: Transport,
  { isSpecType }: Pick<typeof Library, "isSpecType">,
  longest = mostCharacters
): Sieve => {
  /** By the ids that the library gives; it takes `"1"` for 1 in an answer. */
  const asked = new Map<number, Method>()
  const read = new Map<Method, { readonly characters: number; readonly isCut: boolean }>()
  let taken: Taken | undefined

  /** Without the way to the next page, where enough has been read. */
  const cut = (message: JSONRPCMessage, method: Method): JSONRPCMessage => {
    if (!("result" in message)) return message
    const { nextCursor, ...result } = message.result
    const page = JSON.stringify(result[fields[method].field] ?? [])
    const characters = (read.get(method)?.characters ?? 0) + page.length
    const isCut = nextCursor !== undefined && characters > longest
    read.set(method, { characters, isCut })
    return isCut ? { ...message, result } : message
  }

  const sifted = (message: JSONRPCMessage, method: Method): JSONRPCMessage => {
    if (taken === undefined || !isSifted(method) || !("result" in message)) return message
    const { field, kind, type } = lists[method]
    const { [field]: entries } = message.result
    if (!Array.isArray(entries)) return message
    const isUsable = (entry: unknown) => Predicate.isReadonlyRecord(entry) && isSpecType[type](entry)
    for (const entry of entries) if (!isUsable(entry)) taken?.(kind, entry)
    return { ...message, result: { ...message.result, [field]: entries.filter(isUsable) } }
  }

  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if ("method" in message && "id" in message && isMethod(message.method)) {
      asked.set(Number(message.id), message.method)
      if (message.params?.["cursor"] === undefined) read.delete(message.method)
    }
    return send(message, options)
  }
  hearing(transport, (message) => {
    if ("method" in message || message.id === undefined) return message
    const id = Number(message.id)
    const method = asked.get(id)
    asked.delete(id)
    return method === undefined ? message : cut(sifted(message, method), method)
  })
  return {
    sifting: (ask, hears) => {
      taken = hears
      return ask().finally(() => {
        taken = undefined
      })
    },
    isCut: (method) => isMethod(method) && read.get(method)?.isCut === true
  }
}
