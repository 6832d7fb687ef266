import type { ClientCapabilities, LoggingLevel } from "@modelcontextprotocol/client"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type { Answers, Audience, Inquiries, LogMessage, Refusal, ServerProgress } from "../Audience.ts"
import { isFor } from "../Inquiry.ts"

/** The request of a client that stands for a call now. */
export interface Listener {
  readonly capabilities: ClientCapabilities
  readonly logLevel?: LoggingLevel | undefined
  readonly hear: (progress: ServerProgress) => void
  readonly log: (message: LogMessage) => void
}

/** What a server says and asks during one call of a client, who may come back to it with another request. */
export interface Talk extends Audience {
  /** The listener hears what is said from now on. */
  readonly attach: (listener: Listener) => void
  /** It no longer does. */
  readonly leave: (listener: Listener) => void
  readonly isHeardBy: (listener: Listener) => boolean
  /** What the server has asked and nobody has answered. */
  readonly open: () => Inquiries
  /** Takes answers to what is open; the others answer what is asked under their names later. */
  readonly answer: (answers: Answers) => void
  /** Nobody will answer what is open now. */
  readonly giveUp: () => void
  /** Tells of what is asked, answered or given from now on, until the returned function is called. */
  readonly follow: (hear: () => void) => () => void
  /** Tells those who follow it of a change. */
  readonly wake: () => void
  /** What the server gave, as it came. */
  readonly given: () => unknown
  readonly give: (result: unknown) => void
  /** Why the server did not answer, in its own words. */
  readonly refusal: () => Refusal | undefined
}

/** How long a question of a server waits for a client that went away. */
const longestWait = "10 minutes"

/** Answers to what was not asked yet. */
const mostEarly = 16

/** Questions of a server that are open during one call; what it asks beyond them has no answer. */
const mostOpen = 32

interface Question {
  readonly inquiry: Inquiries[string]
  readonly answered: Deferred.Deferred<Answers[string] | undefined>
}

/** Makes the talk of a call of that person, who hears what `without` leaves of what a server says. */
export const make = (key: string, without: <A>(said: A) => A): Talk => {
  const questions = new Map<string, Question>()
  const early = new Map<string, Answers[string]>()
  let listener: Listener | undefined
  let capabilities: ClientCapabilities = {}
  let logLevel: LoggingLevel | undefined
  const followers = new Set<() => void>()
  let given: unknown
  let refusal: Refusal | undefined
  const wake = () => {
    for (const hear of followers) hear()
  }
  const settle = (name: string, answer: Answers[string] | undefined) => {
    const question = questions.get(name)
    if (question === undefined) {
      if (answer !== undefined && early.size < mostEarly) early.set(name, answer)
      return
    }
    questions.delete(name)
    Deferred.unsafeDone(question.answered, Effect.succeed(answer))
  }
  const free = (key: string): string => {
    if (!questions.has(key) && key !== "approval") return key
    let count = 2
    while (questions.has(`${key}-${count}`)) count++
    return `${key}-${count}`
  }
  return {
    key,
    get capabilities() {
      return capabilities
    },
    get logLevel() {
      return logLevel
    },
    hear: ({ message, ...progress }) =>
      listener?.hear({ ...progress, ...(message !== undefined && { message: without(message) }) }),
    log: ({ level, ...message }) => listener?.log({ level, ...without(message) }),
    refused: (one) => (refusal = one),
    ask: (inquiries) =>
      Effect.suspend(() => {
        const fit = Object.entries(inquiries).filter(([, inquiry]) => isFor(capabilities, inquiry))
        if (questions.size + fit.length > mostOpen) return Effect.succeed<Answers>({})
        const asked = fit.map(([key, inquiry]) => {
          const name = free(key)
          const answered = Deferred.unsafeMake<Answers[string] | undefined>(FiberId.none)
          questions.set(name, { inquiry, answered })
          const known = early.get(name)
          early.delete(name)
          if (known !== undefined) settle(name, known)
          return { key, name, answered }
        })
        wake()
        return Effect.forEach(asked, ({ answered, key }) =>
          Effect.map(Deferred.await(answered), (answer) => [key, answer] as const)
        ).pipe(
          Effect.timeoutOption(longestWait),
          Effect.map((all): Answers => {
            const known = all._tag === "None" ? [] : all.value
            return Object.fromEntries(
              known.flatMap(([key, answer]) => (answer === undefined ? [] : [[key, answer] as const]))
            )
          }),
          Effect.ensuring(
            Effect.sync(() => {
              for (const { name } of asked) questions.delete(name)
              wake()
            })
          )
        )
      }),
    attach: (one) => {
      listener = one
      capabilities = one.capabilities
      logLevel = one.logLevel
    },
    leave: (one) => {
      if (listener === one) listener = undefined
    },
    isHeardBy: (one) => listener === one,
    open: () => Object.fromEntries([...questions].map(([name, { inquiry }]) => [name, inquiry])),
    answer: (answers) => {
      for (const [name, answer] of Object.entries(answers)) settle(name, answer)
      wake()
    },
    giveUp: () => {
      for (const name of questions.keys()) settle(name, undefined)
      wake()
    },
    follow: (hear) => {
      followers.add(hear)
      return () => void followers.delete(hear)
    },
    wake,
    given: () => given,
    give: (result) => {
      given = result
      wake()
    },
    refusal: () => refusal
  }
}
