/** The names of a worker and of those above it, the root's first; no name has a `/` in it. */
export type WorkerPath = ReadonlyArray<string>

/** The worker that talks with the user. */
export const root: WorkerPath = ["root"]

export const isWithin = (path: WorkerPath, of: WorkerPath): boolean =>
  path.length >= of.length && of.every((name, index) => path[index] === name)

export const isSame = (a: WorkerPath = [], b: WorkerPath = []): boolean => a.length === b.length && isWithin(a, b)

export const isBelow = (path: WorkerPath, above: WorkerPath): boolean =>
  path.length > above.length && isWithin(path, above)

export const isChild = (path: WorkerPath, of: WorkerPath): boolean =>
  path.length === of.length + 1 && isWithin(path, of)

/** A request that a worker makes besides its work: for a summary, or for what is to be kept; no other path begins so. */
export const compaction = (of: WorkerPath): WorkerPath => ["compaction", ...of]
export const keeping: WorkerPath = ["keep"]

/** Whether a path is that of a request besides the work of all workers. */
export const isAside = (path: WorkerPath = []): boolean => path.length > 0 && path[0] !== root[0]

export const isRoot = (path: WorkerPath = []): boolean => isSame(path, root)

export const parentOf = (path: WorkerPath): WorkerPath => path.slice(0, -1)

export const toText = (path: WorkerPath): string => path.join("/")

export const fromText = (text: string): WorkerPath => text.split("/")
