import * as Effect from "effect/Effect"
import type { Project } from "../../host/Project.ts"
import type * as Tool from "../../tool/Tool.ts"
import type { Offer } from "../Manifest.ts"
import type { ServerSlot } from "../ServerSlot.ts"
import { qualified } from "../ToolName.ts"

/** A tool as a client of ours sees it. */
export interface OfferedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown }
  readonly outputSchema?: { readonly type: "object"; readonly [key: string]: unknown }
  readonly annotations?: Readonly<Record<string, unknown>>
}

/** An approved prompt or template of a server. */
export interface OfferedPart {
  readonly slot: ServerSlot
  readonly offer: Offer
  /** The name that it has here. */
  readonly name: string
}

/** What the servers of a project have that is approved. */
const approved = (project: Project, kind: Offer["kind"]) =>
  Effect.map(
    Effect.forEach(project.servers.all, (slot) =>
      Effect.map(
        Effect.orElseSucceed(slot.standings, () => []),
        (standings) =>
          standings.flatMap(({ kind: one, name, now, state }): ReadonlyArray<OfferedPart> =>
            one === kind && state === "approved" && now !== undefined
              ? [{ slot, offer: now, name: qualified(slot.known.name, name) }]
              : []
          )
      )
    ),
    (all) => all.flat()
  )

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const objectSchema = (schema: unknown): OfferedTool["inputSchema"] =>
  isRecord(schema) ? { ...schema, type: "object" } : { type: "object" }

const described = (tool: Tool.Any, offer: Offer | undefined): OfferedTool => {
  const { annotations, outputSchema, title } = offer?.definition ?? {}
  const readOnly = tool.readOnly ? { readOnlyHint: true } : {}
  return {
    name: tool.name,
    ...(typeof title === "string" ? { title } : {}),
    description: tool.description,
    inputSchema: objectSchema(tool.codec.jsonSchema()),
    ...(isRecord(outputSchema) ? { outputSchema: objectSchema(outputSchema) } : {}),
    annotations: isRecord(annotations) ? annotations : readOnly
  }
}

/** The tools of a project that a client may call, in the order of their names. */
export const tools = (project: Project): Effect.Effect<ReadonlyArray<OfferedTool>> =>
  Effect.map(approved(project, "tool"), (parts) => {
    const offers = new Map(parts.map(({ name, offer }) => [name, offer]))
    return [...project.tools.tools.values()]
      .filter(
        ({ location, mode, name }) => location === "server" && mode !== "llm" && !project.servers.isWithdrawn(name)
      )
      .map((tool) => described(tool, offers.get(tool.name)))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  })

export const prompts = (project: Project) => approved(project, "prompt")
export const templates = (project: Project) => approved(project, "template")
