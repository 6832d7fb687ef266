import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Project } from "../../host/Project.ts"
import { makeVisible } from "../../text/visible.ts"
import type * as Tool from "../../tool/Tool.ts"
import type { Offer } from "../Manifest.ts"
import type { ServerSlot } from "../ServerSlot.ts"
import { qualified } from "../ToolName.ts"
import { visibleWords } from "../visibleWords.ts"

/** How a client sees the servers: all of them under names of their own, or one as if nothing stood between. */
export interface View {
  readonly server: string | undefined
  /** Whether it has the prompts and resources of a server. */
  readonly shows: (server: string) => boolean
  readonly name: (server: string, name: string) => string
  readonly uri: (server: string, uri: string) => string
  /** The URI that a resource has at its server; nothing where it is not of that one. */
  readonly ownUri: (server: string, uri: string) => string | undefined
}

/** The scheme under which the resources of a server stand here, before their own. */
const schemeOf = (server: string): string => `${server.toLowerCase().replaceAll("_", ".")}+`

export const allServers: View = {
  server: undefined,
  shows: () => true,
  name: qualified,
  uri: (server, uri) => `${schemeOf(server)}${uri}`,
  ownUri: (server, uri) => (uri.startsWith(schemeOf(server)) ? uri.slice(schemeOf(server).length) : undefined)
}

/** Nothing of any server: what is offered are tools of our own. */
export const noServer: View = { ...allServers, shows: () => false }

export const oneServer = (server: string): View => ({
  server,
  shows: (name) => name === server,
  name: (_, name) => name,
  uri: (_, uri) => uri,
  ownUri: (_, uri) => uri
})

/** A tool as a client of ours sees it. */
export interface OfferedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown }
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, unknown>>
}

/** An approved prompt or template of a server. */
export interface OfferedPart {
  readonly slot: ServerSlot
  readonly offer: Offer
  /** The name that it has here. */
  readonly name: string
}

export const slots = (project: Project, { shows }: View): ReadonlyArray<ServerSlot> =>
  project.servers.all.filter(({ known }) => shows(known.name))

/** What the servers of a project have that is approved. */
const approved = (project: Project, view: View, kind: Offer["kind"]) =>
  Effect.map(
    Effect.forEach(slots(project, view), (slot) =>
      Effect.map(
        Effect.orElseSucceed(slot.standings, () => []),
        (standings) =>
          standings.flatMap(({ kind: one, name, now, state }): ReadonlyArray<OfferedPart> =>
            one === kind && state === "approved" && now !== undefined
              ? [{ slot, offer: now, name: view.name(slot.known.name, name) }]
              : []
          )
      )
    ),
    (all) => all.flat()
  )

const objectSchema = (schema: unknown): OfferedTool["inputSchema"] =>
  Predicate.isReadonlyRecord(schema) ? { ...schema, type: "object" } : { type: "object" }

const described = (tool: Tool.Any, name: string, offer: Offer | undefined): OfferedTool => {
  const { annotations, inputSchema, outputSchema, title } = offer?.definition ?? {}
  const readOnly = tool.readOnly ? { readOnlyHint: true } : {}
  return {
    name,
    ...(typeof title === "string" ? { title: makeVisible(title) } : {}),
    description: tool.description,
    inputSchema: objectSchema(visibleWords(inputSchema) ?? tool.codec.jsonSchema()),
    ...(Predicate.isReadonlyRecord(outputSchema) ? { outputSchema: visibleWords(outputSchema) } : {}),
    annotations: Predicate.isReadonlyRecord(annotations) ? visibleWords(annotations) : readOnly
  }
}

/** The tools of a project that a client may call, in the order of their names, each with the name that the gate knows. */
export const tools = (
  project: Project,
  view: View
): Effect.Effect<ReadonlyArray<{ readonly tool: string; readonly definition: OfferedTool }>> =>
  Effect.map(approved(project, view, "tool"), (parts) => {
    const offers = new Map(parts.map((part) => [qualified(part.slot.known.name, part.offer.name), part]))
    return [...project.tools.tools.values()]
      .filter(
        ({ location, mode, name }) =>
          location === "server" &&
          mode === "both" &&
          !project.servers.isWithdrawn(name) &&
          (view.server === undefined || offers.has(name))
      )
      .map((tool) => {
        const part = offers.get(tool.name)
        return { tool: tool.name, definition: described(tool, part?.name ?? tool.name, part?.offer) }
      })
      .sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1))
  })

/** What the server of a tool has said of it, by the name that the gate knows. */
export const toolPart = (project: Project, view: View, tool: string): Effect.Effect<OfferedPart | undefined> =>
  Effect.map(approved(project, view, "tool"), (parts) =>
    parts.find(({ offer, slot }) => qualified(slot.known.name, offer.name) === tool)
  )

/** The name that the gate knows a tool by, for the name that a client gives it: one server alone has no tool of another one. */
export const gateName = ({ server }: View, name: string): string =>
  server === undefined ? name : qualified(server, name)

export const prompts = (project: Project, view: View) => approved(project, view, "prompt")
export const templates = (project: Project, view: View) => approved(project, view, "template")
