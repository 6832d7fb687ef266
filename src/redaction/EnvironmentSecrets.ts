import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import { isPlace, isSecretVariable, isWord } from "./Assigned.ts"
import { isPlaceholder } from "./Logins.ts"

/** Characters of one value, and values. */
const shortest = 8
const longest = 2048
export const maxSecrets = 32

export type Environment = Readonly<Record<string, string | undefined>>

const isTelling = (value: string): boolean =>
  !isPlaceholder(value) && !isWord(value) && !(isPlace(value) && fs.existsSync(value))

/**
 * The secrets of an environment: what the named variables hold, and those whose own name says that they hold one, unless
 * it is a word, a file that exists, the directory of a shell, or what another variable says openly, as `POSTGRES_USER=postgres` does.
 */
export const environmentSecrets = (
  environment: Environment,
  named: ReadonlyArray<string> = []
): ReadonlyArray<Redacted.Redacted> => {
  const fits = (value: string) => value.length >= shortest && value.length <= longest
  const all = Object.entries(environment).map(([name, value = ""]) => [name, value.trim()] as const)
  const secret = ([name]: readonly [string, string]) => named.includes(name) || isSecretVariable(name)
  const open = new Set(all.flatMap((entry) => (secret(entry) ? [] : [entry[1]])))
  const known = all.filter(
    ([name, value]) =>
      fits(value) && (named.includes(name) || (isSecretVariable(name) && !open.has(value) && isTelling(value)))
  )
  const first = known.filter(([name]) => named.includes(name))
  return [...new Set([...first, ...known].map(([, value]) => value))]
    .slice(0, maxSecrets)
    .map((value) => Redacted.make(value))
}
