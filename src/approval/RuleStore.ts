import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Rule } from "./Rule.ts"

/** The saved rules could not be read or written. */
export class RuleStoreFailed extends Schema.TaggedError<RuleStoreFailed>()("RuleStoreFailed", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The saved approval rules in ${this.file} cannot be used: ${this.reason}. Repair the file, or move it away to start without any.`
  }
}

/** Where answers that hold always are kept, per project. The file is outside every workspace, so that no tool writes it. */
export class RuleStore extends Context.Tag("tollgate/approval/RuleStore")<
  RuleStore,
  {
    readonly list: (project: string) => Effect.Effect<ReadonlyArray<Rule>, RuleStoreFailed>
    readonly save: (project: string, rule: Rule) => Effect.Effect<void, RuleStoreFailed>
    /** Whether there was one. */
    readonly remove: (project: string, id: string) => Effect.Effect<boolean, RuleStoreFailed>
  }
>() {
  /** Gone with the layer. */
  static readonly layerMemory: Layer.Layer<RuleStore> = Layer.sync(RuleStore, () => {
    let saved: Saved = { version: 1, projects: {} }
    return make({
      read: Effect.sync(() => saved),
      write: (next) =>
        Effect.sync(() => {
          saved = next
        })
    })
  })

  /** A JSON file that only its owner may read, replaced whole. */
  static readonly layerFile = (file: string): Layer.Layer<RuleStore> =>
    Layer.effect(
      RuleStore,
      Effect.map(Effect.makeSemaphore(1), (one) => make({ read: read(file), write: (next) => write(file, next), one }))
    )
}

/** Rules of one project; a person has answered `always` so often by mistake. */
const maxRules = 1000

const Saved = Schema.Struct({
  version: Schema.Literal(1),
  projects: Schema.Record({ key: Schema.String, value: Schema.Array(Rule) })
})
type Saved = typeof Saved.Type

const decode = Schema.decodeUnknown(Schema.parseJson(Saved))

interface Medium {
  readonly read: Effect.Effect<Saved, RuleStoreFailed>
  readonly write: (saved: Saved) => Effect.Effect<void, RuleStoreFailed>
  readonly one?: Effect.Semaphore
}

const make = ({ one, read, write }: Medium): RuleStore["Type"] => {
  const alone = <A, E>(self: Effect.Effect<A, E>) => (one === undefined ? self : one.withPermits(1)(self))
  const rulesOf = (saved: Saved, project: string): ReadonlyArray<Rule> =>
    Object.hasOwn(saved.projects, project) ? (saved.projects[project] ?? []) : []
  const change = (project: string, next: (rules: ReadonlyArray<Rule>) => ReadonlyArray<Rule>) =>
    alone(
      Effect.flatMap(read, (saved) => {
        const rules = next(rulesOf(saved, project))
        const projects = Object.fromEntries([
          ...Object.entries(saved.projects).filter(([name]) => name !== project),
          ...(rules.length === 0 ? [] : [[project, rules] as const])
        ])
        return write({ version: 1, projects })
      })
    )
  return {
    list: (project) => Effect.map(read, (saved) => rulesOf(saved, project)),
    save: Effect.fn("RuleStore.save")((project: string, rule: Rule) =>
      change(project, (rules) => [...rules.filter(({ id }) => id !== rule.id), rule].slice(-maxRules))
    ),
    remove: Effect.fn("RuleStore.remove")(function* (project: string, id: string) {
      const known = rulesOf(yield* read, project).some((rule) => rule.id === id)
      if (known) yield* change(project, (rules) => rules.filter((rule) => rule.id !== id))
      return known
    })
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200)

const read = (file: string): Effect.Effect<Saved, RuleStoreFailed> =>
  Effect.try({
    try: () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : `{"version":1,"projects":{}}`),
    catch: reasonOf
  }).pipe(
    Effect.flatMap((text) => Effect.mapError(decode(text), () => "it is not what was written")),
    Effect.mapError((reason) => new RuleStoreFailed({ file, reason }))
  )

/** To a new file beside it that then takes its place. */
export const replaceFile = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${crypto.randomBytes(6).toString("hex")}`
  try {
    const descriptor = fs.openSync(fresh, "wx", 0o600)
    try {
      fs.writeFileSync(descriptor, text)
      fs.fsyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
    fs.renameSync(fresh, file)
  } catch (error) {
    fs.rmSync(fresh, { force: true })
    throw error
  }
}

const write = (file: string, saved: Saved): Effect.Effect<void, RuleStoreFailed> =>
  Effect.try({
    try: () => replaceFile(file, `${JSON.stringify(saved, undefined, 2)}\n`),
    catch: (error) => new RuleStoreFailed({ file, reason: reasonOf(error) })
  })
