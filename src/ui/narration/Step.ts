import type { ClientCallRequested } from "../../tool/ToolEvent.ts"
import type { Approval, CallShown, Diff, Display, Level, Notice, Progress } from "../Display.ts"

/** What a frontend does about an event. */
export type Step =
  | Display
  | { readonly _tag: "Status"; readonly text: string | undefined }
  | { readonly _tag: "Progress"; readonly progress: Progress }
  | { readonly _tag: "Diff"; readonly diff: Diff }
  | { readonly _tag: "Notice"; readonly notice: Notice }
  /** The request is first in line. */
  | { readonly _tag: "Ask"; readonly approval: Approval }
  /** The request that was first in line is over. */
  | { readonly _tag: "Asked" }
  /** A call of a tool of the frontend's own. */
  | { readonly _tag: "ClientCall"; readonly call?: CallShown; readonly request: ClientCallRequested }
  /** It has ended. */
  | { readonly _tag: "ClientCallEnded"; readonly call: CallShown; readonly callId: string }

/** A line about the session or its task. */
export const note = (text: string, level: Level = "info"): Step => ({ _tag: "Note", level, text })
/** What is going on. */
export const status = (text: string | undefined): Step => ({ _tag: "Status", text })
