import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Host } from "../../host/Host.ts"
import type { Project, ProjectFailure } from "../../host/Project.ts"
import type { Place } from "../../runtime/Projects.ts"
import type { ServerNews } from "../Servers.ts"

interface Held {
  readonly place: Place
  readonly stamp: string
  readonly project: Project
  readonly own: Scope.CloseableScope
}

/** The project of a directory, taken anew where its files say that it is another. */
export interface ProjectHeld {
  /** As it is now: what the user approves meanwhile counts. */
  readonly current: Effect.Effect<Project, ProjectFailure>
  /** What was current last, with where it is. */
  readonly last: () => { readonly place: Place; readonly project: Project } | undefined
  /** Tells of what changes in it, until the returned function is called. */
  readonly follow: (hear: (news: ServerNews) => void) => () => void
}

export const make = (directory: string): Effect.Effect<ProjectHeld, never, Host | Scope.Scope> =>
  Effect.gen(function* () {
    const host = yield* Host
    const scope = yield* Effect.scope
    const followers = new Set<(news: ServerNews) => void>()
    const announce = (news: ServerNews) => {
      for (const hear of followers) hear(news)
    }
    let held: Held | undefined
    const one = yield* Effect.makeSemaphore(1)

    /** What is held, where that is of this place and stamp. */
    const heldAs = ({ directory, project }: Place, stamp: string): Project | undefined =>
      held?.stamp === stamp && held.place.directory === directory && held.place.project === project
        ? held.project
        : undefined
    /** Takes the project anew, in the place of the one that it was before. */
    const taken = (place: Place, stamp: string) =>
      Effect.gen(function* () {
        const before = held
        const other = heldAs(place, stamp)
        if (other !== undefined) return other
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        const found = yield* Effect.onError(Scope.extend(host.project(place), own), () => Scope.close(own, Exit.void))
        held = { place, stamp, project: found, own }
        if (before !== undefined) yield* Scope.close(before.own, Exit.void)
        yield* Scope.addFinalizer(own, Effect.sync(found.servers.follow(announce)))
        // Its files may have changed while it was made: then it is the same under another stamp.
        if (before !== undefined && before.project !== found)
          for (const kind of ["tools", "prompts", "resources"] as const) announce({ kind })
        return found
      })
    const current = Effect.flatMap(host.locate(directory), (place) =>
      Effect.flatMap(host.stamp(place), (stamp) => {
        const found = heldAs(place, stamp)
        return found === undefined
          ? Effect.uninterruptible(one.withPermits(1)(taken(place, stamp)))
          : Effect.succeed(found)
      })
    )

    return {
      current,
      last: () => held,
      follow: (hear) => {
        followers.add(hear)
        return () => void followers.delete(hear)
      }
    }
  })
