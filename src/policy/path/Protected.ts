import { allow, ask, deny, strictest, type Verdict } from "../Verdict.ts"
import { fold } from "./Fold.ts"
import type { PathContext } from "./PathContext.ts"
import type { Access } from "./PathOp.ts"
import { isWithin, segments } from "./PathText.ts"
import * as Places from "./ProtectedPlaces.ts"
import { holdsSecrets } from "./SecretNames.ts"
import type { Protection } from "./ProtectedPlaces.ts"

const verdictOf = { allow, ask, deny }

const say = (protection: Protection, access: Access): Verdict =>
  verdictOf[protection[access]](protection.rule, protection.reason)

const foldPath = (path: string): string => `/${segments(path).map(fold).join("/")}`

const unshorten = (name: string): string => Places.shortNames.get(/^(.+)~[0-9]$/.exec(name)?.[1] ?? "") ?? name

/** Every run of one to three neighbouring names, joined by `/`. */
function* runs(names: ReadonlyArray<string>, anchored: boolean): Generator<string> {
  for (let start = 0; start < (anchored ? Math.min(1, names.length) : names.length); start++) {
    let run = names[start] ?? ""
    yield run
    for (let length = 1; length < 3 && start + length < names.length; length++) {
      run = `${run}/${names[start + length]}`
      yield run
    }
  }
}

const below = (path: string, directory: string): ReadonlyArray<string> | undefined =>
  directory !== "/" && isWithin(path, directory) ? segments(path.slice(directory.length)) : undefined

const isOwnName = (name: string, context: PathContext): boolean =>
  context.stateDirs.some((directory) => {
    const own = segments(directory).map(fold).at(-1)
    return own !== undefined && own.startsWith(".") && own === name
  })

/** The deepest root that holds a path, or the empty path. */
const rootOf = (path: string, context: PathContext): string =>
  context.roots
    .filter((root) => isWithin(path, root))
    .reduce((deepest, root) => (root.length > deepest.length ? root : deepest), "")

function* found(places: ReadonlyMap<string, Protection>, candidates: Iterable<string>): Generator<Protection> {
  for (const candidate of candidates) {
    const place = places.get(candidate)
    if (place !== undefined) yield place
  }
}

/**
 * What is obeyed at the next login is denied, unless the user made it, or a part of it, a root: then it is asked for. What
 * no table knows is asked for where its name begins with a dot, unless a root lies there.
 */
function* inHome(path: string, root: string, home: string): Generator<Protection> {
  const chosen = new Set(runs(below(root, home) ?? [], true))
  const names = below(path, home) ?? []
  const places = [...runs(names, true)].flatMap((run): ReadonlyArray<Protection> => {
    const place = Places.home.get(run)
    if (place === undefined) return []
    return [place === Places.startup && chosen.has(run) ? Places.runsLater : place]
  })
  yield* places
  if (places.length === 0 && names[0]?.startsWith(".") === true && !chosen.has(names[0])) yield Places.homeSettings
}

function* protections(path: string, context: PathContext): Generator<Protection> {
  const folded = foldPath(path)
  const names = segments(folded).map(unshorten)
  const root = rootOf(path, context)
  yield* found(Places.system, runs(names[0] === "private" ? names.slice(1) : names, true))
  const name = names.at(-1) ?? ""
  const setting = names.at(-2) === ".ssh" && Places.isSshSetting(name)
  for (const place of found(Places.anywhere, runs(names, false))) {
    yield setting && place === Places.credentials ? Places.sshSettings : place
  }
  yield* inHome(folded, foldPath(root), foldPath(context.home))
  yield* found(Places.workspace, runs(names.slice(segments(root).length), false))
  const isBelow = (directory: string) => isWithin(folded, foldPath(directory))
  if (names.some((name) => isOwnName(name, context))) yield Places.state
  if (context.stateDirs.some(isBelow)) yield Places.ownFiles
  if (context.gitDirs?.some(isBelow) === true) yield Places.repository
  if (names.slice(0, -1).some((name) => name.length > 4 && name.endsWith(".git"))) yield Places.bareRepository
  if (name === "head") yield Places.bareRepository
  const below = names.slice(segments(root).length, -1)
  if (holdsSecrets(name) || below.some((directory) => directory.startsWith(".") && holdsSecrets(directory))) {
    yield Places.secretFile
  }
  if (Places.steers(name)) yield Places.runsLater
}

/** The strictest word that the protected places have on a normalised absolute path, or undefined if they have none. */
export const protectedVerdict = (path: string, access: Access, context: PathContext): Verdict | undefined => {
  let verdict: Verdict | undefined
  for (const protection of protections(path, context)) {
    const next = say(protection, access)
    verdict = verdict === undefined ? next : strictest(verdict, next)
  }
  return verdict
}

/** The last names of all places in the tables. */
const endings: ReadonlySet<string> = new Set(
  [Places.system, Places.anywhere, Places.home, Places.workspace].flatMap((places) =>
    [...places.keys()].map((place) => place.slice(place.lastIndexOf("/") + 1))
  )
)

const ordinary = /^[ -[\]-}]+$/

/** Longer and deeper paths are refused as a whole, and not by a name in them. */
const [longest, deepest] = [2048, 128]

/**
 * Whether a name is sure to be judged like the directory that it is in, without a look at the whole path: where nearly all names of a
 * large tree are of this kind, the others can be judged one by one.
 */
export const addsNothingIn = (directory: string, context: PathContext): ((name: string) => boolean) => {
  const folded = foldPath(directory)
  const depth = segments(directory).length
  const inHome = below(folded, foldPath(context.home))
  const own = [...context.stateDirs, ...(context.gitDirs ?? [])]
  // Places of the system and of the home directory are known by where they are.
  const isNear = depth < 4 || (inHome !== undefined && inHome.length < 3) || folded.endsWith(".git")
  if (isNear || depth > deepest || directory.length > longest || own.some((one) => isWithin(foldPath(one), folded)))
    return () => false
  return (name) => {
    if (!ordinary.test(name)) return false
    const plain = fold(name)
    return (
      plain !== "" &&
      plain !== "head" &&
      !endings.has(plain) &&
      !isOwnName(plain, context) &&
      !holdsSecrets(plain) &&
      !Places.steers(plain)
    )
  }
}
