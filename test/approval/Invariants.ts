import { assert } from "@effect/vitest"
import { makeVisible } from "../../src/text/visible.ts"
import type { Outcome } from "./Interpreter.ts"
import { plain, promptLines } from "./promptLines.ts"
import type { Expected } from "./Step.ts"

type Check = (outcome: Outcome) => void

const shownOf = ({ requests }: Outcome): string =>
  requests.flatMap((request) => promptLines(request).map(plain)).join("\n")

/** Whether the call was refused before anybody was asked, or the text is in what was shown. */
const refusedOrShown =
  (...texts: ReadonlyArray<string>): Check =>
  (outcome) => {
    if (outcome.prompts === 0) return
    for (const text of texts) assert.include(shownOf(outcome), text)
  }

const allVisible: Check = (outcome) => assert.strictEqual(makeVisible(shownOf(outcome)), shownOf(outcome))
const notIntact: Check = ({ verification }) => assert.isTrue(verification?.intact === false)
const onlyOnce: Check = ({ requests }) => {
  for (const { scopes } of requests) assert.deepStrictEqual(scopes, ["once"])
}
const marginEverywhere: Check = (outcome) => {
  for (const line of shownOf(outcome).split("\n")) if (/yes|Approval Required/.test(line)) assert.match(line, /^│ /)
}
const has =
  (kind: string): Check =>
  ({ audit }) =>
    assert.include(
      audit.map((row) => row.kind),
      kind
    )
const noGrants: Check = ({ audit }) => assert.isFalse(audit.some(({ kind }) => kind === "rule_saved"))

/** What a row demands beyond its fields, by its own words. */
const invariants: Readonly<Record<string, Check>> = {
  "no approval row exists": ({ prompts }) => assert.strictEqual(prompts, 0),
  "no client event is emitted": ({ requests }) => assert.deepStrictEqual(requests, []),
  "refused, or shown as <U+202E>": refusedOrShown("\\u{202E}"),
  "refused, or shown as <U+00A0>": refusedOrShown("\\u{A0}"),
  "refused, or shown": allVisible,
  "refused or escaped": allVisible,
  "runs of blanks are collapsed visibly with a count": (outcome) => assert.match(shownOf(outcome), /\[\d+ blanks\]/),
  "the number of parsed commands (2) is shown": (outcome) => assert.include(shownOf(outcome), "commands: 2"),
  "rm -rf src is visible without scrolling": (outcome) => assert.include(shownOf(outcome), "rm -rf src"),
  "head, tail, length and hash shown": (outcome) => assert.match(shownOf(outcome), /\[\d+ characters, sha256 \w{64}\]/),
  "session scope is not offered for truncated text": onlyOnce,
  "every command line carries a margin mark": marginEverywhere,
  "runtime text and command text are visually distinct": marginEverywhere,
  "host shown as xn--exmple-4nf.com": (outcome) => assert.include(shownOf(outcome), "host: xn--exmple-4nf.com"),
  "model-written description is labelled as such and never replaces the arguments": (outcome) => {
    if (outcome.prompts > 0) assert.include(shownOf(outcome), "description (the model's own words)")
  },
  "template substitution is single-pass; braces in arguments stay literal": (outcome) =>
    assert.include(shownOf(outcome), "ls {command}"),
  "the prompt shows the complete command": (outcome) => assert.include(shownOf(outcome), "ls; rm -rf src"),
  "one audit row = one JSON line; newlines escaped": ({ audit }) => {
    assert.isAbove(audit.length, 0)
    for (const row of audit) assert.notInclude(JSON.stringify(row), "\n")
  },
  "verify fails at that row": ({ verification }) =>
    assert.isTrue(verification?.intact === false && verification.entry === 1),
  "verify fails against the anchored head (count, hash)": notIntact,
  "verify fails": notIntact,
  "verify succeeds": ({ verification }) => assert.isTrue(verification?.intact),
  "at most 3 prompts for an identical denied call in a task; later ones auto-deny": ({ prompts }) =>
    assert.isAtMost(prompts, 3),
  "pending queue is bounded (default 32)": ({ prompts }) => assert.isAtMost(prompts, 32),
  "user's edit survives": ({ world }) => assert.strictEqual(world.machine.files.get("/w/a"), "mine"),
  "c2 not executed": ({ executed }) => assert.notInclude(executed, "c2"),
  "audit has both": ({ audit }) => {
    assert.isTrue(audit.some(({ kind }) => kind === "resolved"))
    assert.isTrue(audit.some(({ kind }) => kind === "decision_refused"))
  },
  "the loser gets ApprovalAlreadyResolved": ({ errors }) =>
    assert.isTrue([...errors].some(([, tags]) => tags.includes("ApprovalAlreadyResolved"))),
  "exactly one of {executed, expired}; state and audit agree": ({ audit, executed }) =>
    assert.deepStrictEqual(
      audit.flatMap(({ kind, outcome }) => (kind === "resolved" ? [outcome] : [])),
      [executed.length === 1 ? "granted" : "expired"]
    ),
  "registration warning is audited": has("registration_warning"),
  "neither tool is registered under a built-in or reserved name": ({ world }) => {
    for (const { name } of world.tools) assert.notInclude(name, "client.")
    assert.strictEqual(world.tools.filter(({ name }) => name === "read_file").length, 1)
  },
  "both are reachable only as mcp__evil__<name>": ({ world }) =>
    assert.strictEqual(world.tools.filter(({ name }) => /^mcp__evil__\w+$/.test(name)).length, 2),
  "nothing persists across sessions": noGrants,
  "input in the first 300 ms of a prompt is ignored": ({ executed }) => assert.deepStrictEqual(executed, []),
  "type-ahead is flushed": ({ executed }) => assert.deepStrictEqual(executed, []),
  "a no comes from what was decided before, not from a prompt": has("automatic")
}

