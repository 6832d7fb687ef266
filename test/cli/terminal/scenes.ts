import { Effect } from "effect"
import { modes } from "../../../src/approval/ApprovalPolicy.ts"
import * as PlanQuestion from "../../../src/cli/prompt/PlanQuestion.ts"
import { rewindLines } from "../../../src/cli/rewindLines.ts"
import { detailsOf } from "../../../src/cli/terminal/approval/RequestBody.ts"
import type { Form } from "../../../src/cli/terminal/Form.ts"
import { pager } from "../../../src/cli/terminal/Pager.ts"
import { Palette } from "../../../src/cli/terminal/Palette.ts"
import { PromptQueue } from "../../../src/cli/terminal/PromptQueue.ts"
import { RewindPreviewed } from "../../../src/runtime/RuntimeEvent.ts"
import { type Standing, statusLine } from "../../../src/cli/terminal/StatusLine.ts"
import type { Style } from "../../../src/cli/terminal/Style.ts"
import type { ApprovalRequest } from "../../../src/tool/ApprovalRequest.ts"
import type { CallShown, Display } from "../../../src/ui/Display.ts"
import { Ui } from "../../../src/ui/Ui.ts"
import { trusted } from "../../../src/tool/ToolEvent.ts"
import { requested } from "../../approval/requested.ts"
import { fakeScreen } from "./fakeScreen.ts"

/** Something that a person sees: what is displayed, and what is asked then, if anything. */
export interface Scene {
  readonly name: string
  readonly displays?: ReadonlyArray<Display>
  readonly diff?: string
  readonly ask?: (ui: Ui["Type"], form: Form["Type"]) => Effect.Effect<unknown>
  /** Rows that stand by themselves. */
  readonly rows?: (width: number, style: Style) => ReadonlyArray<string>
}

const call = (tool: string, args: unknown): CallShown => ({
  key: `${tool}${JSON.stringify(args)}`,
  tool,
  arguments: JSON.stringify(args),
  worker: ["root"]
})
const began = (of: CallShown): Display => ({ _tag: "CallBegan", call: of })
const output = (of: CallShown, text: string): Display => ({ _tag: "CallOutput", call: of, channel: "stdout", text })
const ended = (of: CallShown, outcome: "done" | "failed" | "interrupted", text = "") => ({
  _tag: "CallEnded" as const,
  call: of,
  outcome,
  text,
  durationMillis: 1234,
  endedAt: 0
})
const started = (of: CallShown): Display => ({ _tag: "CallStarted", call: of })
const note = (level: "info" | "warning" | "error", text: string): Display => ({ _tag: "Note", level, text })

const shell = call("run_shell", { command: "npm test -- --reporter=dot test/cart.test.js" })
const reads = ["src/cart.js", "src/money.js", "test/cart.test.js"].map((path) => call("read_file", { path }))
const edit = call("edit_file", { path: "src/cart.js", old: "a", new: "b" })
const diff = [
  "--- src/cart.js",
  "+++ src/cart.js",
  "@@ -6,3 +6,3 @@",
  " const total = (items, discount) => {",
  "-  return sum - items.length * discount",
  "+  return Math.round(sum * (1 - discount) * 100) / 100",
  " }"
].join("\n")
const markdown = [
  "# Findings",
  "",
  "The **total** is `sum` minus the _discount_, see [the issue](https://example.org/1).",
  "",
  "| name | cells | 値段 |",
  "|---|---:|---|",
  "| りんご | 120 | 高い 🍎 |",
  "| a longer name than the others | 7 | cheap 👩‍💻 |",
  "",
  "1. first, with so many words that it has to go on in the next row of a narrow screen",
  "   - 你好，世界",
  "2. second",
  "",
  "```js",
  "const total = items.reduce((sum, { price }) => sum + price, 0) // a comment at the end",
  "```",
  "",
  "> quoted 🎉"
].join("\n")

const request = requested(
  { command: "git push origin main" },
  {
    risk: "medium",
    message: "run git push origin main",
    scopes: ["once", "session"],
    grant: "run_shell: git push origin main",
    timeoutMillis: 0
  }
)
const approve =
  (given: Partial<ApprovalRequest> = {}, waiting = 0) =>
  (ui: Ui["Type"]) =>
    ui.approve({ call: shell, request: { ...request, ...given }, waiting: () => waiting })

const standing: Omit<Standing, "mode"> = {
  profile: "gpt-5",
  branch: { name: "feature/cart", dirty: true },
  sandbox: "sandbox off",
  context: { tokens: 34_000, window: 100_000 },
  workers: 2,
  tasks: 1
}

