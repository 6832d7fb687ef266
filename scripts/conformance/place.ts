// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives real programs from outside
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

export const launcher = path.join(process.cwd(), "dist/tollgate.cjs")

/** A home of its own for the command, and a directory to work in. */
export interface Place {
  readonly work: string
  readonly env: Readonly<Record<string, string>>
  /** Adds a server and approves what it offers; `more` joins what the configuration says of it. */
  readonly add: (name: string, command: ReadonlyArray<string>, more?: object) => void
  readonly tollgate: (args: ReadonlyArray<string>) => string
}

export const place = (folder: string): Place => {
  const home = fs.mkdtempSync(path.join(folder, "home-"))
  const work = path.join(home, "work")
  fs.mkdirSync(work)
  const own = path.join(home, "tollgate")
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TOLLGATE_HOME: own }
  const tollgate = (args: ReadonlyArray<string>) =>
    execFileSync(process.execPath, [launcher, ...args], { cwd: work, env, encoding: "utf8" })
  return {
    work,
    env,
    tollgate,
    add: (name, command, more = {}) => {
      const file = path.join(own, "config.json")
      const before = fs.existsSync(file)
        ? (JSON.parse(fs.readFileSync(file, "utf8")) as { mcp?: { servers?: object } })
        : {}
      const servers = { ...before.mcp?.servers, [name]: { command, ...more } }
      fs.mkdirSync(own, { recursive: true })
      const gateway = { elicitation: "always" }
      fs.writeFileSync(file, JSON.stringify({ ...before, mcp: { ...before.mcp, gateway, servers } }))
      tollgate(["mcp", "trust", name, "--yes"])
    }
  }
}

/** A gateway that listens, and the token of its start. */
export interface RunningGateway {
  readonly port: number
  readonly token: string
  readonly stop: () => Promise<void>
}

export const gatewayOf = async (at: Place, args: ReadonlyArray<string>): Promise<RunningGateway> => {
  const child = spawn(process.execPath, [launcher, "mcp", "gateway", "--listen", "127.0.0.1:0", ...args], {
    cwd: at.work,
    env: at.env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const hear = (piece: Buffer) => {
      said += piece.toString()
      if (/kept in .*\n/.test(said)) resolve()
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.on("close", () => reject(new Error(said)))
  })
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(said)?.[1])
  const file = /kept in (.*)\n/.exec(said)?.[1] ?? ""
  const { token } = JSON.parse(fs.readFileSync(file, "utf8")) as { token: string }
  return {
    port,
    token,
    stop: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}
