import * as Either from "effect/Either"
import { excerpt } from "../../../text/excerpt.ts"
import { sentence } from "../../../text/sentence.ts"
import { ask, deny, strictest, type Verdict } from "../../Verdict.ts"
import { isExpendablePlace } from "../DestructiveFiles.ts"
import { normalise } from "../LexicalPath.ts"
import type { ShellContext } from "../ShellContext.ts"
import { isTemporary } from "../TemporaryPlaces.ts"
import { unknownPart } from "./Step.ts"
import type { Touched } from "./Touched.ts"
import type { WordPaths } from "./WordPaths.ts"

/** What is protected in a directory of its own, which an archive or a copy may bring. */
const within = ["hooks/pre-commit", "workflows/x.yml", "tasks.json", "settings.json"]

/** Judges what commands write and delete. */
export class Changes {
  readonly #context: ShellContext
  readonly #words: WordPaths

  constructor(context: ShellContext, words: WordPaths) {
    this.#context = context
    this.#words = words
  }

  /** Why a place that is written is asked about or refused, with what comes into it by name. */
  written(
    path: string,
    place: string,
    { by, fills, named, removes }: Pick<Touched, "by" | "fills" | "named" | "removes">
  ): Verdict | undefined {
    const { home, judgePath, protectedChange, roots } = this.#context
    const told = (verdict: Verdict): Verdict => {
      const reason = sentence(`${excerpt(by)} changes ${excerpt(this.#words.short(path))}: ${verdict.reason}`)
      return verdict.decision === "deny" ? deny(verdict.rule, reason) : ask(verdict.rule, reason)
    }
    const guard = protectedChange?.(path)
    if (guard?.decision === "deny") return told(guard)
    const verdict = judgePath(path, "write")
    const { rule } = verdict
    if (verdict.decision !== "allow" && rule !== "path/outside" && rule !== "path/not-a-file") return told(verdict)
    const names = (named ?? []).map(({ value }) => value.slice(value.lastIndexOf("/") + 1))
    const isRoot = roots.some((root) => normalise(root) === (this.#words.led(path) ?? place))
    for (const child of fills === true ? within : []) {
      const brought = this.written(`${path}/${child}`, normalise(`${path}/${child}`), { by })
      if (brought !== undefined && brought.rule !== "path/outside" && brought.rule !== "path/not-a-directory")
        return brought
    }
    if (
      fills === true &&
      isRoot &&
      (named === undefined || names.some((name) => name === "" || /^\.{1,2}$/.test(name)))
    )
      return ask("shell/not-known", `${excerpt(by)} writes files into the workspace that no word names.`)
    const isFree = rule !== "path/outside" || isTemporary(this.#words.led(path) ?? place, home)
    const own = isFree
      ? undefined
      : ask(
          "path/outside",
          `${excerpt(by)} changes ${excerpt(this.#words.short(path))}, which is outside the workspace.`
        )
    const gone = removes === true && own === undefined ? this.#removed(path, place, by) : undefined
    if (verdict.decision === "allow" && !this.#words.isDirectory(path)) return gone
    const children = names.filter((name) => name !== "" && !/[*?[]|^\.{1,2}$/.test(name) && !name.includes(unknownPart))
    return children.reduce<Verdict | undefined>((worst, name) => {
      const child = this.written(`${path}/${name}`, normalise(`${path}/${name}`), { by })
      return child === undefined ? worst : worst === undefined ? child : strictest(worst, child)
    }, own ?? gone)
  }

  /** What is there, and would not be made again, is gone for good. */
  #removed(path: string, place: string, by: string): Verdict | undefined {
    const { isIgnored, resolve, roots } = this.#context
    const led = resolve?.(path)
    const isThere = led !== undefined && (Either.isLeft(led) || led.right.kind !== "missing")
    return isThere && !isExpendablePlace(place, { isIgnored, roots })
      ? ask("shell/removes", `${excerpt(by)} deletes ${excerpt(this.#words.short(path))}.`)
      : undefined
  }
}
