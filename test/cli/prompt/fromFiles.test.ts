// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { filled } from "../../../src/config/CommandFiles.ts"
import { read } from "../../../src/config/CommandFiles.ts"
import { withinTime } from "../../../src/system/withinTime.ts"
import { type Place, place, scripted, tollgate } from "../command.ts"
import { leave, probes } from "../terminal/TerminalProbe.ts"

describe("commands from Markdown files", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { open, prompt } = probes(() => at)

  const bring = (directory: string, files: Readonly<Record<string, string | Uint8Array>>) => {
    fs.mkdirSync(directory, { recursive: true })
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, name), text)
    return directory
  }

  it.prop(
    "put each argument where the template wants it, and none into another (U7)",
    { words: FastCheck.array(FastCheck.stringMatching(/^[a-z$1]{1,6}$/), { maxLength: 4 }) },
    ({ words }) => {
      const given = words.join(" ")
      assert.strictEqual(filled("a $1 b $2 c \\$1", given), `a ${words[0] ?? ""} b ${words[1] ?? ""} c $1`)
      assert.strictEqual(filled("all: $ARGUMENTS.", given), `all: ${given}.`)
      assert.strictEqual(filled("none", given), given === "" ? "none" : `none\n\n${given}`)
    }
  )

  it("keep words in quotes together, and do not grow beyond bounds (U7)", () => {
    assert.strictEqual(filled("$2 $1", `"one two" three`), "three one two")
    assert.strictEqual(filled("$1 $2", "it's fine"), "it's fine")
    assert.isUndefined(filled("$ARGUMENTS ".repeat(1000), "x".repeat(10_000)))
  })

  it("are read within bounds, and what does not count is named with its reason (U7, S2)", () => {
    const directory = bring(path.join(at.home, "commands"), {
      "fix.md": '---\ndescription: "Fix it"\nargument-hint: [FILE]\n---\nFix $1.\n',
      "plain.md": "Just do it.",
      "Bad Name.md": "no",
      "empty.md": "---\ndescription: nothing\n---\n",
      "large.md": "x".repeat(40_000),
      "latin.md": Uint8Array.of(0xff, 0xfe, 0x41),
      "other.md": "---\nallowed-tools: all\n---\nGo.",
      "notes.txt": "none"
    })
    fs.symlinkSync("/etc/passwd", path.join(directory, "link.md"))
    const { commands, digest, problems } = read(directory)
    assert.deepStrictEqual(commands, [
      {
        name: "fix",
        file: path.join(directory, "fix.md"),
        description: "Fix it",
        arguments: "[FILE]",
        template: "Fix $1."
      },
      { name: "plain", file: path.join(directory, "plain.md"), template: "Just do it." }
    ])
    assert.strictEqual(problems.length, 6)
    for (const problem of problems) assert.match(problem, /(?:Bad Name|empty|large|latin|other|link)\.md: /)
    fs.appendFileSync(path.join(directory, "plain.md"), " Now.")
    assert.notStrictEqual(read(directory).digest, digest)
    assert.deepStrictEqual(read(path.join(at.home, "none")), { commands: [], problems: [] })
  })

  it("are read in no more time than their length takes, whatever stands in their front matter (U7)", () => {
    const front = `---\ndescription: a${" ".repeat(32_000)}b\n---\nGo.`
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`c${at}.md`, front]))
    const directory = bring(path.join(at.home, "commands"), files)
    const found = Option.getOrUndefined(withinTime(4000, () => read(directory)))
    assert.strictEqual(found?.commands.length, 40)
  })

  it("are listed, completed and sent as prompts; a taken name is refused with a notice (U7)", async () => {
    scripted(at, [{ when: "Review src/a.ts with care.", repeat: true, steps: [{ say: "Reviewed." }] }])
    bring(path.join(at.env["TOLLGATE_HOME"]!, "commands"), {
      "review.md": "---\ndescription: Review a file\narguments: FILE\n---\nReview $1 with care.",
      "help.md": "Not yours."
    })
    const terminal = await open([], { columns: 120 })
    await terminal.seen(/help\.md: \/help is a command of Tollgate; give the file another name/)
    terminal.press("/rev")
    await terminal.seen(/❯ review {2}FILE {2}Review a file/)
    terminal.press("\u0015/review src/a.ts\r")
    await terminal.seen("Reviewed.")
    terminal.press("/help\r")
    await terminal.seen(/files +\/review/)
    await leave(terminal)
  })

  it("of a project count once they are trusted, as they were then (U7, A6)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }])
    const directory = bring(path.join(at.work, ".tollgate", "commands"), { "ship.md": "Ship it." })
    const refused = async () => {
      const terminal = await prompt([], { columns: 120 })
      terminal.press("/ship\r")
      await terminal.seen("unknown command /ship")
      await leave(terminal)
      return terminal.screen()
    }
    assert.match(await refused(), /commands is not trusted/)
    const shown = await tollgate(at, ["trust"])
    assert.include(shown.stdout, "/ship\nShip it.")
    const trusted = await tollgate(at, ["trust", "--yes"])
    assert.include(trusted.stdout, "Trusted: 0 hooks, 0 rules and 1 command")
    const terminal = await prompt([], { columns: 120 })
    terminal.press("/ship\r")
    await terminal.seen(/› Ship it\.[^]*Done\./)
    await leave(terminal)
    fs.writeFileSync(path.join(directory, "ship.md"), "Ship everything.")
    assert.match(await refused(), /has changed since it was trusted/)
  })
})
