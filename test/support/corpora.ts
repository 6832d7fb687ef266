// @effect-diagnostics processEnv:off - the corpora may live outside the repository
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const own = path.join(path.dirname(fileURLToPath(import.meta.url)), "../fixtures/corpora")
const folder = process.env["TOLLGATE_CORPORA"] ?? own

export interface Row<Input, Expected = string> {
  readonly id: string
  readonly input: Input
  readonly expected: Expected
  readonly accept?: ReadonlyArray<string>
  readonly invariants?: ReadonlyArray<string>
  readonly why: string
  readonly class?: string
  readonly group?: string
  readonly stage?: string
  readonly kind?: string
  readonly execute?: boolean
  readonly platform?: string
}

/** Reads one corpus, e.g. `corpus("c_shell")`, from `TOLLGATE_CORPORA` or from the fixtures. */
export const corpus = <Input, Expected = string>(name: string): ReadonlyArray<Row<Input, Expected>> =>
  JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`), "utf8"))

/** Reads one corpus from the fixtures, wherever the others are. */
export const kept = <Input, Expected = string>(name: string): ReadonlyArray<Row<Input, Expected>> =>
  JSON.parse(fs.readFileSync(path.join(own, `${name}.json`), "utf8"))

export const corpusFile = (name: string): unknown => JSON.parse(fs.readFileSync(path.join(folder, name), "utf8"))

/** Where a file of the corpora is. */
export const corpusPath = (name: string): string => path.join(folder, name)

/** Reads a list of our own cases in the form of the corpora. */
export const siblings = <Input, Expected = string>(name: string): ReadonlyArray<Row<Input, Expected>> =>
  JSON.parse(
    fs.readFileSync(
      path.join(path.dirname(fileURLToPath(import.meta.url)), `../fixtures/siblings/${name}.json`),
      "utf8"
    )
  )
