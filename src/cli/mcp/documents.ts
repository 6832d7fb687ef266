import type { KnownServer } from "../../mcp/KnownServer.ts"
import type { Manifest } from "../../mcp/Manifest.ts"
import type { Standing } from "../../mcp/Pins.ts"
import { tokensOf, variableWords } from "../../ui/serverWords.ts"

interface Told {
  readonly known: KnownServer
  /** What starts it, without secrets. */
  readonly command: string
  readonly manifest: Manifest | undefined
}

/** What is known of a server without what it offers. */
export const serverFields = ({ command, known, manifest }: Told) => ({
  name: known.name,
  origin: known.origin,
  command,
  variables: variableWords(known),
  disabled: known.server.disabled === true,
  ...(manifest === undefined ? {} : { listedAt: manifest.listedAt, protocol: manifest.protocol })
})

const offerOf = ({ digest, kind, name, state }: Standing) => ({ kind, name, state, digest })

/** What a server offers, or was approved of it. */
export const offerFields = (standings: ReadonlyArray<Standing>) => ({
  offers: standings.map(offerOf),
  tokens: tokensOf(standings)
})

/** The same with the definitions: `approved` is what it was, `offered` what it is now. */
export const definedOffers = (standings: ReadonlyArray<Standing>) =>
  standings.map((standing) => {
    const { now, renamedFrom, was } = standing
    return {
      ...offerOf(standing),
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
      ...(was === undefined ? {} : { approved: was.definition }),
      ...(now === undefined ? {} : { offered: now.definition })
    }
  })
