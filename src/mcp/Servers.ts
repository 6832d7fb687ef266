import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { NetworkRules } from "../policy/network/NetworkRules.ts"
import type { Processes } from "../process/Processes.ts"
import { isReserved } from "../tool/reserved.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { McpServerChanged, trusted } from "../tool/ToolEvent.ts"
import { unfit } from "../gate/unfit.ts"
import { makeVisible } from "../text/visible.ts"
import type { DynamicTool } from "../tool/DynamicTool.ts"
import { Addressee, type Audience, patiently } from "./Audience.ts"
import type { Confine } from "./Surroundings.ts"
import { isProgram, type KnownServer } from "./KnownServer.ts"
import { NotApproved } from "./McpError.ts"
import type { Standing } from "./Pins.ts"
import * as ServerSlot from "./ServerSlot.ts"
import type { Run } from "./ServerTool.ts"
import type { TouchPolicy } from "./TouchPolicy.ts"
import type { ServerState } from "./StateFile.ts"
import * as Telling from "./Telling.ts"
import { qualified } from "./ToolName.ts"

/** The servers of a place, none of which has been started for being known. */
export interface Servers {
  readonly all: ReadonlyArray<ServerSlot.ServerSlot>
  /** The tools that are approved, by what the servers offered when they were last asked. */
  readonly tools: ReadonlyArray<DynamicTool>
  /** The calls that their prompts and resources are. */
  readonly parts: ReadonlyArray<DynamicTool>
  /** Whether a tool is no longer what was approved: models are not told of it. */
  readonly isWithdrawn: (tool: string) => boolean
  /** What of the servers cannot be used, and why. */
  readonly problems: ReadonlyArray<string>
  /** Tells of what changes while they run, until the returned function is called. */
  readonly follow: (hear: (news: ServerNews) => void) => () => void
}

/** What has changed at a server: a list of what it offers, or a resource that is watched. */
export type ServerNews =
  | { readonly kind: "tools" }
  | { readonly kind: "prompts" }
  | { readonly kind: "resources" }
  | { readonly kind: "resource"; readonly server: string; readonly uri: string }

export const none: Servers = {
  all: [],
  tools: [],
  parts: [],
  isWithdrawn: () => false,
  problems: [],
  follow: () => () => {}
}

export interface ServersOptions {
  readonly known: ReadonlyArray<KnownServer>
  readonly state: (server: KnownServer) => ServerState
  /** Where programs run. */
  readonly directory: string
  /** The whole environment that every program gets. */
  readonly environment: Readonly<Record<string, string>>
  /** The user's own, of which a server gets what is configured. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly processes: Effect.Effect<Processes["Type"]>
  readonly confine: Confine
  /** What addresses may be asked for a login. */
  readonly network: NetworkRules
  /** What no tool may touch, and what is asked about. */
  readonly policy: TouchPolicy
}

/** Sessions whose calls have been told of changes. */
const mostTold = 1000

/** What a slot has learned, for those who have not heard of it. */
interface News {
  version: number
  changes: ReadonlyArray<Pick<Standing, "kind" | "name" | "state">>
  /** The versions that sessions have heard of. */
  readonly told: Map<string, number>
}

const summary = (all: ReadonlyArray<Standing>) => all.map(({ kind, name, state }) => ({ kind, name, state }))

/** Changes that one event names. */
const mostNamed = 100

