// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { scripted } from "../command.ts"
import { ctrlD, hour, matches, sizes } from "./hour.ts"

const call = (name: string, args: object) => ({ call: { name, arguments: args } })
const shell = (command: string) => call("run_shell", { command })

describe("a conversation", () => {
  const { at, open } = hour(({ work }) => {
    fs.writeFileSync(path.join(work, "sum.sh"), "sum() {\n  echo $(($1 - $2))\n}\n")
    fs.writeFileSync(
      path.join(work, "check.sh"),
      '. ./sum.sh\nif [ "$(sum 1 2)" = 3 ]; then echo "ok sum 1 2"; else echo "not ok sum 1 2 is $(sum 1 2)"; exit 1; fi\n'
    )
  })

  it.each(sizes)("with approvals shows what runs and how it was decided, at %d × %d (A6, A9, U12)", async (...size) => {
    scripted(at(), [
      {
        steps: [
          { say: "I'll read the sources, then note what I found." },
          call("read_file", { path: "sum.sh" }),
          call("write_file", { path: "notes.md", content: "# Notes\n\nsum.sh subtracts.\n" })
        ]
      },
      { steps: [call("write_file", { path: "todo.md", content: "- fix sum\n" }), shell("rm check.sh")] },
      { steps: [{ say: "The notes are in notes.md. I kept check.sh, as you asked." }] }
    ])
    const terminal = await open([], size)
    await terminal.idle()
    terminal.press("look at the sources and take notes\r")
    await terminal.seen(/notes\.md[^]*\nallow\?/)
    terminal.press("y")
    await terminal.seen(/todo\.md[^]*\nallow\?/)
    terminal.press("n")
    await terminal.seen(/rm check\.sh[^]*\nallow\?/)
    terminal.press("r")
    await terminal.seen("why not?")
    terminal.press("keep the check\r")
    await terminal.idle(/3 requests/)
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
    await matches(terminal, "work-approvals", size)
    assert.deepStrictEqual(fs.readdirSync(at().work).sort(), ["check.sh", "notes.md", "sum.sh"])
  })

  it.each(sizes)("repairs a failing test, and shows that it failed, at %d × %d (U12)", async (...size) => {
    scripted(at(), [
      { steps: [{ say: "First the test as it is." }, shell("sh check.sh")] },
      {
        steps: [
          { say: "It subtracts. One character:" },
          call("edit_file", { path: "sum.sh", old_text: "$1 - $2", new_text: "$1 + $2" })
        ]
      },
      { steps: [{ say: "Once more:" }, shell("sh check.sh")] },
      { steps: [{ say: "The test passes now. `sum` subtracted where it had to add." }] }
    ])
    const terminal = await open([], size)
    await terminal.idle()
    terminal.press("make check.sh pass\r")
    await terminal.seen(/Run sh check\.sh[^]*\nallow\?/)
    terminal.press("y")
    await terminal.seen(/⏸ Edit[^]*\nallow\?/)
    terminal.press("y")
    await terminal.seen(/Once more[^]*\nallow\?/)
    terminal.press("y")
    await terminal.idle(/4 requests/)
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
    await matches(terminal, "work-failing-test", size)
  })
})
