// @effect-diagnostics globalTimers:off processEnv:off - the edge of a process that has to answer in time whatever happens
import * as Effect from "effect/Effect"
import { performance } from "node:perf_hooks"
import { appendSpooled } from "../audit/appendSpooled.ts"
import { systemReason } from "../system/errno.ts"
import type { Agent } from "./Agent.ts"
import { agentNamed, agents } from "./agents.ts"
import { type Payload, standardInput } from "./Payload.ts"
import { failed, type Response, respond, unjudged } from "./Response.ts"
import { conclude, refuse } from "./standardOutput.ts"

/** Milliseconds of a process after which a call is not waited for any longer; agents give a hook 15 seconds as it is installed. */
const deadline = 5000

/** What is answered, once what is to be taken down of it is safe; without that nothing is allowed. */
const recorded = (agent: Agent, { event, spool, spooled, stdout }: Response): string => {
  if (spool === undefined || spooled === undefined) return stdout
  try {
    appendSpooled(spool, spooled)
    return stdout
  } catch (error) {
    return spooled.entry.decision === "deny"
      ? stdout
      : failed(agent, `the audit cannot be written: ${systemReason(error)}.`, event)
  }
}

/** Answers the payload, exactly once, and ends the process. */
const answer = (agent: Agent, payload: Payload): void => {
  let isAnswered = false
  const finish = (response: () => Response): void => {
    if (isAnswered) return
    let text: string
    try {
      text = recorded(agent, response())
    } catch {
      return refuse("Tollgate failed, which is a bug in it.")
    }
    isAnswered = true
    conclude(text)
  }
  const fail = (why: string): void => finish(() => Effect.runSync(unjudged(agent, why, process.env)))
  const crashed = (): void => fail("Tollgate failed, which is a bug in it.")
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => fail("it was stopped."))
  process.on("uncaughtException", crashed)
  process.on("unhandledRejection", crashed)
  const late = (): void => fail(`there was no verdict within ${deadline / 1000} seconds.`)
  setTimeout(late, deadline - performance.now())
  // No timer runs while a long text is read: its verdict may come late, and only a denial counts then.
  const judged = (response: Response): void => {
    const isLate = performance.now() > deadline && response.spooled !== undefined
    if (isLate && response.spooled.entry.decision !== "deny") late()
    else finish(() => response)
  }
  payload.onRead((read) => {
    if ("problem" in read) return fail(read.problem)
    let directory = "/"
    try {
      directory = process.cwd()
    } catch {
      // It has been removed; most agents say where the call runs.
    }
    Effect.runFork(respond(agent, read.text, { env: process.env, directory })).addObserver((exit) =>
      exit._tag === "Success" ? judged(exit.value) : crashed()
    )
  })
}

/** Runs `tollgate hook NAME`; a name of no agent is refused, for an agent may have been told it. */
export const main = (name: string, payload: Payload = standardInput()): void => {
  const agent = agentNamed(name)
  if (agent === undefined) {
    const known = agents.map((one) => one.name).join(", ")
    return refuse(
      `unknown agent ${JSON.stringify(name.slice(0, 40))}; expected one of ${known}, or install, uninstall, status, collect.`
    )
  }
  answer(agent, payload)
}
