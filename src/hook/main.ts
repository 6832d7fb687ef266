// @effect-diagnostics globalTimers:off processEnv:off - the edge of a process that has to answer in time whatever happens
import * as Effect from "effect/Effect"
import { isUtf8 } from "node:buffer"
import * as fs from "node:fs"
import { append } from "../audit/AuditSpool.ts"
import { errnoOf, systemReason } from "../system/errno.ts"
import type { Agent } from "./Agent.ts"
import { agentNamed, agents } from "./agents.ts"
import { failed, maximumPayload, type Response, respond, unjudged } from "./Response.ts"

/** Milliseconds after which a call is not waited for any longer; agents give a hook 15 seconds as it is installed. */
const deadline = 5000

/** What is answered, once what is to be taken down of it is safe; without that nothing is allowed. */
const recorded = (agent: Agent, { event, spool, spooled, stdout }: Response): string => {
  if (spool === undefined || spooled === undefined) return stdout
  try {
    append(spool, spooled)
    return stdout
  } catch (error) {
    return spooled.entry.decision === "deny"
      ? stdout
      : failed(agent, `the audit cannot be written: ${systemReason(error)}.`, event)
  }
}

/** Whether a descriptor leads nowhere: Node opens the null device in place of one that was closed. */
const isNowhere = (descriptor: number): boolean => {
  const found = fs.fstatSync(descriptor)
  return found.isCharacterDevice() && found.rdev === fs.statSync("/dev/null").rdev
}

/** Writes all of a text; why it could not, if so. */
const print = (text: string): string | undefined => {
  const bytes = Buffer.from(text)
  try {
    if (bytes.length > 0 && isNowhere(1)) return "standard output is closed"
  } catch (error) {
    return systemReason(error)
  }
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at)
    } catch (error) {
      if (errnoOf(error) !== "EAGAIN") return systemReason(error)
    }
  }
  return undefined
}

/** Ends the process in the way that every agent takes for a denial. */
const refuse = (why: string): never => {
  try {
    fs.writeSync(2, `tollgate: The call is denied: ${why}\n`)
  } catch {
    // Nobody is there to be told.
  }
  return process.exit(2)
}

/**
 * Answers the payload on standard input, exactly once, and ends the process with 0: agents take most other codes, and most of what is
 * no answer, for leave to go on. Where no answer can be written it ends with 2, which they take for a denial.
 */
const answer = (agent: Agent): void => {
  let isAnswered = false
  const conclude = (text: string): void => {
    if (isAnswered) return
    isAnswered = true
    const unwritten = print(text)
    if (unwritten !== undefined) refuse(`its answer cannot be written: ${unwritten}.`)
    process.exit(0)
  }
  const fail = (why: string): void => {
    if (isAnswered) return
    try {
      conclude(recorded(agent, Effect.runSync(unjudged(agent, why, process.env))))
    } catch {
      refuse("Tollgate failed, which is a bug in it.")
    }
  }
  const finish = (response: Response): void => {
    try {
      conclude(recorded(agent, response))
    } catch {
      refuse("Tollgate failed, which is a bug in it.")
    }
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => fail("it was stopped."))
  process.on("uncaughtException", () => fail("Tollgate failed, which is a bug in it."))
  process.on("unhandledRejection", () => fail("Tollgate failed, which is a bug in it."))
  setTimeout(() => fail(`there was no verdict within ${deadline / 1000} seconds.`), deadline)
  const pieces: Array<Buffer> = []
  let size = 0
  process.stdin.on("error", () => fail("its payload cannot be read."))
  process.stdin.on("data", (piece: Buffer) => {
    size += piece.length
    if (size > maximumPayload) return fail(`its payload is larger than ${maximumPayload / 1024 / 1024} MiB.`)
    pieces.push(piece)
  })
  process.stdin.on("end", () => {
    const bytes = Buffer.concat(pieces)
    if (!isUtf8(bytes)) return fail("its payload is not UTF-8.")
    const payload = bytes.toString("utf8")
    let directory = "/"
    try {
      directory = process.cwd()
    } catch {
      // It has been removed; most agents say where the call runs.
    }
    Effect.runFork(respond(agent, payload, { env: process.env, directory })).addObserver((exit) =>
      exit._tag === "Success" ? finish(exit.value) : fail("Tollgate failed, which is a bug in it.")
    )
  })
}

/** Runs `tollgate hook NAME`; a name of no agent is refused, for an agent may have been told it. */
export const main = (name: string): void => {
  const agent = agentNamed(name)
  if (agent === undefined) {
    const known = agents.map((one) => one.name).join(", ")
    return refuse(
      `unknown agent ${JSON.stringify(name.slice(0, 40))}; expected one of ${known}, or install, uninstall, status, collect.`
    )
  }
  answer(agent)
}
