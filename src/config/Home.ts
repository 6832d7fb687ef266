import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as os from "node:os"
import * as path from "node:path"
import { ConfigInvalid } from "./ConfigError.ts"

/** Where Tollgate keeps its files, absolute. */
export interface Home {
  /** The user's own directory, which holds what every tool keeps off. */
  readonly user: string
  readonly config: string
  readonly database: string
  /** The key and the head of the audit, outside every workspace. */
  readonly approvals: string
  /** What the file tools have replaced, so that it can be brought back. */
  readonly checkpoints: string
  /** The whole of results that were too long for the model; none of them is missed for long. */
  readonly results: string
  /** What the launcher keeps of compiled code; it runs as it is found. */
  readonly code: string
}

/** Tollgate's own directories, which no tool reads or writes. */
export const directories = ({ approvals, code, config, database, results }: Home): ReadonlyArray<string> => [
  ...new Set([path.dirname(config), path.dirname(database), path.dirname(results), approvals, code])
]

const variable = "TOLLGATE_HOME"

const below = (user: string, config: string, data: string, cache: string, code: string): Home => ({
  user,
  config: path.join(config, "config.json"),
  database: path.join(data, "tollgate.db"),
  approvals: path.join(data, "approvals"),
  checkpoints: path.join(data, "checkpoints"),
  results: path.join(cache, "results"),
  code
})

/** A directory of the environment; a relative one is no directory, as the XDG specification has it. */
const directory = (name: string): Effect.Effect<Option.Option<string>> =>
  Config.string(name).pipe(Effect.option, Effect.map(Option.filter((value) => path.isAbsolute(value))))

/** Bytes of the path of a database, which with what stands beside it has to fit into the 512 that SQLite takes. */
const longest = 440

/** The places, unless their paths are too long. */
const fitting = (places: Home, key: string, mend: ReadonlyArray<string>): Effect.Effect<Home, ConfigInvalid> => {
  const length = Buffer.byteLength(places.database)
  const problem = `it is too long: the path of its database has ${length} bytes; the limit is ${longest}`
  return length <= longest
    ? Effect.succeed(places)
    : new ConfigInvalid({ problems: [{ source: "environment", key, problem, mend }] })
}

/** The user's own directory; without one, files of the working directory would count as the user's. */
const userHome: Effect.Effect<string, ConfigInvalid> = Effect.gen(function* () {
  const found = yield* Config.string("HOME").pipe(
    Effect.orElse(() => Effect.try(() => os.userInfo().homedir)),
    Effect.orElseSucceed(() => "")
  )
  if (path.isAbsolute(found)) return found
  const problem = "expected the absolute path of your home directory, independent of the working directory"
  const mend = ["export HOME=/home/NAME", "unset HOME"]
  return yield* new ConfigInvalid({ problems: [{ source: "environment", key: "HOME", problem, mend }] })
})

/** `TOLLGATE_HOME` holds everything where it is set and not empty; otherwise the XDG directories do. */
export const home: Effect.Effect<Home, ConfigInvalid> = Effect.gen(function* () {
  const user = yield* userHome
  const cache = Option.getOrElse(yield* directory("XDG_CACHE_HOME"), () => path.join(user, ".cache"))
  const code = path.join(
    Option.getOrElse(yield* directory("TOLLGATE_CACHE"), () => cache),
    "tollgate"
  )
  const own = yield* Effect.option(Config.nonEmptyString(variable))
  if (Option.isSome(own)) {
    const mend = [`export ${variable}="$HOME/.tollgate"`, `unset ${variable}`]
    if (!path.isAbsolute(own.value)) {
      const problem = "expected an absolute path, independent of the working directory"
      return yield* new ConfigInvalid({ problems: [{ source: "environment", key: variable, problem, mend }] })
    }
    const root = path.resolve(own.value)
    return yield* fitting(below(user, root, root, root, code), variable, mend)
  }
  const config = Option.getOrElse(yield* directory("XDG_CONFIG_HOME"), () => path.join(user, ".config"))
  const chosen = yield* directory("XDG_DATA_HOME")
  const data = Option.getOrElse(chosen, () => path.join(user, ".local", "share"))
  const places = below(
    user,
    path.join(config, "tollgate"),
    path.join(data, "tollgate"),
    path.join(cache, "tollgate"),
    code
  )
  return yield* Option.isSome(chosen)
    ? fitting(places, "XDG_DATA_HOME", ["unset XDG_DATA_HOME"])
    : fitting(places, "HOME", [`export ${variable}=/a/shorter/path`])
})
