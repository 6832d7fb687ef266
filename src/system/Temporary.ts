import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { errnoOf } from "./errno.ts"

/**
 * Files that get their real name once they are whole. Their own name says which process writes them and cannot be guessed, so that what
 * a killed process left behind is known for what it is and removed by a later one.
 */
const named = /(\d+)-[0-9a-f]{24}\.tmp(?:-journal)?$/

/** A name for a temporary file; `stem` is what it begins with. */
export const temporaryName = (stem: string): string =>
  `${stem}${process.pid}-${crypto.randomBytes(12).toString("hex")}.tmp`

/** Whether no process has that number. */
export const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return errnoOf(error) === "ESRCH"
  }
}

/** Whether the name is one of `temporaryName(stem)` in a process that has ended. */
const isLitter = (name: string, stem: string): boolean => {
  const [, pid] = (name.startsWith(stem) ? named.exec(name) : null) ?? []
  return pid !== undefined && isGone(Number(pid))
}

/** What cannot be removed stays: it is no reason not to go on. */
export const quietly = (run: () => void): void => {
  try {
    run()
  } catch {
    // It belongs to another user, or another process was faster.
  }
}

/** Removes what processes that have ended left in a directory under names of that stem. */
export const reclaim = (directory: string, stem: string): void =>
  quietly(() => {
    for (const name of fs.readdirSync(directory)) {
      if (isLitter(name, stem)) quietly(() => fs.rmSync(path.join(directory, name), { recursive: true, force: true }))
    }
  })

/** The name of temporary files beside a user's files. */
export const besideStem = ".tollgate-"

/** Where it is noted beside which files there are temporary ones: a link for each, named as it is, to its directory. */
const notes = (): string => path.join(os.tmpdir(), `tollgate-writing-${process.getuid?.() ?? 0}`)

const isOwn = (directory: string): boolean => {
  const found = fs.lstatSync(directory, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid)
}

/** Notes a temporary file, as far as that is possible; gives what takes the note back. */
export const note = (directory: string, name: string): (() => void) => {
  const place = notes()
  quietly(() => {
    fs.mkdirSync(place, { recursive: true, mode: 0o700 })
    if (isOwn(place)) fs.symlinkSync(directory, path.join(place, name))
  })
  return () =>
    quietly(() => {
      fs.unlinkSync(path.join(place, name))
      fs.rmdirSync(place)
    })
}

/** Removes the temporary files beside a user's files that are noted and whose process has ended. */
export const reclaimNoted = (): void =>
  quietly(() => {
    const place = notes()
    if (!isOwn(place)) return
    for (const name of fs.readdirSync(place)) {
      if (!isLitter(name, besideStem)) continue
      quietly(() => fs.unlinkSync(path.join(fs.readlinkSync(path.join(place, name)), name)))
      quietly(() => fs.unlinkSync(path.join(place, name)))
    }
    quietly(() => fs.rmdirSync(place))
  })
