import type { GetPromptResult, ListResourcesResult, ReadResourceResult } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type { Project } from "../../host/Project.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { ServerFailed, type ServerUnavailable } from "../McpError.ts"
import type { ServerSlot } from "../ServerSlot.ts"
import type { StateUnusable } from "../StateFile.ts"
import * as Offered from "./Offered.ts"

/** The scheme under which the resources of a server stand here, before their own. */
const schemeOf = (server: string): string => `${server.toLowerCase().replaceAll("_", ".")}+`

type Failed = ServerFailed | ServerUnavailable | StateUnusable

const unknown = (operation: string) =>
  new ServerFailed({ server: "of that name", operation, reason: "nothing approved has it", unknown: false })

/** How long a server has to answer for a prompt or a resource. */
const patience = "60 seconds"

const limited = <A, E>(operation: string, self: Effect.Effect<A, E>) =>
  Effect.timeoutFail(self, {
    duration: patience,
    onTimeout: () => new ServerFailed({ server: "", operation, reason: "no answer within 60 seconds", unknown: false })
  })

/** The prompts and resources of approved servers, which only read. */
export const make = (project: Project) =>
  Effect.gen(function* () {
    const { json } = yield* Redactor
    const redacted = <A>(value: A): A => json(value) as A
    /** Servers of which something is approved. */
    const trustedSlots = Effect.filter(project.servers.all, ({ standings }) =>
      Effect.map(
        Effect.orElseSucceed(standings, () => []),
        (all) => all.some(({ state }) => state === "approved")
      )
    )
    const resourcesOf = (slot: ServerSlot): Effect.Effect<ListResourcesResult["resources"], Failed> =>
      Effect.gen(function* () {
        const { connection, manifest } = yield* slot.acquire
        if (!manifest.resources) return []
        const { resources } = yield* connection.request("resources/list", (client, { signal, timeout }) =>
          client.listResources(undefined, { signal, timeout })
        )
        const scheme = schemeOf(slot.known.name)
        return resources.map((resource) => ({ ...resource, uri: `${scheme}${resource.uri}` }))
      })
    return {
      prompts: Effect.map(Offered.prompts(project), (all) =>
        all.map(({ name, offer }) => ({ ...offer.definition, name }))
      ),
      templates: Effect.map(Offered.templates(project), (all) =>
        all.map(({ offer, slot }) => ({
          ...offer.definition,
          name: String(offer.definition["name"] ?? offer.name),
          uriTemplate: `${schemeOf(slot.known.name)}${offer.name}`
        }))
      ),
      /** Of every server that answers; one that does not has none. */
      resources: Effect.flatMap(trustedSlots, (slots) =>
        Effect.map(
          Effect.forEach(
            slots,
            (slot) =>
              Effect.orElseSucceed(
                limited("resources/list", resourcesOf(slot)),
                (): ListResourcesResult["resources"] => []
              ),
            { concurrency: "unbounded" }
          ),
          (all) => redacted(all.flat())
        )
      ),
      prompt: (name: string, given: Record<string, string> | undefined): Effect.Effect<GetPromptResult, Failed> =>
        Effect.gen(function* () {
          const found = (yield* Offered.prompts(project)).find((one) => one.name === name)
          if (found === undefined) return yield* unknown(`prompts/get ${name.slice(0, 80)}`)
          const { connection } = yield* found.slot.acquire
          // The running server may offer another one than the list that was known before.
          if (!(yield* Offered.prompts(project)).some((one) => one.name === name))
            return yield* unknown(`prompts/get ${name.slice(0, 80)}`)
          return redacted(
            yield* limited(
              "prompts/get",
              connection.request(`prompts/get ${found.offer.name}`, (client, { signal, timeout }) =>
                client.getPrompt(
                  { name: found.offer.name, ...(given === undefined ? {} : { arguments: given }) },
                  { signal, timeout }
                )
              )
            )
          )
        }),
      read: (uri: string): Effect.Effect<ReadResourceResult, Failed> =>
        Effect.gen(function* () {
          const slot = (yield* trustedSlots).find(({ known }) => uri.startsWith(schemeOf(known.name)))
          if (slot === undefined) return yield* unknown(`resources/read ${uri.slice(0, 80)}`)
          const scheme = schemeOf(slot.known.name)
          const { connection } = yield* slot.acquire
          const { contents, ...rest } = yield* limited(
            "resources/read",
            connection.request("resources/read", (client, { signal, timeout }) =>
              client.readResource({ uri: uri.slice(scheme.length) }, { signal, timeout })
            )
          )
          return redacted({
            ...rest,
            contents: contents.map((content) => ({ ...content, uri: `${scheme}${content.uri}` }))
          })
        })
    }
  })
