import * as dns from "node:dns"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FetchFailed } from "./FetchError.ts"

/** Finds the addresses of a host, all of them, once. */
export class Resolver extends Context.Tag("tollgate/policy/network/Resolver")<
  Resolver,
  { readonly lookup: (host: string) => Effect.Effect<ReadonlyArray<string>, FetchFailed> }
>() {
  /** Asks the operating system: its hosts file and its order of addresses count. */
  static readonly layer = Layer.succeed(Resolver, {
    lookup: Effect.fn("Resolver.lookup")((host: string) =>
      Effect.async<ReadonlyArray<string>, FetchFailed>((resume) => {
        dns.lookup(host, { all: true, verbatim: true }, (cause, found) => {
          resume(
            cause
              ? Effect.fail(
                  new FetchFailed({
                    url: host,
                    stage: "resolve",
                    reason: `the name does not resolve (${cause.code ?? "unknown"}); check its spelling`,
                    cause
                  })
                )
              : Effect.succeed(found.map((_) => _.address))
          )
        })
      })
    )
  })
}
