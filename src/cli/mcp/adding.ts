import * as Either from "effect/Either"
import { expands, type ForeignServer } from "../../mcp/ForeignServers.ts"
import { isProgram } from "../../mcp/KnownServer.ts"
import type { RedactorShape } from "../../redaction/Redactor.ts"
import { firstUnseen } from "../../text/excerpt.ts"
import { typed } from "../../text/ShellWord.ts"
import { reference } from "./described.ts"

const variableName = /^[A-Za-z_]\w*$/
/** RFC 9110, 5.6.2. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/

/** Names of variables for headers that are written out in a file, of which no two are the same. */
const variablesFor = (server: string, headers: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const taken = new Set<string>()
  return Object.fromEntries(
    headers.map((header) => {
      const base = `${server}_${header}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")
      let name = base
      for (let next = 2; taken.has(name); next++) name = `${base}_${next}`
      taken.add(name)
      return [header, `env:${name}`]
    })
  )
}

/** A line for a shell, and whether secrets are left out of it. */
export interface Adding {
  readonly line: string
  readonly isRedacted: boolean
}

/**
 * The command that makes a server of another program one of Tollgate's, or why a person has to enter it; values of variables stay
 * where they are.
 */
export const adding = (
  { given, name, server }: ForeignServer,
  known: Readonly<Record<string, string>>,
  { text }: Pick<RedactorShape, "text">
): Either.Either<Adding, string> => {
  const program = isProgram(server)
  const own = program ? server.command : [server.url]
  const names = [...new Set([...Object.keys(given), ...Object.keys(known)])]
  const unseen = own.map(firstUnseen).find((found) => found !== undefined)
  if (unseen !== undefined || own.some((word) => /[\t\n]/.test(word)))
    return Either.left("its words hold what a line does not show as it is; enter it in the configuration by hand")
  if (own.some(expands))
    return Either.left("its words have ${…} in them, which that program fills in; enter it by hand")
  const odd = names.find((one) => !(program ? variableName : headerName).test(one))
  if (odd !== undefined)
    return Either.left(`${JSON.stringify(odd.slice(0, 80))} is no name of ${program ? "a variable" : "a header"}`)
  const wrong = Object.entries(known).find(([, value]) => !reference.test(value))
  if (wrong !== undefined) return Either.left(`${wrong[0]} is taken from what is no name of a variable`)
  const variables = variablesFor(name, names)
  const options = names.flatMap((one) =>
    program ? ["--env", one] : ["--header", `${one}=${known[one] ?? variables[one]}`]
  )
  const plain = own.map(typed).join(" ")
  const shown = text(plain)
  const [before, after] = program ? [[...options, "--"], []] : [["--url"], options]
  const line = [...["tollgate", "mcp", "add", name, ...before].map(typed), shown, ...after.map(typed)].join(" ")
  return Either.right({ line, isRedacted: shown !== plain })
}
