import * as fs from "node:fs"
import { ask, deny, type Verdict } from "../Verdict.ts"
import type { LinkedSecrets, PathContext } from "./PathContext.ts"
import { segments } from "./PathText.ts"
import { protectedVerdict } from "./Protected.ts"
import { hardLink } from "./ProtectedPlaces.ts"

/** Only direct entries of these directories are compared, at most this many of each. */
const keyrings = [".ssh", ".aws", ".gnupg", ".kube", ".azure", ".config/gcloud", ".config/gh", ".docker"]
const keys = [".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials"]
const maxEntries = 256

/** Entries of the roots that are looked at for secrets with several names. */
const maxLooks = 20_000

/** Directories of which package managers and builds link thousands of files, and which hold no secrets of the user's. */
const stores = new Set(
  "node_modules .pnpm-store .yarn site-packages target _build dist-newstyle .stack-work .git .cache".split(" ")
)

const isInStore = (path: string): boolean =>
  segments(path)
    .slice(0, -1)
    .some((name) => stores.has(name))

const entries = (directory: string): ReadonlyArray<string> => {
  try {
    return fs
      .readdirSync(directory)
      .slice(0, maxEntries)
      .map((name) => `${directory}/${name}`)
  } catch {
    return []
  }
}

const idOf = ({ dev, ino }: fs.BigIntStats): string => `${dev} ${ino}`

/** The id of a file, if it has several names. */
const linked = (path: string): string | undefined => {
  try {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined || stat.nlink < 2n ? undefined : idOf(stat)
  } catch {
    return undefined
  }
}

const linkedSecrets = (context: PathContext): LinkedSecrets => {
  const ids = new Set<string>()
  const waiting = [...context.roots]
  let looks = 0
  for (let directory = waiting.shift(); directory !== undefined; directory = waiting.shift()) {
    let found: ReadonlyArray<fs.Dirent>
    try {
      found = fs.readdirSync(directory, { withFileTypes: true })
    } catch {
      continue
    }
    looks += found.length
    if (looks > maxLooks) return { ids, partial: true }
    for (const entry of found) {
      const path = `${directory}/${entry.name}`
      if (entry.isDirectory()) {
        if (!stores.has(entry.name)) waiting.push(path)
      } else if (entry.isFile() && (protectedVerdict(path, "see", context)?.decision ?? "allow") !== "allow") {
        const id = linked(path)
        if (id !== undefined) ids.add(id)
      }
    }
  }
  return { ids, partial: false }
}

/** The same boundary for one call, which looks for secrets with several names once at most. */
export const forCall = (context: PathContext): PathContext => {
  let found: LinkedSecrets | undefined
  return { ...context, linkedSecrets: () => (found ??= linkedSecrets(context)) }
}

/** Whether a file with several names is, by one of the others, a key of the user or a record of ours. */
export const isLinkToProtected = (stat: fs.BigIntStats, context: PathContext): boolean => {
  if (!stat.isFile() || stat.nlink < 2n) return false
  const id = idOf(stat)
  const directories = [...keyrings.map((name) => `${context.home}/${name}`), ...context.stateDirs]
  const files = [...keys.map((name) => `${context.home}/${name}`), "/etc/shadow", "/etc/gshadow", "/etc/sudoers"]
  return [...files, ...directories.flatMap(entries)].some((path) => linked(path) === id)
}

/**
 * What is said of reading a file that has other names, or undefined where none of them is known to be protected. Of a root
 * that holds more than is looked at, only what package managers and builds link is read unasked.
 */
export const linkVerdict = (path: string, stat: fs.BigIntStats, context: PathContext): Verdict | undefined => {
  if (!stat.isFile() || stat.nlink < 2n) return undefined
  if (isLinkToProtected(stat, context)) return deny(hardLink, "it is another name of a protected file")
  const { ids, partial } = context.linkedSecrets?.() ?? linkedSecrets(context)
  if (ids.has(idOf(stat))) return ask(hardLink, "it is another name of a file that usually holds secrets")
  return partial && !isInStore(path)
    ? ask(hardLink, "it has other names, and one may be a file with secrets")
    : undefined
}
