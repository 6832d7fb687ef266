import * as fs from "node:fs"

/** What a hook asks the daemon: one JSON text per connection, whose end is the end of what the hook sends. */
export interface Asked {
  readonly place: string
  readonly agent: string
  readonly payload: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory: string
}

/** Bytes of what is asked, and of what is answered. */
export const maximumMessage = 32 * 1024 * 1024

/** Namespaces by which one path, user or address is another for another process. */
const namespaces = ["mnt", "user", "net"]
/** Lines of `/proc/self/status` that say what the process may do. */
const rights = /^(?:Uid|Gid|Groups|CapEff|NoNewPrivs|Seccomp):.*$/gm

const attempt = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ""
  }
}

/**
 * Where a process stands: its program, its root directory, its namespaces and its rights. Two with the same see the same files under
 * the same paths, so that one can judge for the other.
 */
export const placeOf = (): string => {
  const { dev, ino } = fs.statSync("/")
  return [
    process.version,
    process.geteuid?.(),
    dev,
    ino,
    ...namespaces.map((name) => attempt(() => fs.readlinkSync(`/proc/self/ns/${name}`))),
    ...(attempt(() => fs.readFileSync("/proc/self/status", "utf8")).match(rights) ?? []),
    attempt(() => fs.readFileSync("/proc/self/attr/current", "utf8"))
  ].join("\n")
}
