import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { ConfigUnreadable, ConfigUnwritable } from "../../config/ConfigError.ts"
import * as ConfigFile from "../../config/ConfigFile.ts"
import { locked } from "../../config/ConfigLock.ts"
import { bare, Configuration } from "../../config/Configuration.ts"
import * as LazyHttpClient from "../../host/LazyHttpClient.ts"
import { Surroundings } from "../../host/Surroundings.ts"
import type { Environment } from "../../model/OpenProfile.ts"
import { duration } from "../../text/duration.ts"
import { makeVisible } from "../../text/visible.ts"
import { askModel, kept, type ModelUnready } from "../askModel.ts"
import type { RemoteProfile } from "../modelAdvice.ts"
import { Form, type Item } from "../terminal/Form.ts"
import { fuzzy } from "../terminal/fuzzy.ts"
import { Screen } from "../terminal/Screen.ts"
import { fromUrl, isSet, ollama, profileOf, type Server, services } from "./candidates.ts"
import { listModels } from "./listModels.ts"

/** A profile whose model has answered. */
export interface Chosen {
  readonly name: string
  readonly profile: RemoteProfile
  /** It is in the configuration file. */
  readonly saved: boolean
}

type Needs = Form | Screen | Configuration | Surroundings | HttpClient.HttpClient | FileSystem.FileSystem
/** An answer, or none where the person leaves. */
type Answered<A> = Effect.Effect<Option.Option<A>, never, Needs>

/** How long a server may take to list its models, here and elsewhere. */
const patience = { loopback: "600 millis", listed: "6 seconds" } as const

const environment = Effect.map(
  Surroundings,
  ({ env }): Environment =>
    (name) =>
      isSet(env, name) ? Option.some(Redacted.make(env[name] ?? "")) : Option.none()
)

const keyOf = ({ variable }: Server) =>
  Effect.map(Surroundings, ({ env }) => (variable === undefined ? undefined : (env[variable] ?? "").trim()))

const say = (text: string) => Effect.flatMap(Screen, ({ progress }) => progress(`${text}\n`))

const place = (server: Server): string => makeVisible(String(bare(server.baseUrl)))

/** What is there: keys in the environment, and Ollama where it listens. */
const found = Effect.gen(function* () {
  const { env } = yield* Surroundings
  const keyed = services.filter(({ variable }) => isSet(env, variable))
  const local = yield* Option.match(ollama(env), {
    onNone: () => Effect.succeed([]),
    onSome: (server) =>
      Effect.match(listModels(server, undefined, patience.loopback), {
        onFailure: () => [],
        onSuccess: (models) => [{ server, models: models.length }]
      })
  })
  return [
    ...keyed.map((server): Item<Server | undefined> => ({
      value: server,
      row: `${server.name}  key ${server.variable} is set`
    })),
    ...local.map(({ models, server }): Item<Server | undefined> => ({
      value: server,
      row: `ollama  ${place(server)}, ${models === 1 ? "1 model" : `${models} models`}`
    })),
    { value: undefined, row: "another server, by its base URL" } satisfies Item<Server | undefined>
  ]
})

/** Why a server cannot be asked; one that lists no models, or wants a key, answers all the same. */
const unanswered = (server: Server): Effect.Effect<string | undefined, never, HttpClient.HttpClient> =>
  Effect.match(listModels(server, undefined, patience.listed), {
    onFailure: ({ message, status }) => (status === undefined ? message : undefined),
    onSuccess: () => undefined
  })

/** Asks for a URL until it is one behind which a server answers, or the person stays with it. */
const typedServer: Answered<Server> = Effect.gen(function* () {
  const form = yield* Form
  let before = ""
  for (;;) {
    const line = yield* form.line({ question: "base URL, e.g. http://localhost:8000/v1:", before })
    if (Option.isNone(line) || line.value.trim() === "") return Option.none()
    const typed = line.value.trim()
    const server = fromUrl(typed)
    if ("problem" in server) yield* say(server.problem)
    else {
      const why = typed === before ? undefined : yield* unanswered(server)
      if (why === undefined) return Option.some(server)
      yield* say(`${place(server)}: ${why}; change the URL, or enter it again to use it anyway`)
    }
    before = typed
  }
})

/** What would have been found. */
const noneFound = [
  "No key is set and no Ollama runs here.",
  "Set one of these, then start again, or name a server:",
  `    ${services
    .slice(0, 4)
    .map(({ variable }) => variable)
    .join("  ")}`,
  `    ${services
    .slice(4)
    .map(({ variable }) => variable)
    .join("  ")}`,
  "To see Tollgate at work without a model: tollgate tour",
  ""
].join("\n")

const chooseServer: Answered<Server> = Effect.gen(function* () {
  const form = yield* Form
  const items = yield* found
  if (items.every(({ value }) => value === undefined)) yield* say(noneFound)
  const picked = yield* form.pick({ question: "Which model server?", items })
  if (Option.isNone(picked)) return Option.none()
  return picked.value === undefined ? yield* typedServer : Option.some(picked.value)
})

/** Asks for the variable that holds the key of a server; the key itself is asked for nowhere. */
const chooseVariable = (server: Server): Answered<Server> =>
  Effect.gen(function* () {
    const form = yield* Form
    const { env } = yield* Surroundings
    for (;;) {
      const line = yield* form.line({ question: "environment variable with the key (its name):" })
      const variable = Option.getOrElse(line, () => "").trim()
      if (variable === "") return Option.none()
      if (isSet(env, variable)) return Option.some({ ...server, variable })
      yield* say("no variable of that name is set here; export it in your shell and start again, or name another one")
    }
  })

const typedModel = (server: Server): Answered<string> =>
  Effect.gen(function* () {
    const line = yield* (yield* Form).line({ question: "model:", before: server.model ?? "" })
    return Option.filter(
      Option.map(line, (text) => text.trim()),
      (text) => text !== ""
    )
  })