/** Makes the servers of a place; those that were started end with the scope. */
export const make = ({
  confine,
  directory,
  environment,
  known,
  network,
  policy,
  processes,
  state,
  variables
}: ServersOptions): Effect.Effect<Servers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const used = known.filter(({ server }) => server.disabled !== true)
    if (used.length === 0) return none
    const { make: makeTool } = yield* Effect.promise(() => import("./ServerTool.ts"))
    const { make: makeParts } = yield* Effect.promise(() => import("./PartTools.ts"))
    const withdrawn = new Set<string>()
    const problems: Array<string> = []
    const tools = new Map<string, DynamicTool>()
    const all: Array<ServerSlot.ServerSlot> = []
    const followers = new Set<(news: ServerNews) => void>()
    const announce = (news: ServerNews) => {
      for (const hear of followers) hear(news)
    }
    const needsProcesses = used.some(({ server }) => isProgram(server))
    const spawning = needsProcesses ? yield* processes : undefined

    for (const server of used) {
      const news: News = { version: 0, changes: [], told: new Map() }
      let before: ReadonlyArray<Standing> = []
      const listed: ServerSlot.SlotOptions["listed"] = (now, outdated) =>
        Effect.sync(() => {
          const was = new Map(before.map(({ kind, name, state }) => [`${kind}:${name}`, state]))
          const changes = summary(now).filter(({ kind, name, state }) => was.get(`${kind}:${name}`) !== state)
          before = now
          const differs = (wanted: Standing["kind"]) => changes.some(({ kind }) => kind === wanted)
          const told = () => {
            if (differs("tool") || outdated.has("tools")) announce({ kind: "tools" })
            if (differs("prompt") || outdated.has("prompts")) announce({ kind: "prompts" })
            if (differs("template") || outdated.has("resources")) announce({ kind: "resources" })
          }
          for (const { kind, name, state } of now) {
            if (kind !== "tool") continue
            if (state === "approved") withdrawn.delete(qualified(server.name, name))
            else withdrawn.add(qualified(server.name, name))
          }
          if (changes.length > 0) {
            news.version++
            news.changes = changes.slice(0, mostNamed)
          }
          told()
        })
      const slot = yield* ServerSlot.make({
        known: server,
        state: state(server),
        surroundings: {
          confine,
          directory,
          environment,
          network,
          variable: (name) => Option.map(Option.fromNullable(variables[name]), (value) => Redacted.make(value)),
          // One that is no program needs none.
          processes: spawning as Processes["Type"]
        },
        listed,
        updated: (uri) => announce({ kind: "resource", server: server.name, uri })
      })
      all.push(slot)

      const tell = (call: ToolCall) =>
        Effect.suspend(() => {
          const { changes, told, version } = news
          if ((told.get(call.sessionId) ?? 0) === version) return Effect.void
          if (told.size >= mostTold) told.clear()
          told.set(call.sessionId, version)
          return call.sink.emit(
            new McpServerChanged({ callId: call.callId, tool: call.name, server: server.name, changes }, trusted)
          )
        })
      const run: Run = (wanted, params, call, hear) =>
        Effect.gen(function* () {
          const given = yield* Addressee
          const { connection } = yield* slot.acquire
          yield* tell(call)
          const now = yield* Effect.catchAll(slot.standings, () => Effect.succeed([]))
          const standing = now.find(({ kind, name }) => kind === "tool" && name === wanted.name)
          if (standing?.state !== "approved" || standing.digest !== wanted.digest) {
            const state =
              standing === undefined ? "unknown" : standing.state === "approved" ? "changed" : standing.state
            return yield* new NotApproved({ server: server.name, name: wanted.name, state })
          }
          const telling = Telling.make(hear, yield* Effect.runtime<never>())
          const audience: Audience = {
            ...patiently(call, given),
            hear: (progress) => {
              given.hear(progress)
              telling.add(progress)
            }
          }
          const asked = slot.during(
            connection.request(
              `tools/call ${wanted.name}`,
              (client, options, round) =>
                client.callTool({ name: wanted.name, arguments: { ...params }, ...round }, options),
              audience
            )
          )
          return yield* Effect.ensuring(asked, telling.end)
        })

      const standing = yield* Effect.either(slot.standings)
      if (standing._tag === "Left") {
        problems.push(standing.left.message)
        continue
      }
      before = standing.right
      const manifest = yield* Effect.orElseSucceed(slot.manifest, () => undefined)
      if (manifest === undefined) problems.push(`MCP server ${server.name} has never been asked what it offers.`)
      for (const { kind, name, now, state } of standing.right) {
        if (kind !== "tool" || state !== "approved" || now === undefined) continue
        const tool = makeTool(server, now, run, policy)
        const why = isReserved(tool.name)
          ? "its name is reserved"
          : tools.has(tool.name)
            ? "another one has its name"
            : unfit(tool)
        if (why === undefined) tools.set(tool.name, tool)
        else problems.push(makeVisible(`MCP server ${server.name}: ${name.slice(0, 80)} is left out: ${why}`))
      }
    }
    return {
      all,
      tools: [...tools.values()],
      parts: makeParts(all, policy),
      isWithdrawn: (tool) => withdrawn.has(tool),
      problems,
      follow: (hear) => {
        followers.add(hear)
        return () => void followers.delete(hear)
      }
    }
  })
