import * as fs from "node:fs"
import * as path from "node:path"
import { isPlain } from "../policy/path/isPlain.ts"
import { systemReason } from "../system/errno.ts"

/** Bytes of the key that signs the audit. */
export const keyBytes = 32

/** Why the key and the head of an audit cannot be used, as far as a glance at their files tells; nothing where they can, or are not there yet. */
export const faultOf = (directory: string): string | undefined => {
  let file = directory
  try {
    const found = fs.statSync(directory, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (!found.isDirectory()) return `${file} is not a directory`
    file = path.join(directory, "audit.key")
    if (isPlain(file) && fs.readFileSync(file).length !== keyBytes) return `${file} is not ${keyBytes} bytes long`
    file = path.join(directory, "audit.head")
    isPlain(file)
    return undefined
  } catch (error) {
    return `${file}: ${systemReason(error)}`
  }
}
