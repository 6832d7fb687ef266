import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as fs from "node:fs"
import * as path from "node:path"
import { errnoOf, systemReason } from "../system/errno.ts"
import { replaceFile } from "../system/replaceFile.ts"
import { reclaim } from "../system/Temporary.ts"
import { brokenLink, throughLinks } from "../system/throughLinks.ts"
import { jsonError } from "../redaction/jsonError.ts"
import { byteOrderMark, unmarked } from "../text/byteOrderMark.ts"
import { repeatedName } from "../text/Json.ts"
import { ConfigUnreadable, ConfigUnwritable, makeRoom } from "./ConfigError.ts"

/** JSON as a file has it. */
export type Json = Readonly<Record<string, unknown>>

/** Bytes of a configuration file. */
const sizeLimit = 1024 * 1024

/** The file as an unvalidated JSON object; empty if it is missing. */
export const read = (file: string): Effect.Effect<Json, ConfigUnreadable> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => {
        const found = fs.statSync(file, { throwIfNoEntry: false })
        if (found === undefined) {
          const link = brokenLink(file)
          if (link !== undefined) throw new Error(`${link} leads to what does not exist`)
          return "{}"
        }
        if (!found.isFile()) throw new Error("it is not a file")
        if (found.size > sizeLimit) throw new Error(`it is larger than ${sizeLimit} bytes`)
        return unmarked(fs.readFileSync(file, "utf8"))
      },
      catch: (error) => new ConfigUnreadable({ file, reason: systemReason(error) })
    })
    const json = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new ConfigUnreadable({ file, reason: jsonError(text) })
    })
    const twice = repeatedName(text)
    if (twice !== undefined) {
      return yield* new ConfigUnreadable({ file, reason: `${JSON.stringify(twice)} appears twice in one object` })
    }
    return Predicate.isReadonlyRecord(json)
      ? json
      : yield* new ConfigUnreadable({ file, reason: "it is not a JSON object" })
  })

/** The value at a path of keys and indices; none where the path leaves the value. */
export const at = (json: unknown, steps: ReadonlyArray<string>): unknown =>
  steps.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined,
    json
  )

/** The steps to what the value has under a key, whose names may have dots of their own. */
export const stepsTo = (json: unknown, key: string): ReadonlyArray<string> | undefined => {
  if (typeof json !== "object" || json === null) return undefined
  for (const [name, value] of Object.entries(json)) {
    if (name === key) return [name]
    const below = key.startsWith(`${name}.`) ? stepsTo(value, key.slice(name.length + 1)) : undefined
    if (below !== undefined) return [name, ...below]
  }
  return undefined
}

const replaceIn = (old: unknown, steps: ReadonlyArray<string>, value: unknown): unknown => {
  const [step, ...rest] = steps
  if (step === undefined) return value
  if (Array.isArray(old) && /^\d+$/.test(step) && Number(step) <= old.length) {
    const items: ReadonlyArray<unknown> = old
    const index = Number(step)
    const next = replaceIn(items[index], rest, value)
    return [...items.slice(0, index), ...(next === undefined ? [] : [next]), ...items.slice(index + 1)]
  }
  if (Predicate.isReadonlyRecord(old)) return replaceAt(old, steps, value)
  return value === undefined ? old : replaceAt({}, steps, value)
}

/** The object with another value at a path, or without it where the value is undefined; all else stays in its order. */
export const replaceAt = (json: Json, steps: ReadonlyArray<string>, value: unknown): Json => {
  const [step, ...rest] = steps
  if (step === undefined) return json
  const next = replaceIn(Object.hasOwn(json, step) ? json[step] : undefined, rest, value)
  const kept = Object.entries(json).flatMap(([name, old]) =>
    name !== step ? [[name, old] as const] : next === undefined ? [] : [[name, next] as const]
  )
  return Object.fromEntries(Object.hasOwn(json, step) || next === undefined ? kept : [...kept, [step, next]])
}

/** The object with other values at some paths; a value on the way that is no object stays in its place. */
export const withAll = (
  json: Json,
  values: ReadonlyArray<readonly [steps: ReadonlyArray<string>, value: unknown]>
): Json => {
  const below = Arr.groupBy(values, ([[step = ""]]) => step)
  const changed = Object.entries(below).map(([step, group]): readonly [string, unknown] => {
    const [[steps, value]] = group
    if (steps.length === 1) return [step, value]
    const old = Object.hasOwn(json, step) ? json[step] : {}
    const rest = group.map(([[, ...steps], value]) => [steps, value] as const)
    return [step, Predicate.isReadonlyRecord(old) ? withAll(old, rest) : old]
  })
  return { ...json, ...Object.fromEntries(changed) }
}

/** Whether a byte order mark stands before its text, which the editor of its owner may want. */
const isMarked = (file: string): boolean =>
  fs.existsSync(file) && fs.readFileSync(file, "utf8").startsWith(byteOrderMark)

/** Replaces the file as a whole, readable by its owner only; a crash leaves the old or the new one. */
export const write = (file: string, json: Json): Effect.Effect<void, ConfigUnwritable> =>
  Effect.try({
    try: () => {
      // A link stays one.
      const target = throughLinks(file)
      reclaim(path.dirname(target), `${path.basename(target)}.`)
      const mark = isMarked(target) ? byteOrderMark : ""
      replaceFile(target, `${mark}${JSON.stringify(json, null, 2)}\n`)
    },
    catch: (error) => {
      const isFull = ["ENOSPC", "EDQUOT"].includes(errnoOf(error))
      return new ConfigUnwritable({ file, reason: systemReason(error), ...(isFull ? { mend: makeRoom } : {}) })
    }
  })
