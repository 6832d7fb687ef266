import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Configuration, fallback } from "../config/Configuration.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import { Accounts } from "../cost/Accounts.ts"
import type { Alert } from "../cost/Budget.ts"
import { Budgets, limitsOf } from "../cost/Budgets.ts"
import { inUsd } from "../cost/Money.ts"
import * as Answer from "../process/Answer.ts"
import { Processes } from "../process/Processes.ts"
import { commandOf } from "../process/Program.ts"
import * as Stores from "./Stores.ts"
import { userProgram, Workplaces } from "./Workplaces.ts"

const decode = Schema.decodeUnknownEither(Budgets)

/** How long the program that is given alerts may take. */
const patience = Duration.seconds(10)
const outputLimit = 4096

/** The budgets of the file as it is now; a value that is from elsewhere outweighs it. */
const current = Effect.map(Configuration, ({ entries, home, settings }) => {
  const initial: Budgets = settings.budgets ?? {}
  return Effect.map(Effect.either(ConfigFile.read(home.config)), (file): Budgets => {
    const written = Either.map(file, (json) => ConfigFile.at(json, ["budgets"]) ?? {})
    const found = Either.getOrElse(Either.flatMap(written, decode), () => initial)
    const elsewhere = entries.flatMap(({ key, source }) => {
      const [name, value] = Object.entries(initial).find(([name]) => key === `budgets.${name}`) ?? []
      return name === undefined || source === home.config || source === fallback ? [] : [[name, value] as const]
    })
    return { ...found, ...Object.fromEntries(elsewhere) }
  })
})

/** Whether anything that is spent is bounded. */
export const areSet = ({ budgets = {} }: { readonly budgets?: Budgets }): boolean => limitsOf(budgets).size > 0

/** Gives each alert to the program of the user, which runs outside of every project. */
const hooked = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const hook = settings.budgets?.hook
  if (hook === undefined) return undefined
  const processes = Context.get(yield* Layer.build(Processes.layer), Processes)
  const program = (yield* userProgram)(hook)
  return ({ limit, percent, place, scope, spent }: Alert) => {
    const alert = { event: "budget", scope, place, percent, spentUsd: inUsd(spent), limitUsd: inUsd(limit) }
    const stdin = { text: `${JSON.stringify(alert)}\n` }
    return processes.run({ ...commandOf(program), stdin }, { limit: outputLimit }).pipe(
      Effect.flatMap(Answer.of),
      Effect.timeoutFail({
        duration: patience,
        onTimeout: () => ({ _tag: "TimedOut", message: `did not end within ${Duration.format(patience)}` })
      }),
      Effect.mapError((error) => (error._tag === "SpawnFailed" ? `could not be run: ${error.message}` : error.message)),
      Effect.catchAll((what) => Effect.logWarning(`the budget hook ${hook[0]} ${what}`))
    )
  }
})

/** Keeps account of what sessions spend, within the budgets of the user. */
export const accounts = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const alerted = yield* hooked
    return Accounts.layer({
      budgets: settings.budgets ?? {},
      current: yield* current,
      ...(alerted === undefined ? {} : { alerted })
    })
  })
)

/** The same, booked in the ledger of the user, for a command that opens no session. */
export const booked = Layer.provide(accounts, Layer.merge(Stores.ledger, Workplaces.layer))
