import type { Data, ForeignCall } from "./ForeignCall.ts"
import type { OwnPlaces } from "./Standing.ts"
import type { Fold, Outcome } from "./Outcome.ts"
import { ofServer, parametersOf, type ToolTable } from "./ToolTable.ts"

/** What is answered of a call. */
export type Answer = Pick<Outcome, "decision" | "reason" | "ruled">

/** What an agent has asked about a call. */
export interface Question {
  /** The agent's name of the moment that it asks in. */
  readonly event: string
  readonly call: ForeignCall
}

/** What is wrong with a payload, in a phrase. */
export interface Unread {
  readonly problem: string
}

/** Another agent: how its payload is read, and how it is answered. */
export interface Agent {
  readonly name: string
  /** As people call it. */
  readonly title: string
  /** The call that a payload is about; `undefined` for one that wants no answer. */
  readonly read: (payload: Data) => Question | Unread | undefined
  /** What is printed; nothing where the agent goes on by itself. */
  readonly write: (answer: Answer, event: string) => string
  /** What becomes of a decision that the agent cannot be given in that moment. */
  readonly fold: (decision: Fold, event: string) => Fold
  /** The moment that an answer is for where the payload says nothing of it. */
  readonly usual: string
  readonly own: OwnPlaces
  /** A later call can type into a prompt that a command opens, and no hook sees that. */
  readonly typesUnseen: boolean
}

export const isUnread = (found: Question | Unread): found is Unread => "problem" in found

/** The fields of a payload that say where a call comes from, by the names that an agent has for them. */
export interface Names {
  readonly session: string
  readonly tool: string
  readonly input: string
  readonly call?: string
  readonly worker?: string
  /** The variable of the environment that has the directory of the project. */
  readonly project?: string
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** The directories that a payload says are open in the agent; `undefined` where it says nothing of them. */
const openedIn = ({ workspace_roots: roots }: Data): ReadonlyArray<string> | Unread | undefined => {
  if (roots === undefined || roots === null) return undefined
  return Array.isArray(roots) && roots.every((root) => typeof root === "string")
    ? roots
    : { problem: "its workspace_roots are no list of texts" }
}

/** Reads the call of a payload by the tools that the agent has; a tool that is not known is not read. */
export const callOf = (
  agent: string,
  payload: Data,
  names: Names,
  tools: ToolTable,
  given: { readonly tool?: string; readonly input?: unknown; readonly cwd?: unknown; readonly project?: unknown } = {}
): ForeignCall | Unread => {
  const tool = given.tool ?? text(payload[names.tool])
  const cwd = text(given.cwd ?? payload["cwd"])
  const input = parametersOf(given.input ?? payload[names.input])
  const opened = openedIn(payload)
  if (tool === undefined) return { problem: `it has no ${names.tool}` }
  if (cwd === undefined || !cwd.startsWith("/")) return { problem: "it has no absolute cwd" }
  if (opened !== undefined && "problem" in opened) return opened
  if (input === undefined) return { problem: `its ${names.input} is no object` }
  const reading = tools.get(tool) ?? ofServer(tool)
  if (reading === undefined) return { problem: `its tool ${tool} is not known` }
  const deeds = reading(input, cwd)
  if (deeds === undefined) return { problem: `its parameters are not those of ${tool}` }
  return {
    agent,
    session: text(payload[names.session]) ?? "",
    worker: names.worker === undefined ? undefined : text(payload[names.worker]),
    id: names.call === undefined ? undefined : text(payload[names.call]),
    cwd,
    project: text(given.project),
    opened,
    tool,
    input,
    deeds
  }
}

export const asked = (event: string, call: ForeignCall | Unread): Question | Unread =>
  "problem" in call ? call : { event, call }

export const nowhere: OwnPlaces = { see: [], change: [] }

export const json = (value: object): string => `${JSON.stringify(value)}\n`

/** A list that a payload has, as texts. */
export const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []
