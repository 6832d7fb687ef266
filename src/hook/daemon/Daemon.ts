// @effect-diagnostics globalTimers:off - the edge of a process
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as net from "node:net"
import { performance } from "node:perf_hooks"
import { agentNamed } from "../agents.ts"
import { isData } from "../ForeignCall.ts"
import { maximumPayload } from "../Payload.ts"
import { isJudged, type Response, respond } from "../Response.ts"
import { type Asked, maximumMessage, placeOf } from "./Wire.ts"

/** Milliseconds without a call after which it ends. */
const idle = 5 * 60_000
/** Milliseconds between two looks at whether it is still wanted. */
const beat = 5000
/** Milliseconds that a hook may be silent for. */
const patience = 5000
/** Calls after which another one takes over. */
const most = 10_000
const maximumConnections = 64

/** What a hook asks, if it stands where the daemon stands; a hook that stands elsewhere judges by itself. */
const asked = (text: string, place: string): Asked | undefined => {
  const data: unknown = JSON.parse(text)
  if (!isData(data) || data["place"] !== place || !isData(data["env"])) return undefined
  const { agent, directory, payload } = data
  const isWhole = typeof agent === "string" && typeof directory === "string" && typeof payload === "string"
  return isWhole && Buffer.byteLength(payload) <= maximumPayload ? (data as unknown as Asked) : undefined
}

/** What is answered to a hook; it takes that down and prints it itself, so that nothing happens here. */
const answered = ({ agent: name, directory, env, payload }: Asked): Effect.Effect<Response> | undefined => {
  const agent = agentNamed(name)
  return agent && respond(agent, payload, { env, directory })
}

/** What tells a file from all others: its number alone is given to the next file once it is removed. */
const identityOf = (file: string): string | undefined => {
  const found = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino} ${found.ctimeNs}`
}

/** Judges calls for hooks that would take longer to start than to judge, at a socket of its user, for as long as calls come. */
export const listen = (file: string): void => {
  const place = placeOf()
  process.chdir("/")
  process.umask(0o177)
  let calls = 0
  let last = performance.now()
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const pieces: Array<Buffer> = []
    let size = 0
    socket.setTimeout(patience, () => socket.destroy())
    socket.on("error", () => socket.destroy())
    socket.on("data", (piece: Buffer) => {
      size += piece.length
      if (size > maximumMessage) socket.destroy()
      else pieces.push(piece)
    })
    socket.on("end", () => {
      last = performance.now()
      calls++
      const answer = Effect.suspend(() => {
        const found = asked(Buffer.concat(pieces).toString("utf8"), place)
        return (found && answered(found)) ?? Effect.fail("nobody to judge for")
      })
      Effect.runFork(answer).addObserver((exit) =>
        exit._tag === "Success" && isJudged(exit.value)
          ? void socket.end(JSON.stringify(exit.value))
          : void socket.destroy()
      )
    })
  })
  server.maxConnections = maximumConnections
  /** The socket that it has made; another in its place is another daemon's. */
  let own: string | undefined
  const isOwn = () => own !== undefined && identityOf(file) === own
  const end = (): never => {
    if (isOwn()) fs.rmSync(file, { force: true })
    return process.exit(0)
  }
  server.on("error", () => process.exit(1))
  server.listen(file, () => {
    own = identityOf(file)
  })
  setInterval(() => {
    const isWanted = isOwn() && calls < most && performance.now() - last < idle
    if (!isWanted) end()
  }, beat)
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, end)
}
