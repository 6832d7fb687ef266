// @effect-diagnostics globalTimers:off processEnv:off - the edge of a process that has to answer in time whatever happens
import * as fs from "node:fs"
import * as net from "node:net"
import { appendSpooled } from "../../audit/appendSpooled.ts"
import { errnoOf } from "../../system/errno.ts"
import { type Payload, standardInput } from "../Payload.ts"
import type { Response } from "../Response.ts"
import { conclude } from "../standardOutput.ts"
import { type Asked, maximumMessage, placeOf } from "./Wire.ts"

/** Milliseconds that the daemon is waited for, and before that the payload. */
const patience = 2000

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

/** An answer of the daemon, whole and of its form. */
const responseOf = (text: string): Response => {
  const response = JSON.parse(text) as Response
  if (typeof response.stdout !== "string") throw new Error("no answer")
  return response
}

/**
 * Has the daemon at a socket judge the call, takes it down and answers. Whatever goes wrong with that, `judge` does it in this process,
 * as if there were no daemon.
 */
export const ask = (file: string, agent: string, judge: (payload: Payload) => void): void => {
  const socket = new net.Socket()
  const payload = standardInput()
  let isOver = false
  const alone = (): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    socket.destroy()
    for (const signal of signals) process.off(signal, stopped)
    process.off("uncaughtException", alone)
    judge(payload)
  }
  const stopped = (signal: NodeJS.Signals): void => {
    alone()
    process.emit(signal, signal)
  }
  for (const signal of signals) process.on(signal, stopped)
  process.on("uncaughtException", alone)
  /** One that does not answer, or has left its socket behind, is in the way of the next. */
  const forget = (): void => {
    fs.rmSync(file, { force: true })
    alone()
  }
  let timer = setTimeout(alone, patience)
  const pieces: Array<Buffer> = []
  let size = 0
  socket.on("error", (error) => (errnoOf(error) === "ECONNREFUSED" ? forget() : alone()))
  socket.on("data", (piece: Buffer) => {
    size += piece.length
    if (size > maximumMessage) alone()
    else pieces.push(piece)
  })
  socket.on("close", () => {
    if (isOver) return
    try {
      const { spool, spooled, stdout } = responseOf(Buffer.concat(pieces).toString("utf8"))
      if (spool !== undefined && spooled !== undefined) appendSpooled(spool, spooled)
      isOver = true
      conclude(stdout)
    } catch {
      alone()
    }
  })
  payload.onRead((read) => {
    if (isOver) return
    if ("problem" in read) return alone()
    const { env } = process
    const asked: Asked = { place: placeOf(), agent, payload: read.text, env: { ...env }, directory: process.cwd() }
    socket.end(JSON.stringify(asked))
    clearTimeout(timer)
    timer = setTimeout(forget, patience)
  })
  socket.connect(file)
}
