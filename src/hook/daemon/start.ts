// @effect-diagnostics globalDate:off - compares with the time of a file
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/** Milliseconds between two attempts. */
const again = 60_000

/** The flag of a descriptor that is closed when another program starts, as all of Node's own are. */
const closesOnExec = 0o2000000

/** Closes what an agent has left open for this process without a word, like a lock, which the daemon would hold after it. */
const closeInherited = (): void => {
  if (process.platform !== "linux") return
  for (const name of fs.readdirSync("/proc/self/fd")) {
    const place = `/proc/self/fdinfo/${name}`
    if (Number(name) <= 2 || !fs.existsSync(place)) continue
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(fs.readFileSync(place, "utf8")) ?? []
    if (flags !== undefined && (parseInt(flags, 8) & closesOnExec) === 0) fs.closeSync(Number(name))
  }
}

/** Starts a daemon that listens at a socket, at the end of a process and with nothing of it; at most one a minute. */
export const start = (socket: string, launcher: string): void => {
  const tried = `${socket}.tried`
  const status = fs.statSync(tried, { throwIfNoEntry: false })
  if (status !== undefined && Date.now() - status.mtimeMs < again) return
  fs.writeFileSync(tried, "", { mode: 0o600 })
  closeInherited()
  // What is set for one agent, like NODE_OPTIONS, must not count for the hooks of others.
  const env = { TOLLGATE_CACHE: path.dirname(path.dirname(socket)) }
  spawn(process.execPath, [launcher, "hook", "daemon"], { detached: true, env, stdio: "ignore" }).unref()
}
