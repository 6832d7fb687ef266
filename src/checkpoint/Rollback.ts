import type { FileStep, ReplacedFile, RestoredFile } from "./FileStep.ts"

/** What it takes to bring one file back to where it was before some steps. */
export interface Rollback {
  readonly path: string
  /** The file to bring back; null where there was none. */
  readonly target: ReplacedFile | null
  /** What the file is now unless somebody else has changed it: a step that was noted need not have happened. */
  readonly expected: ReadonlySet<string | null>
  /** Whether somebody else changed the file between two of the steps. */
  readonly broken: boolean
  /** Whether it was deleted and made anew meanwhile, with other permissions. */
  readonly recreated: boolean
  /** The directories that were made for it, outermost first. */
  readonly directories: ReadonlyArray<string>
}

const from = (step: FileStep | RestoredFile): string | null =>
  "from" in step ? step.from : (step.before?.sha256 ?? null)
const to = (step: FileStep | RestoredFile): string | null => ("from" in step ? step.to : step.after)

/** What brings the files back to where they were before the first of these steps, which are in their order. */
export const rollbacks = (steps: ReadonlyArray<FileStep | RestoredFile>): ReadonlyArray<Rollback> => {
  const files = new Map<string, Rollback>()
  for (const step of steps) {
    const known = files.get(step.path)
    const made = "from" in step ? [] : (step.directories ?? [])
    // The first step of a file is one that a tool took: what is put back was changed before.
    if (known === undefined) {
      if ("from" in step) continue
      files.set(step.path, {
        path: step.path,
        target: step.before,
        expected: new Set([from(step), step.after]),
        broken: false,
        recreated: false,
        directories: made
      })
      continue
    }
    files.set(step.path, {
      ...known,
      expected: new Set([from(step), to(step)]),
      broken: known.broken || !known.expected.has(from(step)),
      recreated: known.recreated || from(step) === null,
      directories: [...new Set([...known.directories, ...made])]
    })
  }
  return [...files.values()]
}
