import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Configuration } from "../config/Configuration.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import { Accounts } from "../cost/Accounts.ts"
import type { Alert } from "../cost/Budget.ts"
import { Budgets, limitsOf } from "../cost/Budgets.ts"
import { inUsd } from "../cost/Money.ts"
import { Processes } from "../process/Processes.ts"
import { Surroundings } from "./Surroundings.ts"
import { ownEnvironment } from "./ToolServices.ts"

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
      return name === undefined || source === home.config ? [] : [[name, value] as const]
    })
    return { ...found, ...Object.fromEntries(elsewhere) }
  })
})

/** Whether anything that is spent is bounded. */
export const areSet = ({ budgets = {} }: { readonly budgets?: Budgets }): boolean => limitsOf(budgets).size > 0

/** Gives each alert to the program of the user, which runs outside of every project. */
const hooked = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const { directory, env } = yield* Surroundings
  const processes = yield* Processes
  const [file, ...args] = settings.budgets?.hook ?? []
  if (file === undefined) return undefined
  const own = ownEnvironment(settings, env, [directory])
  return ({ limit, percent, place, scope, spent }: Alert) => {
    const alert = { event: "budget", scope, place, percent, spentUsd: inUsd(spent), limitUsd: inUsd(limit) }
    const text = `${JSON.stringify(alert)}\n`
    return processes.run({ file, args, cwd: directory, env: own, stdin: { text } }, { limit: outputLimit }).pipe(
      Effect.timeoutFail({
        duration: patience,
        onTimeout: () => ({ message: `it took longer than ${Duration.format(patience)}` })
      }),
      Effect.flatMap(({ exitCode }) =>
        exitCode === 0
          ? Effect.void
          : Effect.logWarning(`the budget hook ${file} exited with ${exitCode ?? "a signal"}`)
      ),
      Effect.catchAll(({ message }) => Effect.logWarning(`the budget hook ${file} failed: ${message}`))
    )
  }
})

/** Keeps account of what sessions spend, within the budgets of the user. */
export const accounts = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const alerted = yield* hooked
    return Accounts.layer({
      budgets: settings.budgets ?? {},
      current: yield* current,
      ...(alerted === undefined ? {} : { alerted })
    })
  })
).pipe(Layer.provide(Processes.layer))
