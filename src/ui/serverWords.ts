import { isProgram, type KnownServer } from "../mcp/KnownServer.ts"
import type { Offer } from "../mcp/Manifest.ts"
import type { Standing } from "../mcp/Pins.ts"
import { unifiedDiff } from "../tools/files/UnifiedDiff.ts"
import { typed } from "../text/ShellWord.ts"
import { makeVisible, visibleLine } from "../text/visible.ts"
import { many } from "./Words.ts"

/** What a server is started with or reached by: all of it, with the names of what it gets and never their values. */
export const commandWords = ({ server }: Pick<KnownServer, "server">): string =>
  makeVisible(isProgram(server) ? server.command.map(typed).join(" ") : server.url)

/** Variables by which a program runs other code than its command says: they are shown with their values. */
const choosesCode =
  /^(?:PATH|(?:LD|DYLD|GIT|UV|PIP|NPM_CONFIG)_.*|NODE_(?:OPTIONS|PATH)|PYTHON(?:PATH|HOME|STARTUP)|PERL5(?:LIB|OPT)|RUBY(?:LIB|OPT)|BASH_ENV|ENV|(?:JAVA_TOOL|JDK_JAVA|_JAVA)_OPTIONS)$/i

/** The variables that it gets of the user's environment. */
export const variableWords = ({
  given,
  origin,
  server
}: Pick<KnownServer, "given" | "origin" | "server">): ReadonlyArray<string> => [
  ...Object.entries((isProgram(server) ? server.env : server.headers) ?? {}).map(([name, reference]) =>
    makeVisible(`${name} from ${reference.replace(/^.*env:/, "$")}`)
  ),
  ...Object.entries(given).map(([name, value]) =>
    makeVisible(`${name}${choosesCode.test(name) ? `=${value}` : ""} by its ${origin === "editor" ? "editor" : "file"}`)
  )
]

const states = ["approved", "pending", "changed", "gone"] as const

/** `12 approved, 1 changed`. */
export const standingWords = (standings: ReadonlyArray<Standing>): string => {
  const counted = states.flatMap((state) => {
    const count = standings.filter((one) => one.state === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return counted.length === 0 ? "nothing offered" : counted.join(", ")
}

/** Tokens that the approved tools take of a request to a model, by four characters each. */
export const tokensOf = (standings: ReadonlyArray<Standing>): number =>
  Math.round(
    standings
      .filter(({ kind, state }) => kind === "tool" && state === "approved")
      .reduce((sum, { now }) => sum + JSON.stringify(now?.definition ?? {}).length, 0) / 4
  )

/** `3 tools and 1 prompt`. */
export const offerWords = (standings: ReadonlyArray<Standing>): string => {
  const count = (kind: Standing["kind"]) => standings.filter((one) => one.kind === kind && one.state !== "gone").length
  return [
    many(count("tool"), "tool"),
    ...(count("prompt") === 0 ? [] : [many(count("prompt"), "prompt")]),
    ...(count("template") === 0 ? [] : [many(count("template"), "resource template")])
  ].join(", ")
}

const pretty = (offer: Offer | undefined): string | undefined =>
  offer === undefined ? undefined : `${JSON.stringify(offer.definition, null, 2)}\n`

/** `changed  tool echo`. */
export const standingTitle = ({ kind, name, renamedFrom, state }: Standing): string =>
  visibleLine(
    `${state}  ${kind} ${name}${renamedFrom === undefined ? "" : ` (the same as ${renamedFrom}, which is gone: renamed)`}`
  )

/** What differs between what was approved and what is offered, whole. */
export const definitionDiff = ({ kind, name, now, was }: Pick<Standing, "kind" | "name" | "now" | "was">): string =>
  makeVisible(unifiedDiff(pretty(was), pretty(now), visibleLine(`${kind}/${name}`)).trimEnd())
