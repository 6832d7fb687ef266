import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { FunctionDefinition } from "../model/Model.ts"
import { concluded } from "../gate/conclude.ts"
import { guarded } from "../gate/Gate.ts"
import { Passage } from "../gate/Passage.ts"
import { ToolNotFound } from "../gate/Toolset.ts"
import { reachesForReserved } from "../tool/reserved.ts"
import { delegateTool } from "./Delegation.ts"
import type { NamedWorkers } from "./NamedWorker.ts"
import { needInputTool } from "./NeedInput.ts"
import type { Tools } from "./Tools.ts"

/** Where a worker stands, and what it is allowed. */
export interface WorkerToolsOptions {
  readonly isRoot: boolean
  /** The names of its tools; every one of its parent if unset. */
  readonly only: ReadonlySet<string> | undefined
  /** Whether it may start workers of its own. */
  readonly mayDelegate: boolean
  readonly workers: NamedWorkers
}

/** The definition of `delegate`, which names the workers that are configured. */
const delegating = (definition: FunctionDefinition, workers: NamedWorkers): FunctionDefinition => ({
  ...definition,
  get parameters() {
    const { properties, ...schema } = definition.parameters
    if (!Predicate.isReadonlyRecord(properties)) return definition.parameters
    const { worker: _, ...others } = properties
    const named = Object.entries(workers)
    if (named.length === 0) return { ...schema, properties: others }
    const about = named.map(([name, { description }]) => (description === undefined ? name : `${name}: ${description}`))
    const description = `Start this worker, which has instructions and tools of its own. ${about.join("; ")}`
    const worker = { type: "string", enum: named.map(([name]) => name), description }
    return { ...schema, properties: { ...others, worker } }
  }
})

/**
 * The tools of one worker behind the same gate: those of the client are the root's alone, whose user talks with nobody else, and
 * only a sub-worker can ask its parent.
 */
export const make = (
  tools: Tools["Type"],
  { isRoot, mayDelegate, only, workers }: WorkerToolsOptions
): Tools["Type"] => {
  const permits = (name: string): boolean =>
    name === needInputTool
      ? !isRoot
      : (isRoot || tools.tools.get(name)?.location !== "client") && (only === undefined || only.has(name))
  const functions = (declared: ReadonlySet<string>) =>
    tools
      .functions(isRoot ? declared : new Set())
      .filter(({ name }) => permits(name) && (mayDelegate || name !== delegateTool))
      .map((one) => (one.name === delegateTool ? delegating(one, workers) : one))
  const isRefused = (name: string): boolean =>
    tools.tools.has(name) ? !permits(name) : only !== undefined && !reachesForReserved(name)
  const fixed = isRoot ? undefined : functions(new Set())
  return {
    get tools() {
      return tools.tools
    },
    functions: (declared) => fixed ?? functions(declared),
    foresee: (request, foresee) =>
      isRefused(request.name) ? Effect.succeed(undefined) : tools.foresee(request, foresee),
    call: (request) => {
      const { name } = request
      if (!isRefused(name) || (isRoot && request.by === "user")) return tools.call(request)
      const known = functions(new Set()).map((one) => one.name)
      return concluded(request, undefined, new Passage(guarded), () => new ToolNotFound({ tool: name, known }))
    }
  }
}
