import {
  type McpServer,
  methods,
  type SessionUpdate,
  type ToolCallContent,
  type ToolCallStatus
} from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Audit } from "../audit/Audit.ts"
import { approveServer } from "../host/approveServer.ts"
import { foreignServer } from "../mcp/ForeignServers.ts"
import { identityOf, isProgram, type KnownServer } from "../mcp/KnownServer.ts"
import { stampIn } from "../mcp/ProgramState.ts"
import type { ServerSlot } from "../mcp/ServerSlot.ts"
import type { ServerState } from "../mcp/StateFile.ts"
import { commandWords, definitionDiff, offerWords, standingWords, variableWords } from "../ui/serverWords.ts"
import { makeVisible, visibleLine } from "../text/visible.ts"
import { type Editor, malformed } from "./Editor.ts"
import { fenced, said } from "./fenced.ts"
import { outcomeOf } from "./Permission.ts"

/** Servers that an editor may name for a session. */
const mostServers = 64

/** The name of a server of an editor, as names of servers are here. */
const nameFrom = (given: string): string =>
  given
    .replaceAll(/[^A-Za-z0-9_-]+/gu, "-")
    .replaceAll(/_{2,}/g, "_")
    .replace(/^[^A-Za-z]+/, "")
    .slice(0, 31)
    .replace(/[_-]+$/, "")

const values = (entries: ReadonlyArray<{ readonly name: string; readonly value: string }> = []) =>
  Object.fromEntries(entries.map(({ name, value }) => [name, value]))

/** An entry as the configurations of other programs spell it; nothing of a transport that is not used. */
const entryOf = (server: McpServer): object | undefined => {
  if (!("type" in server)) return { command: server.command, args: server.args, env: values(server.env) }
  return server.type === "http" && "url" in server
    ? { url: server.url, headers: values(server.headers as ReadonlyArray<{ name: string; value: string }>) }
    : undefined
}

/** The servers that an editor names, and which of them cannot be used. */
export interface NamedByEditor {
  readonly servers: ReadonlyArray<KnownServer>
  readonly problems: ReadonlyArray<string>
}

/** What an editor names; servers of the same name in the configuration take its place. */
export const namedBy = (given: ReadonlyArray<McpServer>, configured: ReadonlyArray<KnownServer>): NamedByEditor => {
  const servers: Array<KnownServer> = []
  const problems: Array<string> = []
  for (const server of given.slice(0, mostServers)) {
    const name = nameFrom(server.name)
    if (configured.some((one) => one.name === name)) continue
    const entry = entryOf(server)
    const found =
      entry === undefined
        ? Either.left("its transport is not supported")
        : servers.some((one) => one.name === name)
          ? Either.left("another one has its name")
          : foreignServer(name, entry)
    if (Either.isLeft(found))
      problems.push(`MCP server ${visibleLine(server.name).slice(0, 80)} of the editor is not used: ${found.left}.`)
    else servers.push({ name, origin: "editor", server: found.right.server, given: found.right.given })
  }
  if (given.length > mostServers) problems.push(`Of the MCP servers of the editor, the first ${mostServers} are used.`)
  return { servers, problems }
}

export interface SettlingOptions {
  readonly session: string
  readonly editor: Editor
  readonly state: (server: KnownServer) => ServerState
  /** What the person does not want in this session, which is not asked about again. */
  readonly left: Set<string>
  /** Says something beside the conversation. */
  readonly remark: (text: string) => Effect.Effect<void>
}

const options = [
  { optionId: "use", name: "Approve", kind: "allow_always" },
  { optionId: "leave", name: "Do not use it", kind: "reject_once" }
] as const

/** What became of a question: taken back by the editor, it is asked again. */
export type Settled = "settled" | "cancelled"

/**
 * Asks the person about each server that is not approved yet, or offers something else by now, and approves what it offers.
 * A server is not started before it was approved once. True is given where something new can be used.
 */
export const settle = (
  slots: ReadonlyArray<ServerSlot>,
  { editor, left, remark, session, state }: SettlingOptions
): Effect.Effect<{ readonly outcome: Settled; readonly approved: boolean }, never, Audit> =>
  Effect.gen(function* () {
    let approved = false
    for (const slot of slots) {
      const { known } = slot
      const { pins, project } = state(known)
      const pinned = yield* Effect.orElseSucceed(pins.read, () => undefined)
      const stamp = stampIn(project, known)
      const isKnown = pinned?.identity === identityOf(known) && pinned.programs?.[project] === stamp
      const standings = isKnown ? yield* Effect.orElseSucceed(slot.standings, () => []) : []
      const differing = standings.filter((one) => one.state !== "approved")
      const asking = [known.name, identityOf(known), stamp, ...differing.map(({ digest }) => digest)].join(" ")
      if ((isKnown && differing.length === 0) || left.has(asking)) continue
      const lines = isKnown
        ? [
            `It offers something else than you approved: ${standingWords(standings)}.`,
            ...differing.map(definitionDiff),
            "Approve what it offers now?"
          ]
        : [
            isProgram(known.server) ? "It is this program, which runs with your rights:" : "It is reached at:",
            `  ${commandWords(known)}`,
            ...variableWords(known).map((name) => `  gets ${name}`),
            "Start it, and approve the tools that it offers now? Each call is still asked about as your rules say."
          ]
      const toolCallId = `mcp-server-${known.name}`
      const title = makeVisible(`Use MCP server ${known.name} of your editor`)
      const content: Array<ToolCallContent> = [said(fenced(makeVisible(lines.join("\n"))))]
      const call = { toolCallId, title, kind: "other", content } as const
      const tell = (update: SessionUpdate) => editor.update(session, update)
      yield* tell({ sessionUpdate: "tool_call", status: "pending", ...call })
      const end = (status: ToolCallStatus, text: string) =>
        tell({
          sessionUpdate: "tool_call_update",
          toolCallId,
          status,
          content: [...content, said(fenced(makeVisible(text)))]
        })
      const asked = yield* Effect.either(
        editor.permission({
          sessionId: session,
          toolCall: { ...call, status: "pending" },
          options: options.map((option) => ({ ...option }))
        })
      ).pipe(Effect.onInterrupt(() => end("failed", "not answered")))
      const answer = Either.isRight(asked) ? outcomeOf(asked.right) : undefined
      if (answer?.outcome === "cancelled") {
        yield* end("failed", "not answered")
        return { outcome: "cancelled", approved }
      }
      if (answer?.optionId === "leave") {
        left.add(asking)
        yield* end("failed", "not used")
        continue
      }
      if (answer?.optionId !== "use") {
        const { message } = Either.isLeft(asked) ? asked.left : malformed(methods.client.session.requestPermission)
        yield* end("failed", message)
        yield* remark(`MCP server ${known.name} is not used yet: ${message}. You are asked again with the next prompt.`)
        continue
      }
      const done = yield* slot.refresh.pipe(
        Effect.tap((manifest) => approveServer(known, state(known), manifest)),
        Effect.zipRight(slot.standings),
        Effect.either
      )
      if (Either.isLeft(done)) {
        yield* end("failed", done.left.message)
        yield* remark(makeVisible(done.left.message))
        continue
      }
      approved = true
      yield* end("completed", `approved: ${offerWords(done.right)}`)
    }
    return { outcome: "settled", approved }
  })