export const scenes: ReadonlyArray<Scene> = [
  { name: "command-ok", displays: [began(shell), output(shell, "24 passed\n"), ended(shell, "done")] },
  {
    name: "command-failed",
    displays: [
      began(shell),
      output(shell, Array.from({ length: 30 }, (_, n) => (n === 3 ? "not ok 2 - total" : `line ${n}`)).join("\n")),
      { ...ended(shell, "failed", "exit code 1"), result: "" }
    ]
  },
  {
    name: "command-colours",
    displays: [
      began(shell),
      output(shell, "\u001b[32m✓ green\u001b[0m and \u001b[1;31mred\u001b[0m\n10%\r100%\n\u001b[2Jkept visible\n"),
      ended(shell, "done")
    ]
  },
  {
    name: "command-running",
    displays: [began(shell), started(shell), output(shell, "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")]
  },
  {
    name: "reads",
    displays: [
      ...reads.flatMap((of) => [began(of), ended(of, "done", "1 const a = 1\n2 const b = 2")]),
      note("info", "then")
    ]
  },
  {
    name: "calls-waiting",
    displays: [
      began(shell),
      { _tag: "CallAsked", call: shell, request },
      began(edit),
      began(reads[0]!),
      started(reads[0]!)
    ]
  },
  { name: "edit", displays: [began(edit)], diff },
  {
    name: "markdown",
    displays: [
      { _tag: "Prompt", text: "what is wrong with the total?\nand with the names?" },
      { _tag: "Text", text: markdown },
      { _tag: "TextEnded", final: true, text: markdown }
    ]
  },
  {
    name: "thought-and-notes",
    displays: [
      { _tag: "Thought", text: "first this, then that", durationMillis: 4200 },
      note("info", "an information that is long enough to need a second row on a screen of eighty columns, surely"),
      note("warning", "a warning"),
      note("error", "an error")
    ]
  },
  {
    name: "task-failed",
    displays: [
      {
        _tag: "TaskEnded",
        outcome: "failed",
        reason: "the server did not answer",
        durationMillis: 65_000,
        requests: 3,
        calls: 4,
        failedCalls: 1,
        deniedCalls: 1,
        usage: undefined
      }
    ]
  },
  { name: "approval", ask: approve() },
  {
    name: "approval-diff-of-three",
    ask: approve(
      {
        tool: "edit_file",
        arguments: { path: "src/cart.js" },
        message: "edit src/cart.js (+1 −1 lines)",
        preview: { summary: "edit src/cart.js", diff, targets: [], shows: [] },
        scopes: ["once", "task", "session", "always"],
        rule: "allow edit_file on src/cart.js"
      },
      2
    )
  },
  { name: "approval-once", ask: approve({ risk: "high", scopes: ["once"] }) },
  { name: "approval-worker", ask: approve({ workerPath: ["root", "W1"] }) },
  {
    name: "approval-masked",
    ask: approve({ arguments: { command: "curl -H 'Authorization: ••••' https://api.example.org" }, masked: 1 })
  },
  {
    name: "pager",
    rows: (width, style) => {
      const { page, screen } = fakeScreen({ style, width, height: 12 })
      const long = {
        ...request,
        arguments: { command: Array.from({ length: 30 }, (_, at) => `echo ${at}`).join("\n") }
      }
      Effect.runFork(pager(screen, detailsOf(long), (redraw) => Effect.zipRight(redraw, Effect.never)))
      return page() ?? []
    }
  },
  {
    name: "palette",
    rows: (width, style) => {
      const items = ["model", "mode", "memory", "mcp", "more", "most", "moved"].map((word) => ({
        word,
        summary: `[NAME]  what /${word} does, in words that go on where there is room for them`
      }))
      const palette = new Palette({ from: 1, to: 2, items, enter: "takes" })
      palette.move(1)
      return palette.rows(width, style, 7)
    }
  },
  {
    name: "queue",
    rows: (width, style) => {
      const queue = new PromptQueue()
      for (const text of [
        "first",
        "second",
        "then update the changelog\nand tell me what was in it before",
        "last 青い"
      ]) {
        queue.push({ text, typed: text })
      }
      return queue.rows(width, style, true)
    }
  },
  {
    name: "plan-question",
    ask: (ui) => Effect.flatMap(Effect.provideService(PlanQuestion.make, Ui, ui), ({ ask }) => ask)
  },
  {
    name: "rewind",
    ask: (_, form) =>
      form.agree({
        question: 'Rewind to before "round the total"?',
        about: rewindLines(
          new RewindPreviewed(
            {
              of: "session_1",
              to: 7,
              messages: 4,
              digest: "d",
              files: [{ path: "src/cart.js", change: "modified", diff: { text: diff, omitted: 0 } }],
              left: [{ path: "notes.md", reason: "somebody else changed it" }],
              commands: ["npm test"]
            },
            trusted
          ),
          'before "round the total"'
        )
      })
  },
  { name: "question", ask: (ui) => ui.question("Which of them?\n1 the red one\n2 the 青い one 🔵") },
  { name: "prompt", ask: (ui) => ui.input("› ") },
  {
    name: "status-lines",
    rows: (width, style) =>
      Object.keys(modes).map((mode) => statusLine({ ...standing, mode: mode as Standing["mode"] }, width, style))
  }
]
