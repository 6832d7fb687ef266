import * as Effect from "effect/Effect"
import { ServerRefused } from "../McpError.ts"

/** Resources that a client watches at most. */
export const mostWatched = 1000

/** Which clients watch which resources, by the URIs that they have for them. */
export interface Watching<Client extends object> {
  /** Watches a resource, or no longer does; its server is asked for it, and told off by the last client alone. */
  readonly watch: <E>(
    client: Client,
    uri: string,
    on: boolean,
    ask: Effect.Effect<void, E>
  ) => Effect.Effect<void, E | ServerRefused>
  /** Whether a client is to hear that a resource has changed: it watches that one, or one that it is a part of. */
  readonly isWatched: (client: Client, uri: string) => boolean
  readonly forget: (client: Client) => void
}

const isWithin = (uri: string, whole: string): boolean =>
  uri.startsWith(whole) && (whole.endsWith("/") || /^(?:$|[/?#])/.test(uri.slice(whole.length)))

/** The code is the first that JSON-RPC leaves to servers. */
const full = () =>
  new ServerRefused({
    code: -32000,
    reason: `A client watches ${mostWatched} resources at most; unsubscribe from some first`
  })

export const make = <Client extends object>(): Watching<Client> => {
  const watched = new Map<Client, Set<string>>()
  const of = (client: Client) => watched.get(client) ?? new Set<string>()
  const drop = (client: Client, uri: string) => {
    of(client).delete(uri)
    if (of(client).size === 0) watched.delete(client)
  }
  return {
    watch: <E>(client: Client, uri: string, on: boolean, ask: Effect.Effect<void, E>) =>
      Effect.suspend((): Effect.Effect<void, E | ServerRefused> => {
        if (on) {
          if (of(client).has(uri)) return ask
          if (of(client).size >= mostWatched) return full()
          watched.set(client, of(client).add(uri))
          return Effect.onError(ask, () => Effect.sync(() => drop(client, uri)))
        }
        drop(client, uri)
        return [...watched.values()].some((uris) => uris.has(uri)) ? Effect.void : ask
      }),
    isWatched: (client, uri) => [...of(client)].some((whole) => isWithin(uri, whole)),
    forget: (client) => void watched.delete(client)
  }
}