const chooseModel = (server: Server): Answered<string> =>
  Effect.gen(function* () {
    const listed = yield* Effect.either(listModels(server, yield* keyOf(server), patience.listed))
    if (Either.isLeft(listed) || listed.right.length === 0) {
      yield* say(`${place(server)}: ${Either.isLeft(listed) ? listed.left.message : "it lists no models"}`)
      return yield* typedModel(server)
    }
    // The usual one first.
    const models = [...listed.right].sort((one, other) => Number(other === server.model) - Number(one === server.model))
    const items = models.map((value) => ({ value, row: makeVisible(value) }))
    return yield* (yield* Form).pick({ question: "Which model?", items, filter: fuzzy(items) })
  })

const chooseSaved = (name: string, file: string): Answered<boolean> =>
  Effect.flatMap(Form, (form) =>
    form.pick({
      question: "Keep this choice?",
      items: [
        { value: true, row: `save it as profile ${name} in ${makeVisible(file)}` },
        { value: false, row: "use it now and save nothing" }
      ]
    })
  )

type Change = "again" | "model" | "server" | "key"

const chooseChange = ({ about, mend, reason }: ModelUnready): Answered<Change> =>
  Effect.gen(function* () {
    const { style } = yield* Screen
    const lines = [
      `${style.red("✗")} ${makeVisible(reason)}`,
      // What would change a saved profile is asked for below: nothing is saved yet.
      ...mend
        .filter((line) => /^export |\bset budgets\./.test(line))
        .map(
          (line) => `    ${style.cyan(makeVisible(line))}, then ${line.startsWith("export ") ? "start" : "try"} again`
        )
    ]
    yield* say(lines.join("\n"))
    const items: ReadonlyArray<Item<Change>> = [
      { value: "again", row: "try again" },
      { value: "model", row: "another model" },
      { value: "server", row: "another server" },
      { value: "key", row: "name the variable with the key" }
    ]
    const first = about === "other" ? "again" : about
    const ordered = [...items].sort((one, other) => Number(other.value === first) - Number(one.value === first))
    return yield* (yield* Form).pick({ question: "What to change?", items: ordered })
  })

/** A name that no other server's profile has. */
const freeName = (server: Server, profiles: Configuration["Type"]["profiles"]): string => {
  const isFree = (name: string) => {
    const known = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    if (known === undefined) return true
    return (
      known.provider === server.provider &&
      (!("baseUrl" in known) || known.baseUrl === undefined || known.baseUrl === server.baseUrl)
    )
  }
  let name = server.name
  for (let count = 2; !isFree(name); count++) name = `${server.name}-${count}`
  return name
}

/** Writes a profile to the configuration file, and that it is the one to use. */
const save = (
  file: string,
  { name, profile }: Pick<Chosen, "name" | "profile">
): Effect.Effect<void, ConfigUnreadable | ConfigUnwritable> =>
  locked(file)(
    Effect.flatMap(ConfigFile.read(file), (json) =>
      ConfigFile.write(
        file,
        ConfigFile.replaceAt(ConfigFile.replaceAt(json, ["profile"], name), ["profiles", name], profile)
      )
    )
  )

/** The first answer, or the end of the questions. */
const needed = <A>(answered: Answered<A>) => Effect.flatMap(answered, (answer) => answer)

/** Asks everything, and the model; fails where the person leaves. */
const asked = Effect.gen(function* () {
  const { style } = yield* Screen
  const { home, profiles } = yield* Configuration
  const secret = yield* environment
  let server = yield* needed(chooseServer)
  let model = yield* needed(chooseModel(server))
  const saved = yield* needed(chooseSaved(freeName(server, profiles), home.config))
  for (;;) {
    const name = freeName(server, profiles)
    const profile = profileOf(server, model)
    yield* say(style.dim(`asking ${makeVisible(model)} at ${place(server)} …`))
    const answered = yield* Effect.either(Effect.provide(askModel(name, { ...profile, maxAttempts: 1 }, secret), kept))
    if (Either.isRight(answered)) {
      const key = server.variable === undefined ? [] : [`key ${server.variable}`]
      const said = [makeVisible(model), place(server), ...key, `answered in ${duration(answered.right)}`].join(" · ")
      yield* say(`${style.green("✓")} ${said}`)
      if (saved) yield* save(home.config, { name, profile })
      yield* say(style.dim(saved ? `saved as profile ${name} in ${makeVisible(home.config)}` : "saved nowhere"))
      return { name, profile, saved } satisfies Chosen
    }
    const change = yield* needed(chooseChange(answered.left))
    if (change === "server") server = yield* needed(chooseServer)
    if (change === "key") server = yield* needed(chooseVariable(server))
    if (change !== "again") model = yield* needed(change === "key" ? Effect.succeedSome(model) : chooseModel(server))
  }
})

const unsaved = say("nothing was saved · tollgate tour shows it without a model")

/**
 * Sets a model up by three questions and one request that must succeed: which server, which model, whether to keep it.
 * Nothing is written before the model has answered, and nothing where the person leaves.
 */
export const setUp: Effect.Effect<
  Option.Option<Chosen>,
  ConfigUnreadable | ConfigUnwritable,
  Form | Screen | Configuration | Surroundings
> = Effect.flatMap(Form, ({ whole }) => whole(asked)).pipe(
  Effect.catchTag("NoSuchElementException", () => Effect.succeedNone),
  Effect.tap((chosen) => (Option.isSome(chosen) ? Effect.void : unsaved)),
  Effect.onInterrupt(() => unsaved),
  Effect.provide(Layer.merge(LazyHttpClient.layer, NodeFileSystem.layer))
)
