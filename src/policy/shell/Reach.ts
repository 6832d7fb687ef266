import { normalise } from "./LexicalPath.ts"
import type { ShellContext } from "./ShellContext.ts"

/** Where a command may act. */
export interface Reach {
  /** Directories that it may be in: that of the call and those the text enters. */
  readonly directories: ReadonlyArray<string>
  readonly home: string
  /** Directories of the system and those that hold the home directory. */
  readonly system: ReadonlySet<string>
  /** Directories that are or hold that of the call or a root. */
  readonly workspace: ReadonlySet<string>
}

const systemDirectories = (
  "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /usr/bin /usr/lib " +
  "/usr/local /usr/local/bin /usr/local/lib /usr/sbin /usr/share /usr/include /usr/libexec /var /var/lib /var/log /var/spool  /Users /System /Library /Applications /Volumes /private /private/etc /private/var"
).split(" ")

/** A path and all directories above it. */
const upwards = (path: string): ReadonlyArray<string> => {
  const segments = normalise(path).slice(1).split("/")
  return ["/", ...segments.map((_, index) => `/${segments.slice(0, index + 1).join("/")}`)]
}

export const reachOf = (
  context: Pick<ShellContext, "cwd" | "home" | "roots">,
  directories: ReadonlyArray<string>
): Reach => ({
  directories,
  home: context.home,
  system: new Set([...systemDirectories, ...upwards(context.home)]),
  workspace: new Set([context.cwd, ...context.roots].flatMap(upwards))
})

/** Whether the last name of a pattern matches all, or all hidden, names of a directory. */
const isEveryName = (name: string): boolean =>
  name === "" || (name.includes("*") && (/^\.?[*?]+$/.test(name) || /^(?:\.\[|\[.*\]\*$)/.test(name)))

/** The directory all of whose names a pattern matches, or the path itself. */
const emptied = (path: string): string => {
  const names = path.split("/")
  let end = names.length
  while (end > 0 && isEveryName(names[end - 1]!)) end--
  return names.slice(0, end).join("/") || (path.startsWith("/") ? "/" : ".")
}

/** A pattern for what lies in the root. */
const rootPattern = /^\/+[^/]*[*?[]/

/** The directories of a target, `dir/*` counted as `dir`. */
export const placesOf = (target: string, reach: Reach): ReadonlyArray<string> => {
  if (target === "" || target.startsWith("-")) return []
  const path = /^[\w./-]+$/.test(target)
    ? target
    : emptied(
        target
          .replace(/^(?:~|\$HOME|\$\{HOME(?::?[-?=][^}]*)?\})(?=\/|$)/, reach.home)
          .replace(/^(?:\$PWD|\$\{PWD(?::?[-?=][^}]*)?\}|~\+)(?=\/|$)/, ".")
      )
  if (rootPattern.test(path)) return ["/"]
  return path.startsWith("/") ? [normalise(path)] : reach.directories.map((from) => normalise(`${from}/${path}`))
}

const isUsersHome = (target: string): boolean => target.startsWith("~") && /^~[a-z_][\w-]*\/?$/.test(target)

/** Whether a target is the root, a directory of the system or one that holds the home directory. */
export const isSystemDirectory = (target: string, reach: Reach): boolean =>
  isUsersHome(target) || placesOf(target, reach).some((path) => reach.system.has(path))

/** Whether a target is a system directory or the whole workspace. */
export const isVital = (target: string, reach: Reach): boolean =>
  isUsersHome(target) || placesOf(target, reach).some((path) => reach.system.has(path) || reach.workspace.has(path))
