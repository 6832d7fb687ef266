// @effect-diagnostics asyncFunction:off - also for tests of real processes
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { KnownServer } from "../../src/mcp/KnownServer.ts"
import type { McpServer } from "../../src/mcp/McpServer.ts"
import { approving } from "../../src/mcp/Pins.ts"
import * as Servers from "../../src/mcp/Servers.ts"
import * as StateFile from "../../src/mcp/StateFile.ts"
import { stateDirectory } from "../../src/mcp/stateDirectory.ts"
import * as TouchPolicy from "../../src/mcp/TouchPolicy.ts"
import * as PathContext from "../../src/policy/path/PathContext.ts"
import { webOf } from "../../src/host/webOf.ts"
import { environment } from "../../src/process/Environment.ts"
import { Processes } from "../../src/process/Processes.ts"
import type { CallEvent } from "../../src/gate/CallEvent.ts"
import type { Place } from "../cli/command.ts"

const fixture = path.resolve("test/fixtures/mcp/server.mjs")

/** A directory that is gone with the scope. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-mcp-")))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
)

/** A server that does what its plan says. */
export const planned = (at: string, name: string, plan: object, more: object = {}) => {
  const file = path.join(at, `${name}.plan.json`)
  const log = path.join(at, `${name}.log`)
  const put = (next: object) => fs.writeFileSync(file, JSON.stringify({ log, ...next }))
  put(plan)
  const server = { command: [process.execPath, fixture, file], ...more } as McpServer
  const known: KnownServer = { name, origin: "user", given: {}, server }
  const logged = () => (fs.existsSync(log) ? fs.readFileSync(log, "utf8").split("\n").slice(0, -1) : [])
  return { known, put, file, logged, started: () => logged().filter((line) => line.startsWith("started")).length }
}

export const tool = (name: string, x: object = {}, more: object = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object" },
  x,
  ...more
})

const ownState = (at: string) => (server: KnownServer) =>
  StateFile.stateOf(path.join(at, "state"), server, path.join(at, "work"))

/** The servers of a directory as a project has them. */
export const servers = (at: string, known: ReadonlyArray<KnownServer>, variables = {}, state = ownState(at)) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    return yield* Servers.make({
      known,
      state,
      confine: () => Effect.dieMessage("no server of these is to be confined"),
      directory: at,
      environment: environment({ PATH: path.dirname(process.execPath) }),
      variables,
      network: webOf({}).rules,
      processes: Effect.map(Layer.buildWithScope(Processes.layer, scope), Context.get(Processes)),
      policy: TouchPolicy.make({
        boundary: yield* PathContext.make({
          cwd: at,
          roots: [at],
          home: "/home/tester",
          stateDirs: [],
          trusted: false
        }),
        network: webOf({}).rules
      })
    })
  })

/** Asks a server what it offers and approves that. */
export const approveAll = (at: string, known: KnownServer, state = ownState(at)) =>
  Effect.gen(function* () {
    const [slot] = (yield* servers(at, [known], {}, state)).all
    const manifest = yield* slot!.refresh
    const { pins } = state(known)
    yield* pins.write(approving(yield* pins.read, manifest, 0))
    return manifest
  }).pipe(Effect.scoped)

/** A server of a plan that the user of a place has configured with these settings, and has approved as it is now. */
export const added = async (at: Place, name: string, plan: object, settings: object = {}) => {
  const fix = planned(at.home, name, plan)
  const home = at.env["TOLLGATE_HOME"]!
  const file = path.join(home, "config.json")
  const config = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {}
  const servers = { ...config.mcp?.servers, [name]: { ...fix.known.server, ...settings } }
  fs.mkdirSync(home, { recursive: true })
  fs.writeFileSync(file, JSON.stringify({ ...config, mcp: { ...config.mcp, servers } }))
  const state = (known: KnownServer) =>
    StateFile.stateOf(stateDirectory(path.join(home, "tollgate.db")), known, at.work)
  await Effect.runPromise(approveAll(at.home, fix.known, state))
  return { ...fix, calls: () => fix.logged().filter((line) => line.startsWith("call")) }
}

/** Calls a tool behind the whole stack; everything is approved. */
export const calling = (
  of: Servers.Servers,
  {
    asked = "approve",
    bytes = 100_000,
    tools = of.tools
  }: { readonly asked?: "approve" | "deny"; readonly bytes?: number; readonly tools?: Servers.Servers["tools"] } = {}
) =>
  Effect.gen(function* () {
    const stack = DefaultStack.make({ resultLimit: { bytes }, timeouts: { limit: Duration.minutes(2) } })
    const toolset = yield* Toolset.make(tools, { middleware: stack })
    const events: Array<CallEvent> = []
    const note = (event: CallEvent) => Effect.sync(() => void events.push(event))
    let count = 0
    const call = (name: string, rawParams: unknown = {}) =>
      toolset
        .call({
          name,
          rawParams,
          ...(tools === of.parts && { by: "user" as const }),
          callId: `call${++count}`,
          sessionId: "s1",
          workerPath: ["root"],
          startedAt: 0,
          sink: { emit: note, commit: note }
        })
        .pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: asked }))))
    return { call, events }
  })
