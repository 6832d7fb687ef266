import * as fs from "node:fs"
import { type Driver, type Handle, type OpenOptions, SqliteError } from "./driver/Driver.ts"
import { inUseBy } from "./holder.ts"

/** How often it is looked whether others have the file open, and how long each time. */
const looks = 20
const lookMillis = 50

/** Whether another connection has the file open, whatever is beside it. */
const isShared = (driver: Driver, file: string): boolean => {
  let handle: Handle | undefined
  try {
    handle = driver.open(file, { readonly: false, timeout: lookMillis })
    // Without shared memory: this needs the file for itself.
    handle.exec("PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_master")
    return false
  } catch (error) {
    // Anything else is told by those who open it.
    return error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY")
  } finally {
    handle?.close()
  }
}

/**
 * Opens a database that several processes use at once. They know of each other by the file `-shm`: where somebody has removed that of
 * a process which lives, the next would make one of its own, and both overwrite what the other commits. It is refused instead.
 */
export const openShared = (driver: Driver, file: string, options: OpenOptions): Handle => {
  const real = fs.existsSync(file) ? fs.realpathSync(file) : file
  const index = `${real}-shm`
  const isAlone = (): boolean => fs.existsSync(index) || !(fs.statSync(real, { throwIfNoEntry: false })?.size ?? 0)
  for (let look = 1; !isAlone() && isShared(driver, real); look++) {
    if (look < looks) continue
    const pid = inUseBy(real)
    const who = pid === undefined ? "another process" : `process ${pid}`
    const end = pid === undefined ? "End it" : `End it (kill ${pid})`
    throw new SqliteError({
      code: "SQLITE_BUSY_UNSHARED",
      message: `${index} was removed while ${who} had the database open. ${end}, then try again; nothing was changed.`
    })
  }
  return driver.open(file, options)
}
