import * as fs from "node:fs"
import * as path from "node:path"
import { typed } from "../text/ShellWord.ts"

/** The key and the head of the audit say how far it went in that database, and would miss it in a new one. */
const audit = "approvals"

const isThere = (file: string): boolean => {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** A name in a directory that is not taken. */
const freeIn = (directory: string, count = 1): string => {
  const name = path.join(directory, count === 1 ? "old" : `old-${count}`)
  return isThere(name) ? freeIn(directory, count + 1) : name
}

/**
 * The command that moves a database aside with all that belongs to it, so that the next run begins a new one; nothing where none is
 * there. The shell finds the files beside it, some of which come and go with the processes that have it open.
 */
export const startOver = (named: string): string | undefined => {
  const file = named.replace(/-anchor$/, "")
  if (!isThere(file) && !isThere(`${file}-anchor`)) return undefined
  const directory = path.dirname(file)
  const aside = freeIn(directory)
  const ofAudit = path.join(directory, audit)
  const parts = [`${typed(file)}*`, ...(isThere(ofAudit) ? [typed(ofAudit)] : [])]
  return `mkdir ${typed(aside)} && mv ${parts.join(" ")} ${typed(`${aside}/`)}`
}

/** The same as the last sentence of a message. */
export const toStartOver = (file: string): string => {
  const command = startOver(file)
  return command === undefined ? "" : ` To start with a new one: ${command}`
}
