import * as Schema from "effect/Schema"
import { digestOf, keyOf, type Manifest, Offer } from "./Manifest.ts"

/** What the user has approved of a server. */
export const Pins = Schema.Struct({
  version: Schema.Literal(1),
  /** Of the server that it was approved of. */
  identity: Schema.String,
  /** Epoch milliseconds. */
  approvedAt: Schema.Number,
  approved: Schema.Array(Schema.Struct({ digest: Schema.String, offer: Offer })),
  /** By project, what stands for the files of it that the server runs. */
  programs: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { exact: true })
})
export type Pins = typeof Pins.Type

/** How an offer stands to what was approved. Only what is `approved` is used. */
export type PinState = "approved" | "pending" | "changed" | "gone"

/** One offer, as it was approved and as it is. */
export interface Standing {
  readonly kind: Offer["kind"]
  readonly name: string
  readonly state: PinState
  readonly digest: string
  readonly was?: Offer
  readonly now?: Offer
  /** It was approved under this name, which the server no longer has. */
  readonly renamedFrom?: string
}

/** A definition without its name: what a renamed tool has in common with the one before. */
const nameless = (offer: Offer): string => digestOf({ ...offer, definition: { ...offer.definition, name: "" } })

/** How everything that was approved or is offered stands, by the digests of both. */
export const standings = (
  pins: Pins | undefined,
  manifest: Pick<Manifest, "identity" | "offers"> | undefined
): ReadonlyArray<Standing> => {
  const offers = manifest?.offers ?? []
  const counts = pins !== undefined && (manifest === undefined || pins.identity === manifest.identity)
  const approved = new Map(counts ? pins.approved.map((pin) => [keyOf(pin.offer), pin] as const) : [])
  const offered = new Set(offers.map(keyOf))
  const gone = [...approved.entries()].filter(([key]) => manifest !== undefined && !offered.has(key))
  const former = new Map(gone.map(([, { offer }]) => [`${offer.kind}:${nameless(offer)}`, offer.name]))
  return [
    ...offers.map((now): Standing => {
      const { kind, name } = now
      const pin = approved.get(keyOf(now))
      const digest = digestOf(now)
      if (pin !== undefined) {
        // By what was written of it, not by the digest beside it: an edited file approves nothing.
        const same = pin.digest === digest && digestOf(pin.offer) === digest
        return { kind, name, digest, now, was: pin.offer, state: same ? "approved" : "changed" }
      }
      const renamedFrom = former.size === 0 ? undefined : former.get(`${kind}:${nameless(now)}`)
      return { kind, name, digest, now, state: "pending", ...(renamedFrom === undefined ? {} : { renamedFrom }) }
    }),
    ...gone.map(([, { digest, offer }]): Standing => ({
      kind: offer.kind,
      name: offer.name,
      digest,
      was: offer,
      state: "gone"
    }))
  ]
}

/** The pins that approve all that is offered, or what is named of it besides what was approved before. */
export const approving = (
  pins: Pins | undefined,
  manifest: Manifest,
  approvedAt: number,
  names?: ReadonlySet<string>,
  programs: Pins["programs"] = pins?.programs
): Pins => ({
  version: 1,
  identity: manifest.identity,
  approvedAt,
  ...(programs !== undefined && { programs }),
  approved: standings(pins, manifest).flatMap(({ digest, name, now, state, was }) => {
    if (now !== undefined && (names === undefined || names.has(name) || state === "approved"))
      return [{ digest, offer: now }]
    // What changed or went and was not named stays as it was approved.
    return names === undefined || was === undefined ? [] : [{ digest: digestOf(was), offer: was }]
  })
})
