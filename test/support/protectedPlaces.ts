import * as Places from "../../src/policy/path/ProtectedPlaces.ts"
import * as SecretNames from "../../src/policy/path/SecretNames.ts"

/** A protected place of a world, which may be a file or a directory. */
export interface Place {
  /** Absolute. */
  readonly path: string
  /** The tables say that anybody may read it, which holds below the workspace. */
  readonly readable: boolean
  /** Refused in every mode, also in the one that allows everything. */
  readonly neverRead: boolean
  readonly neverChanged: boolean
}

export interface Directories {
  /** Holds all the others. */
  readonly base: string
  readonly home: string
  readonly root: string
  /** Our own, outside the workspace and below it. */
  readonly stateDirs: readonly [outside: string, inside: string]
}

type Protections = ReadonlyMap<string, Pick<Places.Protection, "see" | "change">>

const at = (directory: string, places: Protections, inside: boolean): ReadonlyArray<Place> =>
  Array.from(places, ([run, { change, see }]) => ({
    path: `${directory}/${run}`,
    readable: inside && see === "allow",
    neverRead: see === "deny",
    neverChanged: !inside || change === "deny"
  }))

const all = (names: Iterable<string>, protection: Pick<Places.Protection, "see" | "change">): Protections =>
  new Map(Array.from(names, (name) => [name, protection]))

const ended = (suffixes: ReadonlyArray<string>) => suffixes.map((suffix) => `name${suffix}`)

const secrets = all(
  [
    ...SecretNames.secretNames,
    ...ended(SecretNames.secretSuffixes),
    "id_rsa",
    "id_ed25519_work.bak",
    ".env",
    ".env.production",
    ".dev.vars",
    "below/.env/token",
    "below/.secrets/deep/token",
    "below/.git-credentials/token"
  ],
  Places.secretFile
)
const steering = all([...ended(Places.steeringSuffixes), ".mise.local.toml", "mise.production.toml"], Places.runsLater)
const bare = all(["some.git/hooks/post-update", "HEAD"], Places.bareRepository)

/** Every protected place that the tables of the policy know, and our own; those below the workspace in `below` of it. */
export const protectedPlaces = (
  { base, home, root, stateDirs }: Directories,
  below: "" | "/deep/er"
): ReadonlyArray<Place> => [
  ...at("", Places.system, false),
  ...at(home, Places.home, false),
  ...at(home, Places.anywhere, false),
  ...at(home, all([".program/settings"], Places.homeSettings), false),
  ...at(base, all(["beside/file"], { see: "ask", change: "deny" }), false),
  ...stateDirs.flatMap((own) => at(own, all(["", "state.db", "cache/code"], Places.ownFiles), own.startsWith(root))),
  ...[Places.anywhere, Places.workspace, secrets, steering, bare].flatMap((places) => at(root + below, places, true))
]
