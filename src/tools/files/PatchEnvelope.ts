import * as Either from "effect/Either"
import type { Chunk, PatchFault, PatchStep } from "./PatchStep.ts"

const begin = "*** Begin Patch"
const end = "*** End Patch"
const endOfFile = "*** End of File"
const moveTo = "*** Move to: "

const header = /^\*\*\* (Add|Delete|Update) File: (.+)$/

const isSign = (sign: string | undefined): sign is " " | "-" | "+" => sign === " " || sign === "-" || sign === "+"

const stops = (line: string): boolean => line === end || header.test(line)

class Lines {
  readonly all: ReadonlyArray<string>
  index = 0
  constructor(text: string) {
    this.all = text.trim().split(/\r?\n/)
  }
  readonly peek = (): string => this.all[this.index] ?? end
  readonly fault = (reason: string) => Either.left<PatchFault>({ reason, line: this.index + 1 })
}

const addition = (lines: Lines, path: string): Either.Either<PatchStep, PatchFault> => {
  const text: Array<string> = []
  while (!stops(lines.peek())) {
    if (!lines.peek().startsWith("+")) return lines.fault("every line of an added file begins with `+`")
    text.push(lines.peek().slice(1))
    lines.index++
  }
  return Either.right({ kind: "add", path, text: text.length === 0 ? "" : `${text.join("\n")}\n` })
}

const chunk = (lines: Lines, isFirst: boolean): Either.Either<Chunk, PatchFault> => {
  const first = lines.peek()
  const anchor = first.startsWith("@@") ? first.slice(2).replace(/@@$/, "").trim() : ""
  if (first.startsWith("@@")) lines.index++
  else if (!isFirst) return lines.fault("expected `@@`, a line of the change, or the next file")
  const found: Array<Chunk["lines"][number]> = []
  while (!stops(lines.peek()) && !lines.peek().startsWith("@@") && lines.peek() !== endOfFile) {
    const line = lines.peek()
    const sign = line === "" ? " " : line[0]
    if (!isSign(sign)) return lines.fault("a line of a change begins with a space, `-` or `+`")
    found.push({ sign, text: line.slice(1) })
    lines.index++
  }
  const atEnd = lines.peek() === endOfFile
  if (atEnd) lines.index++
  if (found.length === 0) return lines.fault("a change has no lines")
  return Either.right({ ...(anchor === "" ? {} : { anchor }), lines: found, atEnd })
}

const update = (lines: Lines, path: string): Either.Either<PatchStep, PatchFault> => {
  const target = lines.peek().startsWith(moveTo) ? lines.peek().slice(moveTo.length).trim() : undefined
  if (target !== undefined) lines.index++
  const chunks: Array<Chunk> = []
  while (!stops(lines.peek())) {
    const next = chunk(lines, chunks.length === 0)
    if (Either.isLeft(next)) return Either.left(next.left)
    chunks.push(next.right)
  }
  if (chunks.length === 0 && target === undefined) return lines.fault(`${path} is updated without a change`)
  const edit = { format: "envelope", chunks } as const
  return Either.right({ kind: "update", path, edit, ...(target === undefined ? {} : { moveTo: target }) })
}

/** Reads the patch form whose parts begin with `*** Add File:`, `*** Delete File:` and `*** Update File:`. */
export const parseEnvelope = (text: string): Either.Either<ReadonlyArray<PatchStep>, PatchFault> => {
  const lines = new Lines(text)
  if (lines.peek() !== begin) return lines.fault(`it does not begin with \`${begin}\``)
  if (lines.all.at(-1) !== end) return lines.fault(`it does not end with \`${end}\``)
  lines.index++
  const steps: Array<PatchStep> = []
  while (lines.index < lines.all.length - 1) {
    const [, kind, name = ""] = header.exec(lines.peek()) ?? []
    if (kind === undefined) return lines.fault("expected `*** Add File:`, `*** Delete File:` or `*** Update File:`")
    lines.index++
    const path = name.trim()
    const step: Either.Either<PatchStep, PatchFault> =
      kind === "Add"
        ? addition(lines, path)
        : kind === "Update"
          ? update(lines, path)
          : Either.right({ kind: "delete", path })
    if (Either.isLeft(step)) return Either.left(step.left)
    steps.push(step.right)
  }
  return Either.right(steps)
}
