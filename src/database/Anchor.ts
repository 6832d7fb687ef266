import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import * as zlib from "node:zlib"
import { isPlain } from "../policy/path/isPlain.ts"
import { temporaryName } from "../system/Temporary.ts"
import { syncDirectory } from "../system/syncDirectory.ts"

/**
 * A small file beside a database that says what was acknowledged, so that a later open can tell whether all of it is still
 * there. It has records of 256 bytes: whose it is, who writes at the moment, the head of the audit, and the last 64 commits
 * with the sessions that they moved. Each record has a checksum of its own; one that was torn counts as absent. It is synced
 * once a second and when it is closed: it outlives the process at any moment, and a loss of power but for that second.
 */
const recordBytes = 256
const ringSize = 64
const [headerAt, writerAt, auditAt, ringAt] = [0, 1, 2, 3] as const
const records = ringAt + ringSize
const syncMillis = 1000

const Header = Schema.Struct({ anchor: Schema.Literal(1), of: Schema.String })
const Writer = Schema.Struct({ pid: Schema.Number, commit: Schema.Number })
const Audit = Schema.Struct({ id: Schema.Number, hash: Schema.String })
const Commit = Schema.Struct({
  commit: Schema.Number,
  heads: Schema.Record({ key: Schema.String, value: Schema.Number })
})

const fileOf = (database: string): string => `${database}-anchor`

const checksum = (text: string): string => zlib.crc32(text).toString(16).padStart(8, "0")

const encode = (value: unknown): Buffer => {
  const json = JSON.stringify(value)
  const record = Buffer.alloc(recordBytes, " ")
  record.write(`${checksum(json)} ${json}`)
  record[recordBytes - 1] = 0x0a
  return record
}

const fits = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) <= recordBytes - 10

const decoded = (bytes: Buffer, at: number): unknown => {
  const text = bytes
    .subarray(at * recordBytes, (at + 1) * recordBytes)
    .toString("utf8")
    .trimEnd()
  const json = text.slice(9)
  if (text.slice(0, 8) !== checksum(json)) return undefined
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

const decodeHeader = Schema.decodeUnknownOption(Header)
const decodeWriter = Schema.decodeUnknownOption(Writer)
const decodeAudit = Schema.decodeUnknownOption(Audit)
const decodeCommit = Schema.decodeUnknownOption(Commit)

/** What the anchor records of a database. */
export interface Anchored {
  /** The name given to the database at its creation; unset if the anchor cannot be read. */
  readonly of: string | undefined
  /** How many commits were acknowledged. */
  readonly commits: number
  /** The numbers of the last events of the sessions that were written to last. */
  readonly heads: ReadonlyMap<string, number>
  readonly audit: typeof Audit.Type | undefined
  /** The process that began to write and has neither finished nor been followed by another. */
  readonly writer: number | undefined
}

/** Throws the system's error; returns nothing if the anchor does not exist. */
export const read = (database: string): Anchored | undefined => {
  const file = fileOf(database)
  const bytes = isPlain(file) ? fs.readFileSync(file) : undefined
  if (bytes === undefined) return undefined
  const commits = Array.from({ length: ringSize }, (_, index) => decodeCommit(decoded(bytes, ringAt + index))).flatMap(
    (found) => (Option.isSome(found) ? [found.value] : [])
  )
  const heads = new Map<string, number>()
  for (const { heads: moved } of commits) {
    for (const [session, head] of Object.entries(moved)) heads.set(session, Math.max(head, heads.get(session) ?? 0))
  }
  const last = Math.max(0, ...commits.map(({ commit }) => commit))
  const writer = Option.getOrUndefined(decodeWriter(decoded(bytes, writerAt)))
  return {
    of: Option.getOrUndefined(decodeHeader(decoded(bytes, headerAt)))?.of,
    commits: last,
    heads,
    audit: Option.getOrUndefined(decodeAudit(decoded(bytes, auditAt))),
    writer: writer !== undefined && writer.commit > last ? writer.pid : undefined
  }
}

export interface Anchor {
  /** Says which commit this process is about to make. */
  readonly begin: (commit: number) => void
  /** Says that it was made, and which sessions it moved; what does not fit is left out. */
  readonly end: (commit: number, heads: ReadonlyMap<string, number>) => void
  /** No longer says how far these sessions had come. */
  readonly forget: (sessions: ReadonlyArray<string>) => void
  readonly audit: (head: typeof Audit.Type) => void
  readonly close: () => void
}

/** Not every file system has hard links, by which the first of two processes wins. */
const put = (fresh: string, file: string, replace: boolean): void => {
  if (replace) return fs.renameSync(fresh, file)
  try {
    fs.linkSync(fresh, file)
  } catch {
    if (!fs.existsSync(file)) fs.renameSync(fresh, file)
  }
}

/**
 * Makes the anchor of a database that has none, unless another process was faster. Where there had been one, the audit counts as
 * anchored at its beginning. Throws what the system says.
 */
export const create = (
  database: string,
  { commits, name }: { readonly name: string; readonly commits: number },
  { replace }: { readonly replace: boolean }
): void => {
  const file = fileOf(database)
  const fresh = temporaryName(`${file}.`)
  const bytes = Buffer.alloc(records * recordBytes, " ")
  encode({ anchor: 1, of: name }).copy(bytes, headerAt * recordBytes)
  encode({ commit: commits, heads: {} }).copy(bytes, (ringAt + (commits % ringSize)) * recordBytes)
  if (commits > 0) encode({ id: 0, hash: "" }).copy(bytes, auditAt * recordBytes)
  try {
    fs.writeFileSync(fresh, bytes, { mode: 0o600, flag: "wx", flush: true })
    put(fresh, file, replace)
    syncDirectory(path.dirname(file))
  } catch (error) {
    if (!fs.existsSync(file)) throw error
  } finally {
    fs.rmSync(fresh, { force: true })
  }
}

/** Throws what the system says. */
export const open = (database: string): Anchor => {
  const handle = fs.openSync(fileOf(database), "r+")
  let synced = performance.now()
  let dirty = false
  const write = (at: number, value: unknown) => {
    fs.writeSync(handle, encode(value), 0, recordBytes, at * recordBytes)
    dirty = true
  }
  const sync = () => {
    fs.fdatasyncSync(handle)
    synced = performance.now()
    dirty = false
  }
  return {
    begin: (commit) => write(writerAt, { pid: process.pid, commit }),
    end: (commit, heads) => {
      let record: typeof Commit.Type = { commit, heads: {} }
      for (const [session, head] of heads) {
        const more = { commit, heads: { ...record.heads, [session]: head } }
        if (!fits(more)) break
        record = more
      }
      write(ringAt + (commit % ringSize), record)
      if (performance.now() - synced > syncMillis) sync()
    },
    forget: (sessions) => {
      const bytes = Buffer.alloc(records * recordBytes)
      fs.readSync(handle, bytes, 0, bytes.length, 0)
      for (let at = ringAt; at < records; at++) {
        const found = Option.getOrUndefined(decodeCommit(decoded(bytes, at)))
        if (found === undefined || !sessions.some((session) => session in found.heads)) continue
        const heads = Object.fromEntries(Object.entries(found.heads).filter(([session]) => !sessions.includes(session)))
        write(at, { commit: found.commit, heads })
      }
    },
    audit: (head) => write(auditAt, head),
    close: () => {
      try {
        if (dirty) sync()
      } finally {
        fs.closeSync(handle)
      }
    }
  }
}
