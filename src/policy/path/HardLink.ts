import * as fs from "node:fs"
import type { PathContext } from "./PathContext.ts"

/** Only what lies directly in these directories is compared, at most so many entries of each. */
const keyrings = [".ssh", ".aws", ".gnupg", ".kube", ".azure", ".config/gcloud", ".config/gh", ".docker"]
const keys = [".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials"]
const maxEntries = 256

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

const isSame = (path: string, stat: fs.BigIntStats): boolean => {
  try {
    const other = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return other !== undefined && other.dev === stat.dev && other.ino === stat.ino
  } catch {
    return false
  }
}

/**
 * Whether a file with several names is, by one of the others, a key of the user or a record of ours. A link to anything
 * else cannot be told from an ordinary file (package managers link thousands), and is read like one.
 */
export const isLinkToProtected = (stat: fs.BigIntStats, context: PathContext): boolean => {
  if (!stat.isFile() || stat.nlink < 2n) return false
  const directories = [...keyrings.map((name) => `${context.home}/${name}`), ...context.stateDirs]
  const files = [...keys.map((name) => `${context.home}/${name}`), "/etc/shadow", "/etc/gshadow", "/etc/sudoers"]
  return [...files, ...directories.flatMap(entries)].some((path) => isSame(path, stat))
}
