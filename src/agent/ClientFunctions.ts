import * as Effect from "effect/Effect"
import { Approvals } from "../approval/Approvals.ts"
import { ToolsetInvalid } from "../gate/GateError.ts"
import * as Toolset from "../gate/Toolset.ts"
import { ofPart } from "../middleware/PartCrashed.ts"
import type { FunctionDefinition } from "../model/Model.ts"
import { lazy } from "../system/lazy.ts"
import { ClientTools } from "../tool/ClientTools.ts"
import type { DynamicTool } from "../tool/DynamicTool.ts"
import type { ClientFunction } from "./ClientFunction.ts"
import { Tools } from "./Tools.ts"

/** Seals tools of a frontend behind a stack. */
export type SealClient = (tools: ReadonlyArray<DynamicTool>) => Effect.Effect<Tools["Type"], ToolsetInvalid>

/** Behind the gate alone. */
export const sealPlain = (approvals: Approvals["Type"]): SealClient =>
  Effect.fnUntraced(function* (tools) {
    const toolset = yield* Toolset.make(tools)
    return yield* Effect.provide(Tools, Tools.layer(toolset)).pipe(Effect.provideService(Approvals, approvals))
  })

/** How long a frontend has for a call: as long as a person has for a question. */
const timeout = "15 minutes"

/** The tools of a session: those of its project, and what its frontend has declared last. */
export interface ClientFunctions {
  readonly tools: Tools["Type"]
  /** Takes the place of what was declared before; nothing changes where one of them cannot be used. */
  readonly declare: (functions: ReadonlyArray<ClientFunction>) => Effect.Effect<void, ToolsetInvalid>
}

export const make = (own: Tools["Type"], seal: SealClient): ClientFunctions => {
  let declared: Tools["Type"] | undefined
  let last = "[]"

  const sealed = (functions: ReadonlyArray<ClientFunction>) =>
    Effect.gen(function* () {
      const taken = functions.find(({ name }) => own.tools.has(name))
      if (taken !== undefined) {
        return yield* new ToolsetInvalid({ tool: taken.name, reason: "a tool of the server has that name; rename it" })
      }
      // Its validator is large, and few sessions have such functions.
      const { DynamicToolFailed, make } = yield* Effect.promise(() => import("../tool/DynamicTool.ts"))
      const { foreignDecoder } = yield* Effect.promise(() => import("../tool/JsonSchema.ts"))
      const made = functions.map(({ description, name, parameters }) => {
        const tool = make(name, {
          description,
          jsonSchema: parameters,
          location: "client",
          approval: "never",
          risk: "low",
          concurrent: true,
          timeout,
          touches: "none",
          handler: (_, call) =>
            Effect.flatMap(ClientTools, (tools) =>
              Effect.mapError(
                tools.call(call),
                ({ message }) => new DynamicToolFailed({ tool: name, reason: message, retryable: false })
              )
            )
        })
        return { ...tool, codec: { ...tool.codec, decode: lazy(() => foreignDecoder(parameters)) } }
      })
      return yield* seal(made)
    })

  let joined: { readonly of: ReadonlyArray<unknown>; readonly all: Tools["Type"]["tools"] } | undefined
  /** Both may change, and are asked for with each call. */
  const both = (more: Tools["Type"]): Tools["Type"]["tools"] => {
    if (joined === undefined || joined.of[0] !== own.tools || joined.of[1] !== more)
      joined = { of: [own.tools, more], all: new Map([...own.tools, ...more.tools]) }
    return joined.all
  }

  const of = (name: string): Tools["Type"] => (declared?.tools.has(name) === true ? declared : own)
  return {
    tools: {
      get tools() {
        return declared === undefined ? own.tools : both(declared)
      },
      call: (request) => of(request.name).call(request),
      foresee: (request, foresee) => of(request.name).foresee(request, foresee),
      functions: (names): ReadonlyArray<FunctionDefinition> => [
        ...ofPart("lists the tools of the project", () => [...own.functions(names)]),
        ...(declared?.functions(names) ?? [])
      ]
    },
    declare: (functions) =>
      Effect.suspend(() => {
        const text = JSON.stringify(functions)
        if (text === last) return Effect.void
        return Effect.map(functions.length === 0 ? Effect.succeed(undefined) : sealed(functions), (tools) => {
          declared = tools
          last = text
        })
      })
  }
}
