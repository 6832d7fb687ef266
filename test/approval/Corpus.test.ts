import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeVisible } from "../../src/redaction/visible.ts"
import { plain } from "../../src/approval/rendering/Line.ts"
import { promptLines } from "../../src/approval/rendering/Prompt.ts"
import { corpus } from "../support/corpora.ts"
import { type Expected, type Input, type Outcome, play } from "./Interpreter.ts"

const shownOf = ({ requests }: Outcome): string =>
  requests.flatMap((request) => promptLines(request, { ahead: 0 }).map(plain)).join("\n")

/** Whether the call was refused before anybody was asked, or the text is in what was shown. */
const refusedOrShown =
  (...texts: ReadonlyArray<string>) =>
  (outcome: Outcome) => {
    if (outcome.prompts === 0) return
    for (const text of texts) assert.include(shownOf(outcome), text)
  }

/** What a row demands beyond its fields, by its own words. */
const invariants: Readonly<Record<string, (outcome: Outcome) => void>> = {
  "no approval row exists": ({ prompts }) => assert.strictEqual(prompts, 0),
  "refused, or shown as <U+202E>": refusedOrShown("\\u{202E}"),
  "refused, or shown as <U+00A0>": refusedOrShown("\\u{A0}"),
  "refused, or shown": (outcome) => assert.strictEqual(makeVisible(shownOf(outcome)), shownOf(outcome)),
  "refused or escaped": (outcome) => assert.strictEqual(makeVisible(shownOf(outcome)), shownOf(outcome)),
  "runs of blanks are collapsed visibly with a count": (outcome) => assert.match(shownOf(outcome), /\[\d+ blanks\]/),
  "the number of parsed commands (2) is shown": (outcome) => assert.include(shownOf(outcome), "commands: 2"),
  "rm -rf src is visible without scrolling": (outcome) => assert.include(shownOf(outcome), "rm -rf src"),
  "head, tail, length and hash shown": (outcome) => assert.match(shownOf(outcome), /\[\d+ characters, sha256 \w{64}\]/),
  "session scope is not offered for truncated text": ({ requests }) =>
    assert.deepStrictEqual(
      requests.map(({ scopes }) => scopes),
      [["once"]]
    ),
  "every command line carries a margin mark": (outcome) => {
    for (const line of shownOf(outcome).split("\n")) if (/yes|Approval Required/.test(line)) assert.match(line, /^│ /)
  },
  "host shown as xn--exmple-4nf.com": (outcome) => assert.include(shownOf(outcome), "host: xn--exmple-4nf.com"),
  "model-written description is labelled as such and never replaces the arguments": (outcome) => {
    if (outcome.prompts > 0) assert.include(shownOf(outcome), "description (the model's own words)")
  },
  "template substitution is single-pass; braces in arguments stay literal": (outcome) =>
    assert.include(shownOf(outcome), "ls {command}"),
  "the prompt shows the complete command": (outcome) => assert.include(shownOf(outcome), "ls; rm -rf src"),
  "one audit row = one JSON line; newlines escaped": ({ audit }) => assert.isAbove(audit.length, 0),
  "verify fails at that row": ({ verification }) =>
    assert.isTrue(verification?.intact === false && verification.entry === 1),
  "verify fails against the anchored head (count, hash)": ({ verification }) =>
    assert.isTrue(verification?.intact === false),
  "at most 3 prompts for an identical denied call in a task; later ones auto-deny": ({ prompts }) =>
    assert.isAtMost(prompts, 3),
  "pending queue is bounded (default 32)": ({ prompts }) => assert.strictEqual(prompts, 32),
  "user's edit survives": ({ world }) => assert.strictEqual(world.machine.files.get("/w/a"), "mine"),
  "c2 not executed": ({ executed }) => assert.notInclude(executed, "c2")
}

const check = (expected: Expected, outcome: Outcome) => {
  const certain = expected.executed.filter((id) => !id.endsWith("?"))
  const possible = expected.executed.map((id) => id.replace("?", ""))
  for (const id of certain) assert.include(outcome.executed, id)
  for (const id of outcome.executed) assert.include(possible, id)
  assert.strictEqual(new Set(outcome.executed).size, outcome.executed.length, "a call ran twice")
  if (expected.prompts !== undefined) assert.strictEqual(outcome.prompts, expected.prompts, "prompts")
  for (const [label, accepted] of Object.entries(expected.errors ?? {})) {
    assert.include(accepted.split("|"), outcome.errors.get(label), `the error of ${label}`)
  }
  for (const kind of expected.auditContains ?? []) assert.include(outcome.audit, kind)
  for (const words of expected.invariants ?? []) invariants[words]?.(outcome)
}

describe("the approval corpus against the real runtime (A1–A11)", () => {
  for (const { expected, id, input, why } of corpus<Input, Expected>("d_approval")) {
    it.scoped(`${id}: ${why}`, () => Effect.map(play(input), (outcome) => check(expected, outcome)))
  }
})
