// @effect-diagnostics asyncFunction:off newPromise:off globalTimers:off - a client of a real process
import {
  type AnyMessage,
  client,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  methods,
  ndJsonStream,
  type ReadTextFileResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate
} from "@agentclientprotocol/sdk"
import { assert } from "@effect/vitest"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import * as fs from "node:fs"
import { Readable, Writable } from "node:stream"
import type { Place } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { problemsIn } from "./Protocol.ts"
import { FakeTerminals } from "./terminal/FakeTerminals.ts"

/** What a headless editor does when it is asked. */
export interface Behaviour {
  readonly capabilities?: ClientCapabilities
  readonly args?: ReadonlyArray<string>
  /** The option that is chosen; `cancelled`, or nothing for one that never answers. */
  readonly permission?: (request: RequestPermissionRequest) => string | undefined | Promise<string | undefined>
  readonly form?: (request: CreateElicitationRequest) => CreateElicitationResponse
  /** The text of a file as it has it, nothing where it has none, or a promise of it that may never be kept. */
  readonly read?: (path: string) => string | undefined | Promise<string>
  /** What it answers instead of a text, whatever it is. */
  readonly readAs?: { readonly answer: unknown }
  /** Writes a file; it is written to the disk if unset. */
  readonly write?: (path: string, content: string) => void | Promise<void>
  /** The terminals that it has; none if unset, and then it says so. */
  readonly terminals?: FakeTerminals
}

/** A kind of update, by its discriminant. */
export type Kind = SessionUpdate["sessionUpdate"]
export type Of<K extends Kind> = Extract<SessionUpdate, { sessionUpdate: K }>

export interface Connected {
  readonly agent: ClientContext
  readonly child: ChildProcessWithoutNullStreams
  readonly updates: ReadonlyArray<SessionNotification>
  readonly permissions: ReadonlyArray<RequestPermissionRequest>
  /** What it was asked to do with files, in order. */
  readonly asked: ReadonlyArray<string>
  readonly stdout: () => string
  readonly stderr: () => string
  /** The updates of a kind so far. */
  readonly of: <K extends Kind>(kind: K, session?: string) => ReadonlyArray<Of<K>>
  /** What was said in a session. */
  readonly said: (session: string) => string
  /** Resolves once this holds of what has come. */
  readonly until: (holds: () => boolean) => Promise<void>
  readonly ended: Promise<number | null>
  /** What the schema of the protocol has against what was received. */
  readonly problems: ReadonlyArray<string>
  /** Begins anew with another behaviour, and nothing that it has received. */
  readonly behave: (behaviour: Behaviour) => void
  /** Closes standard input and waits for the end of the process. */
  readonly close: () => Promise<number | null>
}