/** Invariants with a part of the row in them. */
const families: ReadonlyArray<readonly [RegExp, (outcome: Outcome, ...parts: ReadonlyArray<string>) => void]> = [
  [/^(c\d+) (?:is )?(?:still )?pending$/, ({ pending }, call) => assert.include(pending, call)],
  [/^(c\d+) (?:is )?not executed$/, ({ executed }, call) => assert.notInclude(executed, call)],
  [/^the prompt shows (.+)$/s, (outcome, text = "") => assert.include(shownOf(outcome), text)],
  [/^the prompt does not show (.+)$/s, (outcome, text = "") => assert.notInclude(shownOf(outcome), text)],
  [/^the audit does not hold (.+)$/s, ({ audit }, text = "") => assert.notInclude(JSON.stringify(audit), text)],
  [
    /^(.+) stands behind a margin$/s,
    (outcome, text = "") => {
      const lines = shownOf(outcome)
        .split("\n")
        .filter((line) => line.includes(text))
      assert.isAbove(lines.length, 0)
      for (const line of lines) assert.match(line, /^│ /)
    }
  ]
]

const checkOf = (words: string): Check | undefined => {
  const own = invariants[words]
  if (own !== undefined) return own
  for (const [form, test] of families) {
    const parts = form.exec(words)
    if (parts !== null) return (outcome) => test(outcome, ...parts.slice(1))
  }
  return undefined
}

export const isKnownInvariant = (words: string): boolean => checkOf(words) !== undefined

/** Holds a row to its word. Invariants that say nothing a test could look at here, or that nobody knows, are left out. */
export const check = (expected: Expected, outcome: Outcome): void => {
  if (expected.executed !== undefined) {
    const certain = expected.executed.filter((id) => !id.endsWith("?"))
    const possible = expected.executed.map((id) => id.replace("?", ""))
    for (const id of certain) assert.include(outcome.executed, id)
    for (const id of outcome.executed) assert.include(possible, id)
    assert.strictEqual(new Set(outcome.executed).size, outcome.executed.length, "a call ran twice")
  }
  if (expected.prompts !== undefined) assert.strictEqual(outcome.prompts, expected.prompts, "prompts")
  for (const [label, accepted] of Object.entries(expected.errors ?? {})) {
    const found = outcome.errors.get(label) ?? []
    assert.isTrue(
      accepted.split("|").some((tag) => found.includes(tag)),
      `the error of ${label} is ${found.join(" or ") || "none"}, not ${accepted}`
    )
  }
  const kinds = outcome.audit.flatMap(({ kind, outcome: end }) => [kind, end ?? ""])
  for (const kind of expected.auditContains ?? []) assert.include(kinds, kind)
  for (const words of expected.invariants ?? []) checkOf(words)?.(outcome)
}
