import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Rewinding } from "../checkpoint/Rewinding.ts"
import { EditorFiles, type FilesOfEditor } from "../tools/files/EditorFiles.ts"
import { EditorTerminal, type TerminalOfEditor } from "../tools/shell/EditorTerminal.ts"

/** What a frontend gives the tools of one session in place of the disk and the processes of this machine. */
export interface Equipped {
  readonly files?: FilesOfEditor | undefined
  readonly terminal?: TerminalOfEditor | undefined
}

/** What the sessions of a project have besides what all of them have. */
export interface Equipment {
  /** Gives it to the tools of one session until the scope ends. */
  readonly equip: (session: string, equipped: Equipped) => Effect.Effect<void, never, Scope.Scope>
  /** Runs something of a session with what it has. */
  readonly within: (session: string) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const contextOf = ({ files, terminal }: Equipped): Context.Context<never> =>
  Context.add(Context.make(EditorFiles, files), EditorTerminal, terminal)

export const make = (): Equipment => {
  const equipped = new Map<string, Context.Context<never>>()
  return {
    equip: (session, given) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            const own = contextOf(given)
            equipped.set(session, own)
            return own
          }),
          (own) =>
            Effect.sync(() => {
              if (equipped.get(session) === own) equipped.delete(session)
            })
        )
      ),
    within: (session) => (self) =>
      Effect.suspend(() => {
        const own = equipped.get(session)
        return own === undefined ? self : Effect.provide(self, own)
      })
  }
}

/** Files are put back where the session has them. */
export const rewindingIn = ({ plan, restore }: Rewinding, { within }: Equipment): Rewinding => ({
  plan: (session, steps) => within(session)(plan(session, steps)),
  restore: (session, steps, digest) => within(session)(restore(session, steps, digest))
})
