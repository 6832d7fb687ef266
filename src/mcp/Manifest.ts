import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { sha256 } from "../approval/Digest.ts"
import { isDeepText } from "../text/Json.ts"

/** An object of JSON as it is: a copy member by member would take one that is called `__proto__` for what it inherits. */
const Members = Schema.declare((value): value is Readonly<Record<string, unknown>> => Predicate.isReadonlyRecord(value))

/** What a server offers under a name that stays: a tool, a prompt, or a template of resources. */
export const Offer = Schema.Struct({
  kind: Schema.Literal("tool", "prompt", "template"),
  name: Schema.String,
  /** Everything of it that a model or a person reads, and what its parameters are; the name included. */
  definition: Members
})
export type Offer = typeof Offer.Type

/** What a server offered when it was last asked. */
export const Manifest = Schema.Struct({
  version: Schema.Literal(1),
  /** Of the server that was asked. */
  identity: Schema.String,
  /** By its own word. */
  server: Schema.Struct({ name: Schema.String, version: Schema.String }),
  protocol: Schema.String,
  /** Epoch milliseconds. */
  listedAt: Schema.Number,
  offers: Schema.Array(Offer),
  /** It has resources to be listed and read. */
  resources: Schema.Boolean,
  /** Those that it listed, if they are few enough to be kept. */
  resourceList: Schema.optionalWith(Schema.Array(Members), {
    exact: true
  }),
  /** What of its lists was left out. */
  problems: Schema.Array(Schema.String)
})
export type Manifest = typeof Manifest.Type

/** The parts of a definition that count; icons and whatever else there is are none of them. */
const parts = {
  tool: ["name", "title", "description", "inputSchema", "outputSchema", "annotations"],
  prompt: ["name", "title", "description", "arguments"],
  template: ["name", "title", "description", "uriTemplate", "mimeType"]
} as const

/** Offers of one server that are taken; definitions of more characters are not. */
export const most = { offers: 1000, characters: 64 * 1024 } as const

const nameOf = (kind: Offer["kind"], entry: unknown): string | undefined => {
  const name = Predicate.isReadonlyRecord(entry) ? entry[kind === "template" ? "uriTemplate" : "name"] : undefined
  return typeof name === "string" && name !== "" && name.length <= 1024 ? name : undefined
}

/** What an entry of a list of the server is called to a person. */
export const calledOf = (kind: Offer["kind"], entry: unknown): string => {
  const name = nameOf(kind, entry)
  return name === undefined ? `a ${kind} without a usable name` : `the ${kind} ${JSON.stringify(name.slice(0, 80))}`
}

/** An entry of a list of the server as an offer, or why it is none. */
export const offerOf = (kind: Offer["kind"], entry: unknown): Offer | string => {
  if (!Predicate.isReadonlyRecord(entry)) return `a ${kind} that is no object`
  const name = nameOf(kind, entry)
  const called = calledOf(kind, entry)
  if (name === undefined) return called
  const definition = Object.fromEntries(
    parts[kind].flatMap((part) => (entry[part] === undefined ? [] : [[part, entry[part]]]))
  )
  const text = JSON.stringify(definition)
  return text.length > most.characters
    ? `${called}, whose definition has ${text.length} characters`
    : isDeepText(text)
      ? `${called}, whose definition is nested too deep`
      : { kind, name, definition }
}

/** SHA-256 over the RFC 8785 form of a definition. */
export const digestOf = ({ definition, kind }: Offer): string => sha256({ kind, definition })

/** What names an offer within its server. */
export const keyOf = ({ kind, name }: Pick<Offer, "kind" | "name">): string => `${kind}:${name}`
