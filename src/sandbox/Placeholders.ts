import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { pause } from "../process/RealClock.ts"
import { errnoOf } from "../system/errno.ts"
import { isGone } from "../system/Temporary.ts"
import type { Absent, View } from "./Plan.ts"
import { look, system } from "./Plan.ts"

/**
 * Empty files and directories for protected paths that do not exist, since only what exists can be mounted. All commands of
 * all processes of a user share one; it goes with the last, because removing it would unmount it for the others.
 *
 * For each path there is a directory with one entry for each command that uses it, and beside it the number of the inode
 * that was made. Who leaves says so first and then removes that directory, which works only where it is empty; who comes enters
 * it first and then waits until nobody is leaving. So one of the two sees the other.
 */
export interface Placeholders {
  /** The file system without the placeholders. */
  readonly view: View
  /** Makes what is absent and holds it until the scope ends. */
  readonly hold: (absent: ReadonlyArray<Absent>) => Effect.Effect<void, PlaceholderFailed, Scope.Scope>
}

/** The system's code, e.g. `EACCES`, of what kept a placeholder from being held. */
export class PlaceholderFailed {
  readonly _tag = "PlaceholderFailed"
  readonly code: string
  constructor(code: string) {
    this.code = code
  }
}

const user = process.getuid?.() ?? 0

/** The same for all processes of a user, whatever their environment. */
const usual = `/tmp/tollgate-sandbox-${user}`

/** Whether it worked; what was thrown must have one of these codes otherwise. */
const attempt = (run: () => void, ...codes: ReadonlyArray<string>): boolean => {
  try {
    run()
    return true
  } catch (error) {
    if (codes.includes(errnoOf(error))) return false
    throw error
  }
}

const owned = (place: string): void => {
  attempt(() => fs.mkdirSync(place, { mode: 0o700 }), "EEXIST")
  const entry = fs.lstatSync(place)
  if (!entry.isDirectory() || entry.uid !== user) throw Object.assign(new Error(place), { code: "EPERM" })
}

/** Names of entries begin with the number of their process. */
const isDead = (name: string): boolean => isGone(Number.parseInt(name, 10))

const inodeOf = (place: string): string | undefined => {
  const entry = look(place)
  return typeof entry === "string" ? undefined : `${entry.dev}:${entry.ino}`
}

/** How long to wait between two looks at those that leave, and how many; leaving takes a few system calls. */
const glance = "5 millis"
const glances = 1000

export const make = (directory = usual): Placeholders => {
  const usersOf = (place: string): string =>
    path.join(directory, crypto.createHash("sha256").update(place).digest("hex").slice(0, 32))
  const noteOf = (place: string): string => `${usersOf(place)}.made`
  const made = (place: string): string | undefined => {
    try {
      return fs.readFileSync(noteOf(place), "utf8")
    } catch {
      return undefined
    }
  }
  const leaving = (place: string): ReadonlyArray<string> => {
    const stem = `${path.basename(usersOf(place))}.leaving-`
    return fs.readdirSync(directory).filter((name) => name.startsWith(stem) && !isDead(name.slice(stem.length)))
  }

  const enter = (place: string): string => {
    owned(directory)
    const entry = path.join(usersOf(place), `${process.pid}-${crypto.randomUUID()}`)
    const write = () => attempt(() => fs.writeFileSync(entry, "", { flag: "wx", mode: 0o600 }), "ENOENT")
    do attempt(() => fs.mkdirSync(usersOf(place), { mode: 0o700 }), "EEXIST")
    while (!write())
    return entry
  }
  const create = ({ kind, path: place }: Absent): void => {
    const step = () => (kind === "directory" ? fs.mkdirSync(place) : fs.writeFileSync(place, "", { flag: "wx" }))
    if (attempt(step, "EEXIST")) fs.writeFileSync(noteOf(place), inodeOf(place) ?? "", { mode: 0o600 })
  }
  /** What was made is removed, unless somebody has put something into its place. */
  const remove = ({ kind, path: place }: Absent): void => {
    const mine = made(place)
    if (mine === undefined) return
    if (inodeOf(place) === mine) {
      if (kind === "directory") attempt(() => fs.rmdirSync(place), "ENOTEMPTY", "EEXIST", "ENOTDIR", "ENOENT")
      else if (fs.lstatSync(place).size === 0) fs.unlinkSync(place)
    }
    fs.rmSync(noteOf(place), { force: true })
  }
  const leave = (absent: Absent, entry: string): void => {
    const users = usersOf(absent.path)
    const notice = `${users}.leaving-${process.pid}-${crypto.randomUUID()}`
    fs.writeFileSync(notice, "", { flag: "wx", mode: 0o600 })
    try {
      fs.rmSync(entry, { force: true })
      attempt(() => {
        for (const name of fs.readdirSync(users)) if (isDead(name)) fs.rmSync(path.join(users, name), { force: true })
      }, "ENOENT")
      if (attempt(() => fs.rmdirSync(users), "ENOTEMPTY", "EEXIST", "ENOENT")) remove(absent)
    } finally {
      fs.rmSync(notice, { force: true })
    }
  }

  const attempted = <A>(run: () => A): Effect.Effect<A, PlaceholderFailed> =>
    Effect.try({ try: run, catch: (error) => new PlaceholderFailed(errnoOf(error)) })
  const alone = (place: string, left = glances): Effect.Effect<void, PlaceholderFailed> =>
    Effect.flatMap(
      attempted(() => leaving(place).length === 0),
      (free) =>
        free
          ? Effect.void
          : left === 0
            ? Effect.fail(new PlaceholderFailed("ETIMEDOUT"))
            : Effect.zipRight(pause(glance), alone(place, left - 1))
    )
  const take = (absent: Absent) =>
    Effect.acquireRelease(
      attempted(() => enter(absent.path)),
      (entry) => Effect.ignore(attempted(() => leave(absent, entry)))
    ).pipe(Effect.zipRight(alone(absent.path)), Effect.zipRight(attempted(() => create(absent))))

  /** Whether a placeholder could be there. */
  const isUsed = (place: string): boolean => {
    try {
      const mine = made(place)
      if (mine !== undefined) return mine === inodeOf(place)
      return fs.existsSync(usersOf(place)) || leaving(place).length > 0
    } catch {
      return false
    }
  }
  /** What was there before and after a look at who uses it was there during that look. */
  const kind = (place: string): ReturnType<View["kind"]> => {
    const before = inodeOf(place)
    if (before === undefined) return look(place) === "closed" ? "closed" : "absent"
    if (isUsed(place)) return "absent"
    return inodeOf(place) === before ? system.kind(place) : kind(place)
  }

  return {
    view: { ...system, kind },
    hold: (absent) => Effect.forEach(absent, take, { discard: true })
  }
}

const { view } = make()

/** Whether a path is there for commands in a sandbox alone, of whatever process, or is there no more. */
export const isPlaceholder = (place: string): boolean => view.kind(place) === "absent"
