import * as fs from "node:fs"
import * as path from "node:path"

/** Links that lead from one to the next. */
const most = 40

/** Where a path leads, also where nothing is there yet: who writes there leaves the links as they are. Throws what the system says. */
export const throughLinks = (file: string): string => {
  let at = file
  for (let followed = 0; fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true; followed++) {
    if (followed === most) throw Object.assign(new Error("it leads through too many links"), { code: "ELOOP" })
    at = path.resolve(fs.realpathSync(path.dirname(at)), fs.readlinkSync(at))
  }
  return at
}

/** The link on the way to a file that leads nowhere, which is why the file cannot be found. */
export const brokenLink = (file: string): string | undefined => {
  const found = fs.lstatSync(file, { throwIfNoEntry: false })
  const above = path.dirname(file)
  if (found === undefined) return above === file ? undefined : brokenLink(above)
  return found.isSymbolicLink() && fs.statSync(file, { throwIfNoEntry: false }) === undefined ? file : undefined
}
