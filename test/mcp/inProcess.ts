import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import type { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Host } from "../../src/host/Host.ts"
import { Exchange } from "../../src/mcp/gateway/Exchange.ts"
import * as Gateway from "../../src/mcp/gateway/Gateway.ts"
import * as Left from "../../src/mcp/gateway/Left.ts"
import { Models } from "../../src/model/Models.ts"
import type { DynamicTool } from "../../src/tool/DynamicTool.ts"

/** Somebody who calls and cannot be asked anything. */
export const listener = { capabilities: {}, hear: () => {}, log: () => {} }

const workOf = (base: string) => path.join(base, "work")

/** A host with one tool, in a directory of the test. */
export const hostAt = (base: string, policy: ApprovalPolicy, tool: (exchange: Exchange["Type"]) => DynamicTool) => {
  fs.mkdirSync(workOf(base), { recursive: true })
  const env = { PATH: "/usr/bin:/bin", HOME: base, TOLLGATE_HOME: path.join(base, "state") }
  const live = Layer.unwrapEffect(
    Effect.map(Exchange, (exchange) =>
      Host.layerToolset((stack) => Toolset.make([tool(exchange)], { middleware: DefaultStack.make(stack) }), {
        directory: workOf(base),
        env,
        models: Models.layerOf({}),
        policy,
        attended: true
      })
    )
  )
  return Layer.provideMerge(live, Exchange.layer)
}

/** A gateway of that host. */
export const gatewayAt = (base: string) =>
  Effect.flatMap(Exchange, (exchange) =>
    Gateway.make({
      directory: workOf(base),
      exchange,
      left: Left.make(path.join(base, "state", "tollgate.db")),
      hooked: false,
      longest: 1000,
      spill: { keep: () => Effect.dieMessage("no result of these is long") }
    })
  )
