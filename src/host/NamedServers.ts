import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { SealClient } from "../agent/ClientFunctions.ts"
import type { Tools } from "../agent/Tools.ts"
import type { ToolsetInvalid } from "../gate/GateError.ts"
import { identityOf, type KnownServer } from "../mcp/KnownServer.ts"
import type { ServerSlot } from "../mcp/ServerSlot.ts"
import type * as Servers from "../mcp/Servers.ts"
import { type ServerState, stampOf } from "../mcp/StateFile.ts"

/** The tools of a project, and of the servers that a frontend names besides those of the configuration. */
export interface NamedServers {
  readonly tools: Tools["Type"]
  /**
   * Takes servers in, none of which is started; the tools that are approved of them by now join the project's with the next task.
   * One that is known already stays as it is, unless what is approved of it has changed.
   */
  readonly name: (servers: ReadonlyArray<KnownServer>) => Effect.Effect<ReadonlyArray<ServerSlot>, ToolsetInvalid>
}

interface Taken {
  readonly key: string
  readonly servers: Servers.Servers
  readonly scope: Scope.CloseableScope
}

export const make = ({
  open,
  own,
  seal,
  state
}: {
  readonly own: Tools["Type"]
  readonly seal: SealClient
  readonly state: (server: KnownServer) => ServerState
  /** Makes the slots and tools of servers, for as long as the scope. */
  readonly open: (servers: ReadonlyArray<KnownServer>) => Effect.Effect<Servers.Servers, never, Scope.Scope>
}): Effect.Effect<NamedServers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const parent = yield* Effect.scope
    const one = yield* Effect.makeSemaphore(1)
    const taken = new Map<string, Taken>()
    let named: Tools["Type"] | undefined
    let all: Tools["Type"]["tools"] = own.tools

    const take = (server: KnownServer) =>
      Effect.gen(function* () {
        const key = `${identityOf(server)} ${stampOf([state(server)])}`
        const before = taken.get(server.name)
        if (before?.key === key) return before.servers.all
        const scope = yield* Scope.fork(parent, { _tag: "Sequential" })
        const servers = yield* Scope.extend(open([server]), scope)
        taken.set(server.name, { key, servers, scope })
        if (before !== undefined) yield* Scope.close(before.scope, Exit.void)
        return servers.all
      })
    const name: NamedServers["name"] = (servers) =>
      Effect.gen(function* () {
        const slots = yield* Effect.forEach(servers, take)
        const tools = [...taken.values()].flatMap(({ servers }) => servers.tools)
        const fresh = tools.filter((tool) => !own.tools.has(tool.name))
        named = fresh.length === 0 ? undefined : yield* seal(fresh)
        all = named === undefined ? own.tools : new Map([...own.tools, ...named.tools])
        return slots.flat()
      }).pipe(one.withPermits(1), Effect.uninterruptible)

    const of = (tool: string): Tools["Type"] => (named?.tools.has(tool) === true ? named : own)
    const isWithdrawn = (tool: string): boolean => [...taken.values()].some(({ servers }) => servers.isWithdrawn(tool))
    return {
      name,
      tools: {
        get tools() {
          return all
        },
        call: (request) => of(request.name).call(request),
        foresee: (request, foresee) => of(request.name).foresee(request, foresee),
        functions: (declared) => [
          ...own.functions(declared),
          ...(named?.functions(declared) ?? []).filter(({ name }) => !isWithdrawn(name))
        ]
      }
    }
  })
