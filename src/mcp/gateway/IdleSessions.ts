import type { Project } from "../../host/Project.ts"
import type { SessionHandle } from "../../runtime/SessionHandle.ts"

/** A session whose call has ended, for the next one of the same client. */
export interface Idle {
  readonly by: string
  readonly handle: SessionHandle
  /** Sessions have the tools that there were when they began. */
  readonly project: Project | undefined
}

/** The sessions of a gateway that have no call. */
export interface IdleSessions {
  readonly add: (idle: Idle) => void
  /** Takes one of a client and of the project as it is now: one that its person has granted something first. */
  readonly take: (by: string, project: Project | undefined) => SessionHandle | undefined
  /** The person of a session has granted something for as long as it lasts. */
  readonly granted: (session: string) => void
}

/** Makes the place where sessions wait; those of a project as it was before are let go. */
export const make = (): IdleSessions => {
  const granting = new Set<string>()
  let idle: Array<Idle> = []
  return {
    add: (one) => void idle.push(one),
    take: (by, project) => {
      for (const one of idle) if (one.project !== project) granting.delete(one.handle.id)
      idle = idle.filter((one) => one.project === project)
      const own = idle.filter((one) => one.by === by)
      const found = own.find(({ handle }) => granting.has(handle.id)) ?? own[0]
      if (found !== undefined) idle.splice(idle.indexOf(found), 1)
      return found?.handle
    },
    granted: (session) => void granting.add(session)
  }
}
