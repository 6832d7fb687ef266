import * as Either from "effect/Either"
import type { PathContext } from "../policy/path/PathContext.ts"
import { ledTo } from "../policy/path/PhysicalPath.ts"
import { judgeLexical, judgeNow } from "../policy/path/PathPolicy.ts"
import { normalise } from "../policy/path/PathText.ts"
import { isTemporary } from "../policy/shell/TemporaryPlaces.ts"
import type { Effects } from "../policy/shell/Effects.ts"
import { ask, deny, type Verdict } from "../policy/Verdict.ts"
import { excerpt } from "../text/excerpt.ts"
import { withoutDocuments } from "./quotedDocuments.ts"
import { secretVariable } from "./secretVariable.ts"

const maximumWords = 256
const maximumWord = 512

/** Where programs are, and what every program is given. */
const common =
  /^\/(?:usr\/(?:local\/)?)?s?bin\/|^\/dev\/(?:null|zero|u?random|tty|std(?:in|out|err)|fd\/\d+)$|^\/opt\/|^\/nix\//

/** What only computes: a slash there divides. */
const arithmetic = /\(\([\w\s+*/%<>=!&|?:,~^$-]*(?:\([\w\s+*/%<>=!&|?:,~^$-]*\)[\w\s+*/%<>=!&|?:,~^$-]*)*\)\)/g

/** The root by itself, and not a sign at the ends of a pattern. */
const root = /(?:^|[\s=:])["']?\/["']?(?=$|[\s;|&)<>])/

const tokens = (text: string): ReadonlyArray<string> => {
  const isRoot = root.test(text)
  return withoutDocuments(text)
    .replaceAll(arithmetic, " ")
    .split(/[^\p{L}\p{N}_./~+@%*?-]+/u)
    .filter((part) => part !== "" && (part !== "/" || isRoot))
}

/** What a word could name as a path: after `~` and the letters of an option. */
const placed = (word: string, home: string): string => word.replace(/^~(?=\/|$)/, home)

const isExplicit = (word: string): boolean => /^(?:\/|~\/|\.\.\/|\.\.$|~$)/.test(word)

/** Directories and files in which agents have their configuration. */
const configures =
  /(?:^|\/)(?:\.(?:claude|codex|gemini|qwen|cursor|copilot|opencode|tollgate|agents)(?:\/|$)|\.claude\.json$|opencode\.jsonc?$|\.github\/hooks(?:\/|$)|\.mcp\.json$)/i

const outside = (word: string): Verdict =>
  ask("path/outside", `It is about ${excerpt(word)}, which is outside the workspace.`)

/** Whether a word of a command that may do anything is a reason to ask, or to refuse. */
const ofWord = (word: string, context: PathContext): Verdict | undefined => {
  const name = placed(word, context.home)
  if (configures.test(name))
    return ask("path/agent-settings", `It is about ${excerpt(word)}, the configuration of an agent.`)
  const verdict = Either.match(judgeNow(name, "grep", context), { onLeft: (no) => no, onRight: (yes) => yes.verdict })
  if (verdict.decision === "allow") return undefined
  if (verdict.rule !== "path/outside") {
    return /^path\/(?:credentials|own-state|own-files|secret-file|ssh-settings|home-settings|hard-link)$/.test(
      verdict.rule
    )
      ? ask(verdict.rule, `It names ${excerpt(word)}: ${verdict.reason}.`)
      : undefined
  }
  if (!isExplicit(word)) return undefined
  // In a container the same path leads elsewhere.
  const named = judgeLexical(name.slice(name.lastIndexOf("/") + 1), "grep", context)
  if (named.rule === "path/secret-file") return ask(named.rule, `It names ${excerpt(word)}: ${named.reason}.`)
  const place = normalise(name.startsWith("/") ? name : `${context.cwd}/${name}`)
  if (common.test(place) || isTemporary(ledTo(place), context.home)) return undefined
  const exists = Either.match(judgeNow(name, "grep", context), { onLeft: () => true, onRight: (found) => found.exists })
  return exists || place.split("/").length > 3 ? outside(word) : undefined
}

/** What a redirection writes to. */
const ofTarget = (target: string, context: PathContext): Verdict | undefined => {
  const name = placed(target, context.home)
  if (/^(?:\d+|-)$/.test(target)) return undefined
  const place = normalise(name.startsWith("/") ? name : `${context.cwd}/${name}`)
  if (common.test(place)) return undefined
  const verdict = Either.match(judgeNow(name, "write", context), { onLeft: (no) => no, onRight: (yes) => yes.verdict })
  if (verdict.decision === "allow") return undefined
  if (verdict.rule === "path/outside") {
    return isTemporary(ledTo(place), context.home) ? undefined : outside(target)
  }
  const reason = `It writes to ${excerpt(target)}: ${verdict.reason}.`
  return verdict.decision === "deny" ? deny(verdict.rule, reason) : ask(verdict.rule, reason)
}

/** A variable of the environment that is named for a secret, and that the text does not set itself. */
const ofVariable = (text: string, words: ReadonlyArray<string>): Verdict | undefined => {
  const name = secretVariable(text, words)
  return name === undefined
    ? undefined
    : ask("shell/secret-variable", `It uses $${name} of the environment, which may be a secret.`)
}

const rank = { deny: 2, ask: 1, allow: 0 } as const

/**
 * What the words of a shell text touch that is more than the workspace: secrets, other places, the configuration of agents. Variables
 * count also in the texts that come together in it and are read as others (`eval`, `sh -c`).
 * Nothing where no word tells of any.
 */
export const beyond = (
  { paths, shape }: Effects,
  text: string,
  context: PathContext,
  texts: ReadonlyArray<string>
): Verdict | undefined => {
  const reached = paths()
  const words = reached === "unread" ? [...shape.commands.flat(), ...tokens(text)] : [...reached.named]
  const fit = (word: string) => word.length <= maximumWord && !/[\s\0]|:\/\/|^-?\d*$|^\/\//.test(word)
  const named = [...new Set(words.filter(fit))].slice(0, maximumWords)
  const found = [
    ...shape.redirects.map((target) => ofTarget(target, context)),
    ...named.map((word) => ofWord(word, context)),
    ofVariable(text, [...shape.commands.flat(), ...texts])
  ]
  return found.reduce(
    (worst, one) =>
      one !== undefined && (worst === undefined || rank[one.decision] > rank[worst.decision]) ? one : worst,
    undefined
  )
}
