import type { InputRequest, InputResponse } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { type Answers, type Audience, declined, type Inquiries, type LogMessage, nobody } from "./Audience.ts"
import * as Inquiry from "./Inquiry.ts"
import type { KnownServer } from "./KnownServer.ts"
import { ServerFailed } from "./McpError.ts"

/** Those who wait for an answer of a server, who hear what it says meanwhile and are asked what it needs. */
export interface Askers {
  /** Counts one of them for as long as the effect runs. */
  readonly while: <A, E, R>(audience: Audience, self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Asks one of them what may be asked, and declines the rest. */
  readonly put: (audience: Audience, inquiries: Inquiries) => Effect.Effect<Answers>
  /** Answers what the server asks on its own. */
  readonly answer: (inquiry: InputRequest, signal: AbortSignal) => Promise<InputResponse>
  readonly log: (message: LogMessage) => void
}

export const make = (known: KnownServer): Effect.Effect<Askers> =>
  Effect.map(Effect.runtime(), (runtime) => {
    const run = Runtime.runPromise(runtime)
    const inFlight = new Set<Audience>()
    /** Who is meant by what the server asks on its own: whoever waits for it, if that is one person. */
    const addressee = (): Audience | undefined => {
      const [first, ...others] = inFlight
      return others.every(({ key }) => key === first?.key) ? first : undefined
    }
    const put: Askers["put"] = (audience, inquiries) => {
      const { fit, refused } = Inquiry.sorted(known, inquiries)
      const answers = Object.keys(fit).length === 0 ? Effect.succeed<Answers>({}) : audience.ask(fit)
      const forms = Object.keys(fit).filter((key) => fit[key]?.method === "elicitation/create")
      return Effect.map(answers, (given) => ({
        ...Object.fromEntries([...refused, ...forms].map((key) => [key, declined])),
        ...given
      }))
    }
    return {
      while: (audience, self) => {
        if (audience === nobody) return self
        return Effect.suspend(() => {
          inFlight.add(audience)
          return Effect.ensuring(
            self,
            Effect.sync(() => inFlight.delete(audience))
          )
        })
      },
      put,
      answer: (inquiry, signal) => {
        const audience = addressee()
        const answered = audience === undefined ? Effect.succeed<Answers>({}) : put(audience, { asked: inquiry })
        const unanswered = new ServerFailed({
          server: known.name,
          operation: inquiry.method,
          reason: "nobody answers it",
          unknown: false
        })
        return run(
          Effect.flatMap(answered, ({ asked }) =>
            asked !== undefined
              ? Effect.succeed(asked)
              : inquiry.method === "elicitation/create"
                ? Effect.succeed(declined)
                : unanswered
          ),
          { signal }
        )
      },
      log: (message) => {
        for (const { log } of inFlight) log(message)
      }
    }
  })
