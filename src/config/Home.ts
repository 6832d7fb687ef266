import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as os from "node:os"
import * as path from "node:path"

/** Where Tollgate keeps its files, absolute. */
export interface Home {
  readonly config: string
  readonly database: string
  /** The key and the head of the audit, outside every workspace. */
  readonly approvals: string
}

const below = (config: string, data: string): Home => ({
  config: path.join(config, "config.json"),
  database: path.join(data, "tollgate.db"),
  approvals: path.join(data, "approvals")
})

/** A directory of the environment; a relative one is no directory, as the XDG specification has it. */
const directory = (name: string): Effect.Effect<Option.Option<string>> =>
  Config.string(name).pipe(Effect.option, Effect.map(Option.filter((value) => path.isAbsolute(value))))

/** `TOLLGATE_HOME` holds everything where it is set; otherwise the XDG directories do. */
export const home: Effect.Effect<Home> = Effect.gen(function* () {
  const own = yield* Effect.option(Config.nonEmptyString("TOLLGATE_HOME"))
  if (Option.isSome(own)) {
    const root = path.resolve(own.value)
    return below(root, root)
  }
  const config = Option.getOrElse(yield* directory("XDG_CONFIG_HOME"), () => path.join(os.homedir(), ".config"))
  const data = Option.getOrElse(yield* directory("XDG_DATA_HOME"), () => path.join(os.homedir(), ".local", "share"))
  return below(path.join(config, "tollgate"), path.join(data, "tollgate"))
})
