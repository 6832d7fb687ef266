import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { NetworkRules } from "../policy/network/NetworkRules.ts"
import type { ProcessCommand } from "../process/ProcessCommand.ts"
import type { Processes } from "../process/Processes.ts"
import type { Login } from "./login/Login.ts"
import type { StateFile } from "./StateFile.ts"

/** A list of a server that is asked for anew once it has changed. */
export type ListKind = "tools" | "prompts" | "resources"

/** Puts the program of a server into the sandbox, or says why there is none. */
export type Confine = (
  command: ProcessCommand,
  allowed: { readonly network: boolean; readonly write: boolean }
) => Effect.Effect<ProcessCommand, { readonly message: string }>

/** What a connection needs besides its server. */
export interface Surroundings {
  /** Where programs run. */
  readonly directory: string
  /** The whole environment that every program gets. */
  readonly environment: Readonly<Record<string, string>>
  /** The value of a variable of the user. */
  readonly variable: (name: string) => Option.Option<Redacted.Redacted>
  readonly processes: Processes["Type"]
  /** The command as the sandbox runs it. */
  readonly confine: Confine
  /** The user's login at a server that is reached by a URL. */
  readonly login: StateFile<Login>
  /** What addresses may be asked for a login. */
  readonly network: NetworkRules
  /** The lists of the server have changed. */
  readonly changed: (kind: ListKind) => void
  /** A resource that is watched has changed. */
  readonly updated: (uri: string) => void
  /** The server seems to know the connection no more. */
  readonly doubted: () => void
}
