import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as os from "node:os"
import * as PathContext from "../policy/path/PathContext.ts"
import { judgeNow } from "../policy/path/PathPolicy.ts"
import { protectedVerdict } from "../policy/path/Protected.ts"
import type { Verdict } from "../policy/Verdict.ts"
import { memo } from "../system/memo.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { Disk } from "./Disk.ts"
import type { PatternRejected, Rule } from "./Rule.ts"
import { RuleBook } from "./RuleBook.ts"
import { RuleStore, type RuleStoreFailed } from "./RuleStore.ts"
import { describing, type Describing, type Subject } from "./Subject.ts"

/** A project as approvals see it: where its calls are, and what was decided for them beforehand. */
export interface ProjectOptions {
  /** Names it in the store of saved rules. */
  readonly directory: string
  /** Relative paths of calls and of rules start here, and rules for commands hold here. */
  readonly root: string
  /** The user's home directory, for the protected places in it; that of the process if unset. */
  readonly home?: string
  /** Configured rules, of the user and of the project; none if unset. */
  readonly rules?: ReadonlyArray<Rule>
  /** Whether the rules of the project count; they do not if unset. */
  readonly trusted?: boolean
  /** Why no sandbox holds commands, and what to do about it; nothing if one does. If unset, none does. */
  readonly unconfined?: Effect.Effect<string | undefined>
  /** Reads the configured rules and the trust anew, before every task; they stay what they are if unset. */
  readonly current?: Effect.Effect<Written>
}

/** The configured rules, and whether those of the project count. */
export interface Written {
  readonly rules: ReadonlyArray<Rule>
  readonly trusted: boolean
}

/** The rules that count in a project, the configured ones and those saved by answering `always`, and how its calls are understood. */
export interface ProjectRules {
  readonly directory: string
  readonly subjects: Describing
  /** Whether a call of a tool that has not looked at its parameters touches nothing but plain files of the project. */
  readonly isContained: (call: Pick<ToolCall, "tool">, subject: Subject) => boolean
  /** Whether a call reads places outside the project and plain files of it, and none that is protected. */
  readonly readsOutside: (subject: Subject) => boolean
  /** Whether all that a call says it touches lies inside the project and none of it is protected. */
  readonly isPlain: (subject: Subject) => boolean
  /** Why no sandbox holds commands, so that the mode `sandboxed` cannot be set; nothing if one does. */
  readonly unconfined: Effect.Effect<string | undefined>
  /** Already loaded rules; unset before the first load. */
  readonly peek: () => RuleBook | undefined
  readonly get: Effect.Effect<RuleBook>
  /** Reads the saved rules again, e.g. after another process has revoked one. */
  readonly reload: Effect.Effect<void>
  readonly save: (rule: Rule) => Effect.Effect<void, RuleStoreFailed>
  /** Whether there was one. */
  readonly remove: (id: string) => Effect.Effect<boolean, RuleStoreFailed>
  /** The same project with the rules saved for another directory; one directory is always the same project. */
  readonly at: (directory: string) => ProjectRules
}

const noSandbox = "The mode sandboxed needs a sandbox, and there is none here. Choose another mode."

const opOf = { read: "grep", list: "grep", write: "write", remove: "remove" } as const

/**
 * Judges by the path policy; a root that bounds nothing contains nothing, and a call with unknown touches is never
 * contained.
 */
const containedIn = (
  root: string,
  home: string
): Effect.Effect<Pick<ProjectRules, "isContained" | "readsOutside" | "isPlain">> => {
  const boundary = { cwd: root, roots: [root], home, trusted: false, stateDirs: [] }
  return Effect.map(
    Effect.orElseSucceed(PathContext.make(boundary), () => boundary),
    (context) => {
      const every = (
        subject: Subject,
        byCommand: "grep" | "write",
        accepts: (verdict: Verdict, place: string, path: string) => boolean
      ): boolean | undefined => {
        const reached = subject.reached()
        if (!subject.declared || reached === "unread") return false
        const places = [
          ...subject.places.flatMap(({ op, paths }) => paths.map((path) => [path, opOf[op]] as const)),
          ...[...reached.named, ...reached.mentioned].map((path) => [path, byCommand] as const)
        ]
        if (places.length === 0) return undefined
        return places.every(([place, op]) =>
          Either.match(judgeNow(place, op, context), {
            onLeft: () => false,
            onRight: ({ path, verdict }) => accepts(verdict, place, path)
          })
        )
      }
      const isUnprotected = (name: string) => (protectedVerdict(name, "see", context)?.decision ?? "allow") === "allow"
      return {
        isContained: ({ tool }, subject) =>
          every(subject, tool.readOnly ? "grep" : "write", ({ decision }) => decision === "allow") ?? tool.readOnly,
        isPlain: (subject) =>
          subject.declared && (every(subject, "write", ({ decision }) => decision === "allow") ?? true),
        readsOutside: (subject) =>
          !subject.more &&
          subject.hosts.length === 0 &&
          every(
            subject,
            "grep",
            ({ decision, rule }, ...names) =>
              decision === "allow" || (rule === "path/outside" && names.every((name) => isUnprotected(name)))
          ) === true
      }
    }
  )
}

/** Reads the rules of a project once for all its sessions. Fails if a configured rule cannot be used; such a saved one is left out. */
export const make = ({
  directory,
  home = os.homedir(),
  root,
  rules = [],
  trusted = false,
  ...options
}: ProjectOptions): Effect.Effect<ProjectRules, PatternRejected, RuleStore> =>
  Effect.gen(function* () {
    const store = yield* RuleStore
    const { current = Effect.succeed({ rules, trusted }), unconfined = Effect.succeed(noSandbox) } = options
    const disk = yield* Disk
    const { resolve } = disk
    const bookOf = (rules: ReadonlyArray<Rule>, { trusted }: Written) =>
      RuleBook.make(rules, { root, trusted, resolve })
    let written: Written = { rules, trusted }
    let configured = yield* bookOf(rules, written)
    const subjects = describing(root, home, disk)
    const refresh = Effect.map(current, (now) => {
      if (now.rules === written.rules) return
      // What cannot be used any more allows nothing.
      const strict = { ...written, rules: written.rules.filter(({ decision }) => decision !== "allow") }
      written = Either.isRight(bookOf(now.rules, now)) ? now : strict
      configured = Either.getOrElse(bookOf(written.rules, written), () => configured)
    })
    const contained = yield* containedIn(root, home)
    const withSaved = (saved: ReadonlyArray<Rule>): RuleBook => {
      const usable = saved.filter((rule) => Either.isRight(bookOf([rule], written)))
      return usable.length === 0
        ? configured
        : Either.getOrElse(bookOf([...written.rules, ...usable], written), () => configured)
    }
    const open = (directory: string): ProjectRules => {
      let book: RuleBook | undefined
      const load = Effect.zipRight(refresh, store.list(directory)).pipe(
        Effect.tapError((error) => Effect.logWarning(error.message)),
        Effect.orElseSucceed((): ReadonlyArray<Rule> => []),
        Effect.map((saved) => (book = withSaved(saved)))
      )
      return {
        directory,
        subjects,
        ...contained,
        unconfined,
        peek: () => book,
        get: Effect.suspend(() => (book === undefined ? load : Effect.succeed(book))),
        reload: Effect.asVoid(load),
        save: (rule) => Effect.zipRight(store.save(directory, rule), load),
        remove: (id) => Effect.zipLeft(store.remove(directory, id), load),
        at
      }
    }
    const at = memo(new Map<string, ProjectRules>(), open)
    return at(directory)
  })
