import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Either, Exit, Schema, Stream } from "effect"
import * as fs from "node:fs"
import { nominal, PathInput } from "../../corpus/PathCase.ts"
import * as FileReader from "../../../src/policy/path/FileReader.ts"
import * as FileRemover from "../../../src/policy/path/FileRemover.ts"
import * as FileWriter from "../../../src/policy/path/FileWriter.ts"
import * as PathContext from "../../../src/policy/path/PathContext.ts"
import type { PathOp } from "../../../src/policy/path/PathOp.ts"
import { judge, judgeLexical, type JudgedPath } from "../../../src/policy/path/PathPolicy.ts"
import { walk } from "../../../src/policy/path/Walk.ts"
import { corpus, type Row } from "../../support/corpora.ts"
import { Scratch, secret, type Entry } from "./scratch.ts"

interface Input {
  readonly op: string
  readonly path: string
  readonly cwd: string
  readonly roots: ReadonlyArray<string>
  readonly home: string
  readonly platform?: NodeJS.Platform
  readonly fs?: ReadonlyArray<Entry>
  readonly between?: ReadonlyArray<Entry>
}

const contextOf = (scratch: Scratch, input: Input): PathContext.PathContext =>
  scratch.context({
    cwd: scratch.at(input.cwd),
    roots: input.roots.map(scratch.at),
    home: scratch.at(input.home),
    // One row spells the placeholder of our state directory by another name.
    stateDirs: [scratch.at("/w/.tollgate"), scratch.at("/w/.agentrt")],
    ...(input.platform === undefined ? {} : { platform: input.platform })
  })

const caseOf = Schema.decodeUnknownSync(PathInput)

/** What was seen: names found and text read. */
interface Seen {
  readonly names: ReadonlyArray<string>
  readonly text: string
}

const nothing: Seen = { names: [], text: "" }

const use = (judged: JudgedPath, context: PathContext.PathContext) => {
  const written = Buffer.from("new")
  if (judged.op === "read") {
    return Effect.map(FileReader.read(judged as JudgedPath<"read">), ({ bytes }): Seen => ({
      names: [],
      text: Buffer.from(bytes).toString("latin1")
    }))
  }
  if (judged.op === "write") return Effect.as(FileWriter.write(judged as JudgedPath<"write">, written), nothing)
  if (judged.op === "remove") return Effect.as(FileRemover.remove(judged as JudgedPath<"remove">), nothing)
  return walk(judged as JudgedPath<"list" | "glob" | "grep">).pipe(
    Stream.filter((entry) => entry.kind === "file" && entry.decision === "allow"),
    Stream.mapEffect((entry) =>
      judge(entry.path, "read", context).pipe(
        Effect.flatMap((file) => FileReader.read(file)),
        Effect.map(({ bytes }) => [entry.path, Buffer.from(bytes).toString("latin1")] as const)
      )
    ),
    Stream.runCollect,
    Effect.map((found): Seen => ({
      names: [...found].map(([name]) => name),
      text: [...found].map(([, text]) => text).join("")
    }))
  )
}

const checkInvariants = (row: Row<Input>, scratch: Scratch, seen: Seen) => {
  for (const invariant of row.invariants ?? []) {
    const [name, argument = ""] = invariant.split("=")
    if (name === "creates") assert.isTrue(fs.existsSync(scratch.at(argument)), invariant)
    if (name === "noResultUnder")
      assert.deepStrictEqual(
        seen.names.filter((found) => found.startsWith(scratch.at(argument))),
        []
      )
  }
  assert.notInclude(seen.text, secret)
  assert.deepStrictEqual(scratch.leftovers(), [])
}

const operations: ReadonlySet<string> = new Set<PathOp>(["read", "write", "remove", "list", "glob", "grep"])

const rows = corpus<Input>("b_paths")

describe("the corpus of paths", () => {
  for (const row of rows.filter(({ input }) => operations.has(input.op))) {
    it.scopedLive(`${row.id}: ${row.why} (S2)`, () =>
      Effect.gen(function* () {
        const { input } = row
        const scratch = yield* Scratch.fixture
        scratch.build(input.fs ?? [])
        const context = contextOf(scratch, input)
        // A search is for a text; where it looks is the working directory.
        const path = input.op === "grep" ? "." : scratch.at(input.path)
        const outside = scratch.snapshot(input.cwd)
        const lexical = judgeLexical(path, input.op as PathOp, context)
        const judged = yield* Effect.either(judge(path, input.op as PathOp, context))
        const verdict = Either.isRight(judged)
          ? nominal(input.op === "grep" ? "." : input.path, judged.right, caseOf(input), scratch)
          : judged.left.verdict
        let { decision } = verdict
        let seen = nothing
        if (Either.isRight(judged) && decision === "allow") {
          if (lexical.decision === "deny") assert.fail("the physical judgement is laxer than the lexical one")
          scratch.build(input.between ?? [])
          const exit = yield* Effect.exit(use(judged.right, context))
          if (Exit.isSuccess(exit)) seen = exit.value
          else {
            const failure = Cause.failureOption(exit.cause)
            if (failure._tag === "None") return yield* exit
            if (failure.value._tag === "PathRefused") decision = "deny"
          }
        }
        const accepted = row.accept ?? [row.expected]
        assert.include(accepted, decision)
        checkInvariants(row, scratch, seen)
        if (input.roots.every((root) => root === input.cwd)) {
          assert.deepStrictEqual(scratch.snapshot(input.cwd), outside)
        }
      })
    )
  }

  for (const row of rows.filter(({ input }) => input.op === "config")) {
    it.scopedLive(`${row.id}: ${row.why} (S2)`, () =>
      Effect.gen(function* () {
        const { input } = row
        const scratch = yield* Scratch.fixture
        const context = contextOf(scratch, input)
        const [, setting, value] = /^(roots|cwd)[^=]*=\s*(.*)$/.exec(input.path) ?? []
        const parsed: unknown = JSON.parse((value ?? "").replaceAll("'", '"'))
        const place = (name: unknown) => (name === "/" ? "/" : scratch.at(String(name)))
        if (setting === "cwd") {
          const changed = yield* Effect.either(PathContext.changeDirectory(context, place(parsed)))
          assert.isTrue(Either.isLeft(changed))
        } else {
          const roots = (parsed as ReadonlyArray<unknown>).map(place)
          assert.isTrue(Either.isLeft(yield* Effect.either(PathContext.make({ ...context, roots }))))
          assert.strictEqual(judgeLexical("README.md", "read", { ...context, roots }).decision, "deny")
        }
      })
    )
  }
})
