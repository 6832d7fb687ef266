import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { type Places, placesOf } from "../../src/cost/Budget.ts"
import type { Limits } from "../../src/cost/Budgets.ts"
import type { Charge } from "../../src/cost/Charge.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import { Database } from "../../src/database/Database.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const day = "2026-11-22"

/** A charge of a task; `more` says what is different. */
export const charge = (amount: number | undefined, more: Partial<Charge> & { readonly task?: string } = {}): Charge => {
  const { task = "t", ...fields } = more
  return {
    payer: { session: "s", project: "/p", task, worker: ["root"], iteration: 1 },
    time: 1000,
    day,
    profile: "main",
    model: "m",
    attempt: 1,
    outcome: "answered",
    usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 2, cacheWriteTokens: 1, reasoningTokens: 3 },
    ...(amount === undefined ? {} : { amount }),
    estimated: false,
    tools: [],
    ...fields
  }
}

export const placesFor = ({ day, payer }: Charge): Places => placesOf(payer, day)

export const noLimits: Limits = new Map()

/** Where a ledger can be. */
export const ledgers = [
  ["in memory", Effect.succeed(Ledger.layerMemory)],
  [
    "in the database",
    Effect.map(temporaryDirectory, (folder) =>
      Ledger.layerSql.pipe(Layer.provide(Database.layer(path.join(folder, "tollgate.db"))), Layer.orDie)
    )
  ]
] as const
