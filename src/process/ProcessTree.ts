import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ProcessTable from "./ProcessTable.ts"
import { until } from "./RealClock.ts"

/** The variable that tells the processes of a tree from all others. */
export const markerName = "TOLLGATE_PROCESS"

/** How a leader and its processes are found. */
export interface ProcessTree {
  readonly leader: number
  /** When the leader was started; tells it from a later process with the same pid. */
  readonly started: number
  /** The value of `markerName` in every process of the tree that did not clear its environment. */
  readonly marker: string
  readonly hasExited: () => boolean
  /** See `ProcessCommand.supervised`. */
  readonly supervised: boolean
}

/** After SIGKILL; what still lives then sleeps in the kernel and cannot be ended by anyone. */
const killed = Duration.toMillis("1 second")

const send = (pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

interface Survey {
  readonly members: Effect.Effect<ReadonlyArray<ProcessTable.Entry>>
  /** Of those that were found before; cheap enough to be asked often. */
  readonly someAlive: () => boolean
}

/**
 * Finds the living processes of a tree. On Linux: the leader's group and session, every process with the marker, all
 * descendants of these, and those found before. Elsewhere: the group.
 */
const surveyor = (tree: ProcessTree): Survey => {
  const { leader, marker, started } = tree
  if (!ProcessTable.available) {
    const alive = () => send(-leader, 0)
    const group = { pid: leader, parent: 0, group: leader, session: leader, start: 0 }
    return { members: Effect.sync(() => (alive() ? [group] : [])), someAlive: alive }
  }
  const known = new Map<number, number>()
  const belongs = (entry: ProcessTable.Entry): boolean =>
    known.get(entry.pid) === entry.start || ProcessTable.carries(entry.pid, `${markerName}=${marker}`)
  const someAlive = (): boolean => [...known].some(([pid, start]) => ProcessTable.entry(pid)?.start === start)
  const members = Effect.map(ProcessTable.entries, (all) => {
    // The kernel gives a number away only once no group and no session has it, so then nothing of ours is in them.
    const reused = all.some(({ pid, start }) => pid === leader && start !== started)
    const inGroup = ({ group, session }: ProcessTable.Entry): boolean =>
      !reused && (group === leader || session === leader)
    const recent = all.filter((entry) => entry.start >= started)
    const found = new Map(recent.filter((entry) => inGroup(entry) || belongs(entry)).map((entry) => [entry.pid, entry]))
    for (let before = -1; before !== found.size;) {
      before = found.size
      for (const entry of recent) if (found.has(entry.parent)) found.set(entry.pid, entry)
    }
    for (const [pid, { start }] of found) known.set(pid, start)
    return [...found.values()]
  })
  return { members, someAlive }
}

/** What the living processes of a tree take together. */
export interface Usage {
  readonly processes: number
  /** Bytes of their own. */
  readonly memory: number
}

/** Looks at a tree; where the system does not list its processes nothing is known, and so nothing used. */
export const usage = (tree: ProcessTree): Effect.Effect<Usage> => {
  if (!ProcessTable.available) return Effect.succeed({ processes: 0, memory: 0 })
  return Effect.map(surveyor(tree).members, (members) => ({
    processes: members.length,
    memory: members.reduce((sum, { pid }) => sum + ProcessTable.memoryOf(pid), 0)
  }))
}

export interface Ended {
  /** Processes that lived on after the leader had exited. */
  readonly survivors: number
  /** False where something resisted SIGKILL. */
  readonly complete: boolean
}

/**
 * Ends a tree: SIGTERM, `grace`, SIGKILL, then at most one second. If nothing is left it costs one look at the process
 * table. A process id that was reused is not signalled.
 */
export const ender = (tree: ProcessTree, grace: Duration.DurationInput): Effect.Effect<Ended> => {
  const { leader, hasExited, supervised } = tree
  const { members: survey, someAlive } = surveyor(tree)
  const signal = (members: ReadonlyArray<ProcessTable.Entry>, name: "SIGTERM" | "SIGKILL"): void => {
    const spared = name === "SIGTERM" && supervised && members.length > 1
    if (!spared && members.some((entry) => entry.group === leader)) send(-leader, name)
    for (const { pid, group } of members) if (spared ? pid !== leader : group !== leader) send(pid, name)
  }
  const gone = Effect.suspend(() =>
    hasExited() && !someAlive() ? Effect.map(survey, (members) => members.length === 0) : Effect.succeed(false)
  )
  const kill = Effect.map(survey, (members) => {
    signal(members, "SIGKILL")
    return hasExited() && members.length === 0
  })
  return Effect.gen(function* () {
    const members = yield* survey
    const survivors = hasExited() ? members.length : 0
    if (hasExited() && members.length === 0) return { survivors, complete: true }
    signal(members, "SIGTERM")
    const complete = (yield* until(gone, Duration.toMillis(grace))) || (yield* until(kill, killed))
    return { survivors, complete }
  })
}
