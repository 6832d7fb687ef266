import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type { Project } from "../../host/Project.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { excerpt } from "../../text/excerpt.ts"
import { makeVisible } from "../../text/visible.ts"
import { isPlain } from "../../text/FileUri.ts"
import { ServerFailed, ServerRefused } from "../McpError.ts"
import { promptTool, resourceTool } from "../PartTools.ts"
import type { Resources } from "../resourceList.ts"
import { openResource } from "../openResource.ts"
import { visibleWords } from "../visibleWords.ts"
import * as Offered from "./Offered.ts"
import { redacted } from "./redacted.ts"

/** The call that a prompt or a resource of a client stands for. */
export interface PartCall {
  readonly tool: string
  readonly server: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** `Invalid params` of JSON-RPC, which the protocol has for a prompt and a resource that nobody has. */
const invalidParams = -32602

const notFound = (kind: "prompt" | "resource" | "template", name: string) =>
  new ServerRefused({
    code: invalidParams,
    reason: `No approved server has the ${kind} ${excerpt(name)}`,
    ...(kind !== "prompt" && { data: { uri: name } })
  })

/** How long a server has to answer what is no call. */
const patience = "60 seconds"

const limited = <A, E>(operation: string, self: Effect.Effect<A, E>) =>
  Effect.timeoutFail(self, {
    duration: patience,
    onTimeout: () => new ServerFailed({ server: "", operation, reason: "no answer within 60 seconds", unknown: false })
  })

/** The prompts and resources of approved servers. */
export const make = (project: Project, view: Offered.View) =>
  Effect.gen(function* () {
    const without = redacted(yield* Redactor)
    /** Servers of which something is approved. */
    const trustedSlots = Effect.filter(Offered.slots(project, view), ({ standings }) =>
      Effect.map(
        Effect.orElseSucceed(standings, () => []),
        (all) => all.some(({ state }) => state === "approved")
      )
    )
    /** The server that has a resource, and the name that it has there. */
    const place = (uri: string) =>
      Effect.flatMap(trustedSlots, (slots) => {
        for (const slot of slots) {
          const own = view.ownUri(slot.known.name, uri)
          if (own !== undefined && isPlain(own)) return Effect.succeed({ slot, uri: own })
        }
        return notFound("resource", uri)
      })
    /** The server of an approved template, and the template there. */
    const templateOf = (uri: string) =>
      Effect.flatMap(Offered.templates(project, view), (all) => {
        const found = all.find(({ offer, slot }) => view.uri(slot.known.name, offer.name) === uri)
        return found === undefined ? notFound("template", uri) : Effect.succeed(found)
      })
    const promptOf = (name: string) =>
      Effect.flatMap(Offered.prompts(project, view), (all) => {
        const found = all.find((one) => one.name === name)
        return found === undefined ? notFound("prompt", name) : Effect.succeed(found)
      })
    /** What a client names to have it completed, as its server knows it. */
    const partOf = (ref: CompleteRequest["params"]["ref"]) =>
      ref.type === "ref/prompt"
        ? Effect.map(promptOf(ref.name), ({ offer, slot }) => ({ slot, ref: { ...ref, name: offer.name } }))
        : Effect.map(templateOf(ref.uri), ({ offer, slot }) => ({ slot, ref: { ...ref, uri: offer.name } }))
    return {
      prompts: Effect.map(Offered.prompts(project, view), (all) =>
        all.map(({ name, offer }) => ({ ...visibleWords(offer.definition), name }))
      ),
      templates: Effect.map(Offered.templates(project, view), (all) =>
        all.map(({ offer, slot }) => ({
          ...visibleWords(offer.definition),
          name: makeVisible(String(offer.definition["name"] ?? offer.name)),
          uriTemplate: view.uri(slot.known.name, offer.name)
        }))
      ),
      /** Of every server that answers; one that does not has none. */
      resources: Effect.flatMap(trustedSlots, (slots) =>
        Effect.map(
          Effect.forEach(
            slots,
            (slot) =>
              Effect.map(
                Effect.orElseSucceed(limited("resources/list", slot.resources), (): Resources => []),
                (listed) =>
                  listed.map((resource) => ({
                    ...visibleWords(resource),
                    name: makeVisible(resource.name),
                    uri: view.uri(slot.known.name, resource.uri)
                  }))
              ),
            { concurrency: "unbounded" }
          ),
          (all) => without(all.flat())
        )
      ),
      prompt: (name: string, given: Readonly<Record<string, string>> | undefined) =>
        Effect.map(promptOf(name), ({ offer, slot }): PartCall => ({
          tool: promptTool,
          server: slot.known.name,
          parameters: {
            server: slot.known.name,
            name: offer.name,
            ...(given === undefined ? {} : { arguments: given })
          }
        })),
      resource: (uri: string) =>
        Effect.map(place(uri), (found): PartCall => ({
          tool: resourceTool,
          server: found.slot.known.name,
          parameters: { server: found.slot.known.name, uri: found.uri }
        })),
      /** Watches a resource, or no longer does. */
      watch: (uri: string, on: boolean) =>
        Effect.gen(function* () {
          const found = yield* place(uri)
          const { connection } = yield* openResource(found.slot, found.uri)
          yield* limited(
            "resources/subscribe",
            connection.request("resources/subscribe", (client, { signal, timeout }) =>
              on
                ? client.subscribeResource({ uri: found.uri }, { signal, timeout })
                : client.unsubscribeResource({ uri: found.uri }, { signal, timeout })
            )
          )
        }),
      complete: ({ argument, context, ref }: CompleteRequest["params"]) =>
        Effect.gen(function* () {
          const { slot } = yield* partOf(ref)
          const { connection } = yield* slot.acquire
          // The running server may offer another one than was known before.
          const found = yield* partOf(ref)
          const result: CompleteResult = yield* limited(
            "completion/complete",
            connection.request<CompleteResult>("completion/complete", (client, { signal, timeout }) =>
              client.complete(
                { argument, ref: found.ref, ...(context === undefined ? {} : { context }) },
                { signal, timeout }
              )
            )
          )
          return without(result)
        })
    }
  })

export type Parts = Effect.Effect.Success<ReturnType<typeof make>>
