import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Audit, type AuditError } from "../audit/Audit.ts"
import { AnswerBox } from "../approval/AnswerBox.ts"
import { RuleStore } from "../approval/RuleStore.ts"
import { Configuration } from "../config/Configuration.ts"
import { Trust } from "../config/Trust.ts"
import { Ledger } from "../cost/Ledger.ts"
import { Database } from "../database/Database.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { Memory } from "../memory/Memory.ts"
import { Embeddings } from "../search/Embeddings.ts"
import type { SessionStore } from "../runtime/SessionStore.ts"
import * as SqlSessionStore from "../runtime/SqlSessionStore.ts"
import type { Search } from "../search/Search.ts"
import * as embeddings from "./embeddings.ts"
import * as LazyHttpClient from "./LazyHttpClient.ts"
import { Notice } from "./Notice.ts"
import * as searching from "./searching.ts"

/** The user's database; one connection for all who need it. */
export const database: Layer.Layer<Database, DatabaseError, Configuration> = Layer.unwrapEffect(
  Effect.map(Configuration, ({ home }) => Database.layer(home.database))
).pipe(
  Layer.tap((context) =>
    Effect.flatMap(Notice, ({ say }) => Effect.forEach(Context.get(context, Database).notices, say, { discard: true }))
  )
)

/** What the user decides outside of any session: saved rules and trusted projects. */
export const decided: Layer.Layer<RuleStore | Trust, DatabaseError, Configuration> = Layer.merge(
  RuleStore.layerSql,
  Trust.layerSql
).pipe(Layer.provide(database))

/** The sessions of the user, and the answers from elsewhere to what they ask. */
export const sessions: Layer.Layer<SessionStore | AnswerBox, DatabaseError, Configuration> = Layer.merge(
  SqlSessionStore.layer,
  AnswerBox.layerSql
).pipe(Layer.provide(database))

/** What model requests of the user have cost. */
export const ledger: Layer.Layer<Ledger, DatabaseError, Configuration> = Ledger.layerSql.pipe(Layer.provide(database))

/** Meaning for notes; where it is configured wrongly, that is said once and words alone count. */
const meaning: Layer.Layer<Embeddings, never, Configuration> = embeddings.layer.pipe(
  Layer.provide(LazyHttpClient.layer),
  Layer.catchAll((error) =>
    Layer.effect(
      Embeddings,
      Effect.flatMap(Notice, ({ say }) =>
        Effect.as(say(`notes are recalled by their words alone: ${error.message}`), undefined)
      )
    )
  )
)

/** What sessions and projects remember. */
export const memory: Layer.Layer<Memory, DatabaseError, Configuration> = Memory.layerSql.pipe(
  Layer.provide([database, meaning])
)

/** The search in the sessions of the user. */
export const search: Layer.Layer<Search, DatabaseError, Configuration> = searching.search.pipe(Layer.provide(database))

/** The audit of the user as it is. */
export const audit: Layer.Layer<Audit, AuditError, Configuration> = Layer.unwrapEffect(
  Effect.map(Configuration, ({ home }) => Audit.layerSql(home.approvals))
).pipe(Layer.provide(database))

/** The same for what runs: that it is broken is said every time. */
export const watchedAudit: Layer.Layer<Audit, AuditError, Configuration> = Layer.tap(audit, (context) =>
  Effect.gen(function* () {
    const { say } = yield* Notice
    const broken = yield* Context.get(context, Audit).broken
    if (broken === undefined) return
    yield* say(
      `the approval audit is broken at entry ${broken.entry}: ${broken.reason}; entries from there on are no evidence`
    )
  })
)
