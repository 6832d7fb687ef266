import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as path from "node:path"
import { reading } from "../../import/ImportProblem.ts"
import { parseData } from "../../import/JsonPiece.ts"
import { errnoOf, errnoText } from "../../system/errno.ts"
import { placeIn } from "../../system/placeIn.ts"
import type { PastCall } from "../../host/PastCall.ts"
import { type Line, LineReader } from "../../text/LineReader.ts"
import { callsIn, type TranscriptCalls } from "./TranscriptCalls.ts"
import type { Trouble } from "./Trouble.ts"

type Env = Readonly<Record<string, string | undefined>>

/** Where agents keep their transcripts. */
export const usualPlaces = (home: string, env: Env): ReadonlyArray<readonly [agent: string, directory: string]> => [
  ["claude", path.join(placeIn(env["CLAUDE_CONFIG_DIR"], path.join(home, ".claude")), "projects")],
  ["codex", path.join(placeIn(env["CODEX_HOME"], path.join(home, ".codex")), "sessions")]
]

/** Characters of a line that is read. */
const longestLine = 16 * 1024 * 1024

/** Directories inside one another that are looked into. */
const maxDepth = 8

/** The transcripts below a directory that have changed since a time; links are not followed. */
export const below = (directory: string, since: number, trouble: Trouble, depth = maxDepth): Stream.Stream<string> =>
  Stream.suspend(() => {
    const listed = Either.try(() => fs.readdirSync(directory, { withFileTypes: true }))
    if (Either.isLeft(listed)) {
      const code = errnoOf(listed.left)
      if (code !== "ENOENT") trouble.add({ file: directory, problem: errnoText(code) })
      return Stream.empty
    }
    const entries = listed.right.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return Stream.flatMap(Stream.fromIterable(entries), (entry) => {
      const place = path.join(directory, entry.name)
      if (entry.isDirectory()) return depth > 0 ? below(place, since, trouble, depth - 1) : Stream.empty
      const isWanted =
        entry.isFile() &&
        entry.name.endsWith(".jsonl") &&
        (fs.statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since
      return isWanted ? Stream.make(place) : Stream.empty
    })
  })

/** The text of a file as long as it is now; another process may go on writing to it. */
const textOf = (file: string): Stream.Stream<string, { readonly problem: string }> =>
  Stream.suspend(() => {
    const failed = (error: unknown) => ({ problem: errnoText(errnoOf(error)) })
    const found = Either.try(() => fs.statSync(file))
    if (Either.isLeft(found)) return Stream.fail(failed(found.left))
    if (!found.right.isFile()) return Stream.fail({ problem: "it is not a regular file" })
    if (found.right.size === 0) return Stream.empty
    const decoder = new TextDecoder()
    const bytes = Stream.unwrapScoped(
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => fs.createReadStream(file, { end: found.right.size - 1 })),
          (stream) => Effect.sync(() => stream.destroy())
        ),
        (stream) => Stream.fromAsyncIterable<Buffer, { readonly problem: string }>(stream, failed)
      )
    )
    return Stream.map(bytes, (piece) => decoder.decode(piece, { stream: true }))
  })

/** The calls of a transcript, of an agent or of any; lines that cannot be read are told and left out. */
export const callsOf = (file: string, agent: string | undefined, trouble: Trouble): Stream.Stream<PastCall> =>
  Stream.suspend(() => {
    const lines = new LineReader(longestLine)
    let number = 0
    let isOther = false
    let calls: TranscriptCalls | undefined
    const take = ({ isCut, text: line }: Line): Effect.Effect<ReadonlyArray<PastCall>> => {
      number += 1
      const at = number
      if (isOther || line.trim() === "") return Effect.succeed([])
      if (isCut) {
        trouble.add({ file, line: at, problem: "the line is too long" })
        return Effect.succeed([])
      }
      return reading(() => {
        const data = parseData(line, "the line")
        calls ??= callsIn(data)
        isOther = calls === undefined || (agent !== undefined && calls.agent !== agent)
        if (calls === undefined) trouble.add({ file, line: at, problem: "no transcript of Claude Code or Codex" })
        return isOther || calls === undefined ? [] : calls.line(data)
      }).pipe(
        Effect.catchAll(({ problem }) =>
          Effect.sync(() => {
            trouble.add({ file, line: at, problem })
            return []
          })
        )
      )
    }
    const taken = (some: ReadonlyArray<Line>) =>
      Stream.flatMap(Stream.fromIterable(some), (line) => Stream.unwrap(Effect.map(take(line), Stream.fromIterable)))
    return textOf(file).pipe(
      Stream.catchAll(({ problem }) => {
        trouble.add({ file, problem })
        return Stream.empty
      }),
      Stream.flatMap((piece) => taken(lines.push(piece))),
      Stream.concat(Stream.suspend(() => taken(lines.end()))),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(isOther ? [] : (calls?.end() ?? []))))
    )
  })
