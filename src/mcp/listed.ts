import type { Client } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { legible } from "../text/legible.ts"
import type { Requesting } from "./Asking.ts"
import { identityOf, type KnownServer } from "./KnownServer.ts"
import * as Manifest from "./Manifest.ts"
import { ServerUnavailable } from "./McpError.ts"
import { misshapen } from "./refusal.ts"
import { keptList, resourceList } from "./resourceList.ts"
import type { Sieve } from "./Sieve.ts"
import { qualified } from "./ToolName.ts"

/** Asks a server what it offers. */
export const listed = ({
  client,
  known,
  patience,
  request,
  sieve
}: {
  readonly known: KnownServer
  readonly client: Client
  readonly request: Requesting
  readonly sieve: Sieve
  readonly patience: Duration.Duration
}): Effect.Effect<Manifest.Manifest, ServerUnavailable> => {
  const { name } = known
  const unavailable = (reason: string) => new ServerUnavailable({ server: name, operation: "list", reason })
  return Effect.gen(function* () {
    const capabilities = client.getServerCapabilities() ?? {}
    const problems: Array<string> = []
    const offers = new Map<string, Manifest.Offer>()
    /** By kind, as they are called here: a digest in the name of two does not make them one. */
    const names = new Set<string>()
    const named = (offer: Manifest.Offer) =>
      offer.kind === "template" ? Manifest.keyOf(offer) : `${offer.kind}:${qualified(name, offer.name)}`
    const misfit = (kind: Manifest.Offer["kind"], entry: unknown) =>
      void problems.push(`left out: ${Manifest.calledOf(kind, entry)}, which is not what the protocol has`)
    const page = <A>(what: string, ask: (options: { signal: AbortSignal; timeout: number }) => Promise<A>) =>
      request(what, (_, { signal, timeout }) => {
        const asked = () => ask({ signal, timeout })
        return asked().catch((error): Promise<A> =>
          misshapen(error) === undefined ? Promise.reject(error) : sieve.sifting(asked, misfit)
        )
      }).pipe(
        Effect.tap(() => {
          if (sieve.isCut(what)) problems.push(`left out: what ${what} gives beyond what may be read of it`)
        }),
        Effect.mapError(({ reason }) => unavailable(reason))
      )
    const take = (kind: Manifest.Offer["kind"], entries: ReadonlyArray<unknown>) => {
      for (const entry of entries) {
        const offer = Manifest.offerOf(kind, entry)
        if (typeof offer === "string") problems.push(`left out: ${offer}`)
        else if (offers.has(Manifest.keyOf(offer)))
          problems.push(`left out: a second ${kind} ${legible(offer.name, 80)}`)
        else if (names.has(named(offer)))
          problems.push(`left out: the ${kind} ${legible(offer.name, 80)}, which is called like another one here`)
        else if (offers.size >= Manifest.most.offers) {
          problems.push(`left out: all beyond the first ${Manifest.most.offers}`)
          return
        } else {
          offers.set(Manifest.keyOf(offer), offer)
          names.add(named(offer))
        }
      }
    }
    let kept: Manifest.Manifest["resourceList"]
    const fresh = { cacheMode: "refresh" } as const
    if (capabilities.tools !== undefined)
      take(
        "tool",
        (yield* page("tools/list", (options) => client.listTools(undefined, { ...options, ...fresh }))).tools
      )
    if (capabilities.prompts !== undefined)
      take(
        "prompt",
        (yield* page("prompts/list", (options) => client.listPrompts(undefined, { ...options, ...fresh }))).prompts
      )
    if (capabilities.resources !== undefined) {
      const templates = yield* Effect.option(
        page("resources/templates/list", (options) => client.listResourceTemplates(undefined, { ...options, ...fresh }))
      )
      if (Option.isSome(templates)) take("template", templates.value.resourceTemplates)
      const resources = yield* Effect.option(page("resources/list", (options) => resourceList(client, options)))
      kept = Option.getOrUndefined(Option.map(resources, keptList))
    }
    const said = client.getServerVersion()
    return Manifest.Manifest.make({
      version: 1,
      identity: identityOf(known),
      server: { name: legible(said?.name ?? name, 80), version: legible(said?.version ?? "", 40) },
      protocol: client.getNegotiatedProtocolVersion() ?? "",
      listedAt: yield* Clock.currentTimeMillis,
      offers: [...offers.values()],
      resources: capabilities.resources !== undefined,
      ...(kept === undefined ? {} : { resourceList: kept }),
      problems: problems.slice(0, 20)
    })
  }).pipe(
    Effect.timeoutFail({
      duration: patience,
      onTimeout: () => unavailable(`no list within ${Duration.format(patience)}`)
    })
  )
}
