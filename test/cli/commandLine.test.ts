// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Command from "@effect/cli/Command"
import { Either, Option } from "effect"
import { tree } from "../../src/cli/command/root.ts"
import type { CommandTree } from "../../src/cli/Help.ts"
import { checked } from "../../src/cli/commandLine.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"

/** Every command by its words. */
const commands = (node: CommandTree, path: ReadonlyArray<string>): ReadonlyArray<readonly [string, CommandTree]> => [
  [path.join(" "), node],
  ...Object.entries(node.below ?? {}).flatMap(([name, below]) => commands(below, [...path, name]))
]

const usage = (node: CommandTree): string => JSON.stringify(Command.getUsage(node.command))

const check = (line: string) => checked(tree, line.split(" ").slice(1))
const problem = (line: string) => Option.getOrUndefined(Either.getLeft(check(line)))

describe("a command line with wrong options", () => {
  it.each(commands(tree, ["tollgate"]))("is refused, whatever is wrong with it: %s", (name, node) => {
    const [, missing] = /^(--\S+) is missing$/.exec(problem(name)?.problem ?? "") ?? []
    const whole = missing === undefined ? name : `${name} ${missing} 5`
    for (const bad of ["--bogus", "--bogus=1", "-xyz", "-z", "-="]) {
      assert.include(problem(`${name} ${bad}`)?.problem, bad.split("=")[0]!)
      assert.strictEqual(problem(`${name} ${bad}`)?.command, name)
    }
    assert.isUndefined(problem(`${whole} -- --bogus`))
    for (const [, option, accepts] of usage(node).matchAll(
      /"(--[\w-]+)"\],"acceptedValues":\{"_id":"Option","_tag":"(Some|None)"/g
    )) {
      if (accepts === "None") {
        assert.include(problem(`${name} ${option} ${option}`)?.problem, `${option} is given twice`)
        assert.include(problem(`${name} ${option}=yes`)?.problem, `${option} takes no value`)
        assert.isUndefined(problem(`${whole} ${option}`))
      } else {
        for (const line of [`${name} ${option}`, `${name} ${option}=`, `${name} ${option} --json`])
          assert.include(problem(line)?.problem, `${option} needs a value`)
      }
    }
  })

  it("takes what is right with it", () => {
    for (const line of [
      "tollgate -p x -s y -c",
      "tollgate run --approve deny --jsonl -p x hi",
      "tollgate run --profile=a=b --session=-x hi -",
      "tollgate events s --from 3 -f",
      "tollgate sessions list -a --limit 5 --log-level error",
      "tollgate approvals explain t --param a=1 --param b=2",
      "tollgate --approve deny -p x run hi",
      "tollgate --continue run no problem"
    ])
      assert.isUndefined(problem(line), line)
  })

  it("counts every option on either side of a command, and drops none (U1)", () => {
    const values: Readonly<Record<string, string>> = { "--approve": "deny", "--profile": "p", "--session": "s" }
    const root = Object.keys(values).map((name) => [name, values[name]!])
    const all = [
      ...root,
      ["-p", "p"],
      ["-s", "s"],
      ["--approve=deny"],
      ["--continue"],
      ["-c"],
      ["--dangerously-allow-all"]
    ]
    for (const [name, node] of commands(tree, ["tollgate"]).slice(1)) {
      for (const option of all) {
        const short = option[0]!.split("=")[0]!
        const has = usage(node).includes(`"${short}"`)
        const path = name.split(" ").slice(1)
        for (let at = 0; at <= path.length; at++) {
          const line = [...path.slice(0, at), ...option, ...path.slice(at), "word"]
          const found = checked(tree, line)
          // A group of commands takes no options of those below it.
          if (has && (at === 0 || at === path.length)) {
            const { words } = Either.getOrThrow(found)
            assert.deepStrictEqual(words.slice(0, path.length), path, line.join(" "))
            for (const word of option) assert.include(words, word, line.join(" "))
            if (option.length === 1 && !short.includes("approve")) assert.include(words, "\u0000word")
            assert.include(
              Option.getOrThrow(Either.getLeft(checked(tree, [...option, ...path, ...option]))).problem,
              "given twice"
            )
          } else if (!has) assert.isTrue(Either.isLeft(found), line.join(" "))
          else if (Either.isRight(found)) assert.include(found.right.words, option[0], line.join(" "))
        }
      }
    }
  })

  it("tells the parser what is no value of a switch and no option", () => {
    assert.deepStrictEqual(
      check("tollgate run --jsonl no -p no --log-level debug problem -- --jsonl").pipe(Either.getOrThrow),
      {
        words: ["run", "--jsonl", "\u0000no", "-p", "no", "problem", "\u0000--jsonl"],
        logLevel: "debug"
      }
    )
    assert.deepStrictEqual(check("tollgate --log-level=all").pipe(Either.getOrThrow), { words: [], logLevel: "all" })
  })

  describe("by the built command", () => {
    let at: Place
    beforeEach(() => {
      at = place()
      scripted(at, [{ repeat: true, steps: [{ say: "heard" }] }])
    })
    afterEach(() => at.remove())

    it("takes a word behind a switch for what it is (U1)", async () => {
      const { code, stdout } = await tollgate(at, ["run", "--jsonl", "no", "problem"])
      assert.strictEqual(code, 0)
      assert.include(stdout, '"prompt":"no problem"')
    })

    it("takes the mode in front of the command (U1)", async () => {
      scripted(at, [
        { steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "one" } } }] },
        { repeat: true, steps: [{ say: "heard" }] }
      ])
      const { code, stdout } = await tollgate(at, ["--approve", "deny", "run", "--jsonl", "write"])
      assert.strictEqual(code, 0)
      assert.include(stdout, '"_tag":"ToolCallFailed"')
      const help = await tollgate(at, ["--approve", "deny", "run", "--help"])
      assert.include(help.stdout, "tollgate run ")
      assert.include(help.stdout, "standard input")
    })

    it("appends standard input to the prompt (U1)", async () => {
      for (const [words, input, prompt] of [
        [["explain", "this"], "one\ntwo\n", "explain this\\n\\none\\ntwo"],
        [["-", "explain"], "one\n", "explain\\n\\none"],
        [[], "one\n", "one"]
      ] as const) {
        const { code, stdout } = await tollgate(at, ["run", "--jsonl", ...words], input)
        assert.strictEqual(code, 0)
        assert.include(stdout, `"prompt":"${prompt}"`)
      }
    })

    it("takes --log-level wherever it stands (M2)", async () => {
      const { code, stderr } = await tollgate(at, ["run", "--jsonl", "hi", "--log-level", "info"])
      assert.strictEqual(code, 0)
      assert.include(stderr, '"message":"command tollgate run succeeded"')
    })

    const refused = [
      ["run --log-level trace hi", '--log-level takes error, warning, info, debug or all, not "trace"', "run"],
      ["run -ph hi", "unknown option -ph; write short options separately: -x -y VALUE", "run"],
      ["run -cs", "unknown option -cs", "run"],
      ["run hi -s", "-s needs a value", "run"],
      ["run --approve", "--approve needs a value", "run"],
      ["run --jsonl=yes hi", '--jsonl takes no value, but was given "yes"', "run"],
      ["run --dangerously-allow-all=nope hi", "--dangerously-allow-all takes no value", "run"],
      ["run -p a -p b hi", "-p is given twice", "run"],
      ["run --profil x hi", "did you mean --profile?", "run"],
      ["run --model x hi", "did you mean --profile?", "run"],
      ["serve --port 8080", "did you mean --listen?", "serve"],
      ["config set maxDepth -1", "-1 looks like an option; put -- in front of such a word", "config set"],
      ["trust --yes=no", "--yes takes no value", "trust"],
      ["--approve", "--approve needs a value", ""],
      ["--approve deny sessions list", "tollgate sessions list has no option --approve", "sessions list"],
      ["-p a doctor", "tollgate doctor has no option -p", "doctor"],
      ["-p a run -p b hi", "-p is given twice", "run"]
    ] as const
    it("says what is wrong before the command is read any further", () => {
      for (const [line, said, command] of refused) {
        const found = problem(`tollgate ${line}`)
        assert.include(found?.problem, said, line)
        assert.strictEqual(found?.command, `tollgate ${command}`.trim(), line)
      }
    })

    it.each<readonly [string, string, string]>([
      refused[0],
      [
        "run --approve=maybe hi",
        '--approve takes ask, edits, plan, sandboxed, deny, fail, allow-read-only or allow-edits, not "maybe"',
        "run"
      ],
      ["events s --from abc", '--from takes a whole number, not "abc"', "events"],
      ["sessions list --limit 1.5", "--limit takes a whole number", "sessions list"],
      ["sessions list x", 'unexpected argument "x"', "sessions list"],
      ["--approve", "--approve needs a value", ""]
    ])("%s", async (line, said, command) => {
      const { code, stderr, stdout } = await tollgate(at, line.split(" "))
      assert.include(stderr, `tollgate: `)
      assert.include(stderr, said)
      assert.include(stderr, `See tollgate ${command}${command === "" ? "" : " "}--help`)
      assert.deepStrictEqual([code, stdout], [2, ""])
    })
  })
})
