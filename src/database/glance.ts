import * as fs from "node:fs"
import * as Anchor from "./Anchor.ts"
import type { Handle } from "./driver/Driver.ts"
import { applicationId } from "./identity.ts"
import { migrations } from "./migrations.ts"

const counted = (commits: number): string => (commits === 1 ? "1 commit" : `${commits} commits`)

const refuse = (fault: string): never => {
  throw new Error(fault)
}

/** Whether an open database was ever used; throws why it cannot be relied on, as the end of a sentence. */
const isUsed = (handle: Handle, anchored: Anchor.Anchored | undefined): boolean => {
  const [head] = handle
    .prepare(
      `SELECT (SELECT user_version FROM pragma_user_version) AS version,
        (SELECT application_id FROM pragma_application_id) AS application`
    )
    .all([])
  const [version, application] = [Number(head?.["version"]), Number(head?.["application"])]
  const tables = handle.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all([])
  const names = new Set(tables.map((row) => row["name"]))
  const commits = anchored?.commits ?? 0
  if (names.size === 0 && version === 0 && application === 0)
    return commits > 0 && refuse(`it is empty, although ${counted(commits)} were stored`)
  const isOurs = names.has("sessions") && names.has("events") && (application === 0 || application === applicationId)
  if (!isOurs || version <= 0) refuse("it belongs to another program")
  if (version > migrations.length) refuse("a later version of Tollgate has written it")
  if (anchored?.of === undefined) return true
  const [store] = names.has("store") ? handle.prepare("SELECT name, commits FROM store").all([]) : []
  if (store?.["name"] !== anchored.of) refuse("it is not the database that was used last")
  const missing = commits - Number(store?.["commits"])
  return missing <= 0 || refuse(`${counted(missing)} that were acknowledged are missing`)
}

/**
 * Opens a database that can be relied on as far as a glance tells, without what opening it for writes takes: it is there, ours,
 * of a known version, and has every commit that its anchor knows. Gives nothing where none was ever used; throws what SQLite or
 * the system says, or what is wrong.
 */
export const openUsed = (file: string, open: () => Handle): Handle | undefined => {
  // Read before the database: what is anchored was committed before.
  const anchored = Anchor.read(file)
  const commits = anchored?.commits ?? 0
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (found === undefined || (found.isFile() && found.size === 0)) {
    if (commits > 0) refuse(`it is ${found === undefined ? "gone" : "empty"}, although ${counted(commits)} were stored`)
    return undefined
  }
  const handle = open()
  try {
    if (isUsed(handle, anchored)) return handle
  } catch (error) {
    handle.close()
    throw error
  }
  handle.close()
  return undefined
}
