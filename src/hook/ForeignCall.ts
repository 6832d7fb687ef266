import type { Touches } from "../tool/Touches.ts"

/** A JSON object. */
export type Data = Readonly<Record<string, unknown>>

export const isData = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a call does, as the tool of ours would say it that does the same: rules of the user name that one. */
export interface Deed {
  readonly tool: string
  /** Unset where nobody has said what it touches. */
  readonly touches: Touches | undefined
  /** Nobody here knows what it does. */
  readonly isUnknown?: true
  /** It asks to run outside of the agent's own sandbox. */
  readonly isUnsandboxed?: true
  /** Of the files below it finds only those whose names match one of these patterns, where there are any. */
  readonly opens?: ReadonlyArray<string>
  /** It goes into directories that git ignores as well. */
  readonly uncovers?: boolean
  /** Its paths are below the home directory of the user. */
  readonly isOfHome?: true
  /** The parameters that it comes from, where those of the call hold other calls. */
  readonly input?: Data
}

/** A call of a tool by another agent. */
export interface ForeignCall {
  readonly agent: string
  readonly session: string
  /** The sub-agent that calls, if one does. */
  readonly worker: string | undefined
  readonly id: string | undefined
  /** Where the agent says that the call runs; absolute. */
  readonly cwd: string
  /** The project that the agent was started in, where it says so. */
  readonly project: string | undefined
  /** The directories that the user has opened, where it says so: nothing else is the workspace then. */
  readonly opened: ReadonlyArray<string> | undefined
  /** As the agent calls it. */
  readonly tool: string
  readonly input: unknown
  /** None where it touches nothing that a rule could name. */
  readonly deeds: ReadonlyArray<Deed>
}
