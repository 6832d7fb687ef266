import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { systemReason } from "../../system/errno.ts"
import { replaceFile } from "../../system/replaceFile.ts"
import { isGone } from "../../system/Temporary.ts"
import { stateDirectory } from "../stateDirectory.ts"

/** A call whose client was told to come back for its result, or may have to: it waits for a person, and a gateway can be killed. */
const LeftCall = Schema.Struct({
  /** The process of the gateway; as long as it lives, the call is its own. */
  pid: Schema.Number,
  session: Schema.String,
  task: Schema.String,
  /** What its client gets; unset while it has not ended, and where the gateway stopped first. */
  result: Schema.optionalWith(Schema.Unknown, { exact: true })
})
export type LeftCall = typeof LeftCall.Type

/** The calls that clients come back for, in files: they outlive the gateway. */
export interface Left {
  /** Its client was told to come back. */
  readonly keep: (key: string, call: Omit<LeftCall, "pid">) => Effect.Effect<void>
  /** It waits for a person: its client comes back only where this gateway does not live to answer it. */
  readonly note: (key: string, call: Omit<LeftCall, "pid">) => Effect.Effect<void>
  /** Those of gateways that are gone, and those of this one whose clients were told. */
  readonly find: (key: string) => Effect.Effect<ReadonlyArray<LeftCall>>
  /** Whether its client was told to come back. */
  readonly has: (task: string) => boolean
  /** The same, or that it waited for a person. */
  readonly knows: (task: string) => boolean
  /** Its client gets the result now: from here on it is not found, also where its file is still there. */
  readonly conclude: (task: string) => void
  /** Its client has the result, or no longer wants it. */
  readonly forget: (key: string, task: string) => Effect.Effect<void>
}

/** How long a result waits for its client; one that comes later may mean another call. */
const longestKept = 7 * 24 * 60 * 60 * 1000

const decode = Schema.decodeUnknownOption(Schema.parseJson(LeftCall))

/** Makes what is left beside a database. */
export const make = (database: string): Left => {
  const directory = path.join(stateDirectory(database), "left")
  const told = new Set<string>()
  const noted = new Set<string>()
  const concluded = new Set<string>()
  const fileOf = (key: string, task: string) => path.join(directory, `${key}.${task}.json`)
  const quietly = (run: () => void) =>
    Effect.ignoreLogged(
      Effect.try({
        try: run,
        catch: (error) => `A call that waits for its client was not kept in ${directory}: ${systemReason(error)}`
      })
    )
  const files = () =>
    fs.existsSync(directory) ? fs.readdirSync(directory).map((name) => path.join(directory, name)) : []
  const isKept = (file: string, now: number): boolean => {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    return found !== undefined && found.mtimeMs >= now - longestKept
  }
  const read = (file: string): ReadonlyArray<LeftCall> => {
    try {
      return Option.toArray(decode(fs.readFileSync(file, "utf8")))
    } catch {
      // Another gateway was faster.
      return []
    }
  }
  const into =
    (tasks: Set<string>): Left["keep"] =>
    (key, call) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        quietly(() => {
          replaceFile(fileOf(key, call.task), JSON.stringify({ pid: process.pid, ...call }))
          tasks.add(call.task)
          for (const file of files()) if (!isKept(file, now)) fs.rmSync(file, { force: true })
        })
      )
  return {
    keep: into(told),
    note: into(noted),
    find: (key) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        files()
          .filter((file) => path.basename(file).startsWith(`${key}.`) && file.endsWith(".json") && isKept(file, now))
          .flatMap(read)
          .filter(({ pid, task }) => !concluded.has(task) && (pid === process.pid ? told.has(task) : isGone(pid)))
      ),
    has: (task) => told.has(task),
    knows: (task) => told.has(task) || noted.has(task),
    conclude: (task) => void concluded.add(task),
    forget: (key, task) =>
      quietly(() => {
        told.delete(task)
        noted.delete(task)
        fs.rmSync(fileOf(key, task), { force: true })
        concluded.delete(task)
      })
  }
}
