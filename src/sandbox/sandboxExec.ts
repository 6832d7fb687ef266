import type { ProcessCommand } from "../process/ProcessCommand.ts"
import type { Plan } from "./Plan.ts"
import { within } from "./Plan.ts"

/** Fixed rules: what any program needs to start, and none of the services through which it could leave. */
const base = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read*)
(allow file-ioctl (literal "/dev/null"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read*)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.trustd")
  (global-name "com.apple.trustd.agent"))`

const networked = `(allow network*)
(allow system-socket)
(allow mach-lookup (global-name "com.apple.dnssd.service") (global-name "com.apple.SystemConfiguration.configd"))`

/** Directories that could be renamed away, and something protected with them. */
const above = (plan: Plan): ReadonlyArray<string> => {
  const roots = plan.writable.filter((root) => plan.readOnly.some((place) => within(root, place)))
  return [...roots, ...plan.pinned]
}

interface Profile {
  readonly text: string
  /** `NAME=path`; paths are parameters and never read as rules. */
  readonly parameters: ReadonlyArray<string>
}

const rule = (operation: string, filters: string): ReadonlyArray<string> =>
  filters === "" ? [] : [`(${operation}${filters})`]

/** The rules for a plan; of two that fit, the later one holds. */
const profile = (plan: Plan, network: boolean): Profile => {
  const parameters: Array<string> = []
  const list = (prefix: string, filter: "subpath" | "literal", paths: ReadonlyArray<string>): string =>
    paths
      .map((place, index) => {
        parameters.push(`${prefix}${index}=${place}`)
        return ` (${filter} (param "${prefix}${index}"))`
      })
      .join("")
  const hidden = plan.hidden.map(({ path }) => path)
  const lines = [
    base,
    ...(network ? [networked] : []),
    ...rule("allow file-write*", list("WRITABLE", "subpath", plan.writable)),
    ...rule("deny file-write*", list("PROTECTED", "subpath", plan.readOnly)),
    ...rule("deny file-write-unlink", list("ABOVE", "literal", above(plan))),
    ...rule("deny file-read* file-write*", list("HIDDEN", "subpath", hidden))
  ]
  return { text: lines.join("\n"), parameters }
}

/** macOS' own sandbox. Its rules are about paths, so what they protect need not exist. */
export const sandboxExec = (command: ProcessCommand, plan: Plan, network: boolean): ProcessCommand => {
  const { text, parameters } = profile(plan, network)
  return {
    ...command,
    file: "/usr/bin/sandbox-exec",
    args: ["-p", text, ...parameters.flatMap((one) => ["-D", one]), "--", command.file, ...command.args]
  }
}