/** Starts the command and initializes the connection. */
export const connect = async (at: Place, behaviour: Behaviour = {}): Promise<Connected> => {
  const { args = [] } = behaviour
  const capabilities = { terminal: behaviour.terminals !== undefined, ...behaviour.capabilities }
  const behaves = ({
    form,
    permission = () => "once",
    read = () => undefined,
    readAs,
    terminals = new FakeTerminals(),
    write = (file, content) => fs.writeFileSync(file, content)
  }: Behaviour) => {
    terminals.changed = wake
    return { form, permission, read, readAs, terminals, write }
  }
  const asked: Array<string> = []
  const child = spawn(process.execPath, [await built(), "acp", ...args], { cwd: at.work, env: { ...at.env } })
  const updates: Array<SessionNotification> = []
  const permissions: Array<RequestPermissionRequest> = []
  const problems: Array<string> = []
  let stdout = ""
  let stderr = ""
  const waiting = new Set<() => void>()
  const wake = () => waiting.forEach((look) => look())
  let now = behaves(behaviour)
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
    wake()
  })
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString("latin1")))
  child.stdin.on("error", () => {})
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)))
  const app = client({ name: "headless" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params)
      const { update } = params
      for (const part of update.sessionUpdate === "tool_call_update" ? (update.content ?? []) : [])
        if (part.type === "terminal" && !now.terminals.has(part.terminalId))
          problems.push(`There is no terminal ${part.terminalId} to show.`)
      wake()
    })
    .onRequest(
      methods.client.session.requestPermission,
      async ({ params, signal }): Promise<RequestPermissionResponse> => {
        permissions.push(params)
        wake()
        const chosen = await now.permission(params)
        if (chosen === "cancelled") return { outcome: { outcome: "cancelled" } }
        if (chosen !== undefined) return { outcome: { outcome: "selected", optionId: chosen } }
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(RequestError.requestCancelled()), { once: true })
        )
      }
    )
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
      asked.push(`read ${params.path}`)
      wake()
      if (now.readAs !== undefined) return now.readAs.answer as ReadTextFileResponse
      const content = await now.read(params.path)
      if (content === undefined) throw RequestError.resourceNotFound(params.path)
      return { content }
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
      asked.push(`write ${params.path}`)
      wake()
      await now.write(params.path, params.content)
      return {}
    })
    .onRequest(methods.client.terminal.create, ({ params }) => now.terminals.create(params))
    .onRequest(methods.client.terminal.output, ({ params }) => now.terminals.output(params.terminalId))
    .onRequest(methods.client.terminal.waitForExit, ({ params }) => now.terminals.waitForExit(params.terminalId))
    .onRequest(methods.client.terminal.kill, async ({ params }) => {
      await now.terminals.kill(params.terminalId)
      return {}
    })
    .onRequest(methods.client.terminal.release, ({ params }) => {
      now.terminals.release(params.terminalId)
      return {}
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => now.form?.(params) ?? { action: "decline" })
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
  )
  const names = new Map<unknown, string>()
  const sent = stream.writable.getWriter()
  const checked = {
    readable: stream.readable.pipeThrough(
      new TransformStream<AnyMessage, AnyMessage>({
        transform: (message, to) => {
          problems.push(...problemsIn(message, names))
          to.enqueue(message)
        }
      })
    ),
    writable: new WritableStream<AnyMessage>({
      write: (message) => {
        if ("method" in message && "id" in message) names.set(message.id, message.method)
        return sent.write(message)
      }
    })
  }
  const connection = app.connect(checked)
  void connection.closed.then(wake)
  const { agent } = connection
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: capabilities })
  const of = <K extends Kind>(kind: K, session?: string) =>
    updates.flatMap(({ sessionId, update }) =>
      update.sessionUpdate === kind && (session === undefined || sessionId === session) ? [update as Of<K>] : []
    )
  return {
    agent,
    child,
    updates,
    permissions,
    asked,
    problems,
    stdout: () => stdout,
    stderr: () => stderr,
    of,
    said: (session) =>
      of("agent_message_chunk", session)
        .map(({ content }) => (content.type === "text" ? content.text : ""))
        .join(""),
    until: (holds) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const isOver = connection.signal.aborted
          if (!holds() && !isOver) return
          waiting.delete(look)
          if (holds()) resolve()
          else reject(new Error(`The connection is closed: ${stderr}`))
        }
        waiting.add(look)
        look()
      }),
    ended,
    behave: (next) => {
      now = behaves(next)
      for (const list of [updates, permissions, problems, asked]) list.length = 0
      stdout = ""
      stderr = ""
    },
    close: () => {
      child.stdin.end()
      return ended
    }
  }
}

/** Begins a session in a directory. */
export const begun = async ({ agent }: Connected, cwd: string): Promise<string> =>
  (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId

/** Sends a prompt and waits for the end of its turn. */
export const prompted = ({ agent }: Connected, sessionId: string, text: string) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })

/** The code that a request is refused with. */
export const refusal = async (request: Promise<unknown>): Promise<RequestError> => {
  try {
    await request
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
  return assert.fail("the request was not refused")
}
