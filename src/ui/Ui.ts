import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { ToolOffer } from "../agent/ToolOffer.ts"
import type { ApprovalPolicy } from "../approval/ApprovalPolicy.ts"
import type { ToolShown } from "../tool/ToolShown.ts"
import type { WorkerTree } from "./WorkerTree.ts"
import type { Answer, Approval, Diff, Display, Notice, Progress } from "./Display.ts"

/** A tool that a person runs. */
export interface ToolRequest {
  readonly tool: string
  readonly parameters: unknown
}

/** What a frontend implements: the terminal, a browser and the recording of tests are layers of it. */
export class Ui extends Context.Tag("tollgate/ui/Ui")<
  Ui,
  {
    readonly start: (session: {
      readonly id: string
      readonly profile: string
      readonly mode: ApprovalPolicy
      /** Where commands run, in two words. */
      readonly sandbox: string
    }) => Effect.Effect<void>
    readonly stop: Effect.Effect<void>
    readonly display: (display: Display) => Effect.Effect<void>
    readonly diff: (diff: Diff) => Effect.Effect<void>
    readonly progress: (progress: Progress) => Effect.Effect<void>
    /** The sub-workers of the task, whenever something changes with them. */
    readonly workers: (tree: WorkerTree) => Effect.Effect<void>
    /** What is going on right now, in a word or two; nothing when nothing is. */
    readonly status: (status: string | undefined) => Effect.Effect<void>
    /** Asks for a decision; it is interrupted when the request is decided, expires or is withdrawn elsewhere. */
    readonly approve: (approval: Approval) => Effect.Effect<Answer>
    /** Asks for a line on behalf of a call; earlier typing does not count. None if no one answers. */
    readonly question: (question: string) => Effect.Effect<Option.Option<string>>
    /** Asks for a line; none once the person has no more to say. */
    readonly input: (question: string) => Effect.Effect<Option.Option<string>>
    /** One element each time the person wants everything in flight to stop. */
    readonly interruptions: Stream.Stream<void>
    /** Slash commands typed while no line was asked for; they apply to the running task. */
    readonly asides: Stream.Stream<string>
    /** Lists tools, e.g. those that the person may run. */
    readonly showTools: (tools: ReadonlyArray<ToolShown>) => Effect.Effect<void>
    /** Shows the tools of a worker that has returned, and takes what the person wants of them: a call, or none to go on. */
    readonly toolRequests: (offer: ToolOffer) => Effect.Effect<Option.Option<ToolRequest>>
    /** Draws attention to something; what it is about has been or will be displayed. */
    readonly notify: (notice: Notice) => Effect.Effect<void>
  }
>() {}
