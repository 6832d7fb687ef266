import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Database } from "../database/Database.ts"
import { fromCause } from "../database/DatabaseError.ts"
import { Rule } from "./Rule.ts"

/** The saved rules could not be read or written. */
export class RuleStoreFailed extends Schema.TaggedError<RuleStoreFailed>()("RuleStoreFailed", {
  project: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The saved approval rules of ${this.project} cannot be used: ${this.reason}`
  }
}

/** The saved answers of `always`, per project; outside every workspace, where no tool can write. */
export class RuleStore extends Context.Tag("tollgate/approval/RuleStore")<
  RuleStore,
  {
    /** The oldest first. */
    readonly list: (project: string) => Effect.Effect<ReadonlyArray<Rule>, RuleStoreFailed>
    /** In the place of one with the same id; the oldest give way where there are too many. */
    readonly save: (project: string, rule: Rule) => Effect.Effect<void, RuleStoreFailed>
    /** Whether there was one. */
    readonly remove: (project: string, id: string) => Effect.Effect<boolean, RuleStoreFailed>
  }
>() {
  /** Gone with the layer. */
  static readonly layerMemory: Layer.Layer<RuleStore> = Layer.sync(RuleStore, () => {
    const saved = new Map<string, ReadonlyArray<Rule>>()
    const of = (project: string) => saved.get(project) ?? []
    return {
      list: (project) => Effect.sync(() => of(project)),
      save: (project, rule) =>
        Effect.sync(
          () => void saved.set(project, [...of(project).filter(({ id }) => id !== rule.id), rule].slice(-maxRules))
        ),
      remove: (project, id) =>
        Effect.sync(() => {
          const left = of(project).filter((rule) => rule.id !== id)
          const removed = left.length < of(project).length
          saved.set(project, left)
          return removed
        })
    }
  })

  /** In the table `rules`, where several processes find the same. */
  static readonly layerSql: Layer.Layer<RuleStore, never, Database> = Layer.effect(
    RuleStore,
    Effect.map(Database, (database) => makeSql(database))
  )
}

/** Rules of one project; a person has answered `always` so often by mistake. */
const maxRules = 1000

const decode = Schema.decodeUnknown(Schema.Array(Schema.Struct({ rule: Schema.parseJson(Rule) })))
const encode = Schema.encodeSync(Schema.parseJson(Rule))
const decodeCount = Schema.decodeUnknownSync(Schema.Array(Schema.Unknown))

/** Read before every task: a plain statement, as the library's own takes a span and longer than SQLite. */
const listed = "SELECT rule FROM rules WHERE project = ? ORDER BY saved_at, rowid"

const crowded = `
  DELETE FROM rules WHERE project = ? AND id NOT IN (
    SELECT id FROM rules WHERE project = ? ORDER BY saved_at DESC, rowid DESC LIMIT ${maxRules}
  )`

const makeSql = (database: Database["Type"]): RuleStore["Type"] => {
  const sql = database.read
  const failed = (project: string) => (error: { readonly message: string }) =>
    new RuleStoreFailed({ project, reason: error.message })
  return {
    list: (project) =>
      Effect.scoped(Effect.flatMap(sql.reserve, (connection) => connection.execute(listed, [project], undefined))).pipe(
        Effect.mapError((error) => fromCause(database.file, error)),
        Effect.flatMap((rows) =>
          Effect.mapError(decode(rows), () => ({
            message: `one of them in ${database.file} was changed by another program.`
          }))
        ),
        Effect.mapBoth({ onFailure: failed(project), onSuccess: (rows) => rows.map(({ rule }) => rule) })
      ),
    save: Effect.fn("RuleStore.save")(function* (project: string, rule: Rule) {
      const now = yield* Clock.currentTimeMillis
      yield* database
        .write((connection) =>
          Effect.zipRight(
            connection.executeRaw("INSERT OR REPLACE INTO rules (project, id, rule, saved_at) VALUES (?, ?, ?, ?)", [
              project,
              rule.id,
              encode(rule),
              now
            ]),
            connection.executeRaw(crowded, [project, project])
          )
        )
        .pipe(Effect.mapError(failed(project)))
    }),
    remove: Effect.fn("RuleStore.remove")((project: string, id: string) =>
      database
        .write((connection) =>
          connection.execute("DELETE FROM rules WHERE project = ? AND id = ? RETURNING id", [project, id], undefined)
        )
        .pipe(Effect.mapBoth({ onFailure: failed(project), onSuccess: (rows) => decodeCount(rows).length > 0 }))
    )
  }
}
