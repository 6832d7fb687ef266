import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { execFileSync } from "node:child_process"
import { plainCommands } from "../../../src/policy/shell/Plain.ts"
import { classify } from "../../../src/policy/shell/ShellPolicy.ts"
import { read } from "../../../src/policy/shell/Source.ts"
import { contextOf } from "./ShellFixture.ts"

const variables = { HOME: "/home/u", PWD: "/" }
const context = contextOf({ variables: { HOME: "/w/home", PWD: "/w" } })
const decide = (text: string) => classify(text, context).decision

const words = FastCheck.array(
  FastCheck.oneof(
    FastCheck.constantFrom(
      ...'$f "$f" ${f} "${f}" a$f "a $f b" \'$f\' \\$f $f$f "$f"\'x\' ./$f "./$f" $f/x $fx "$f\\"" $HOME "$HOME/a" $PWD ${PWD}x "~$HOME"'
        .split(" ")
        .map((word) => word.replaceAll("_", " ")),
      '"a $f b"',
      '"$f\n$f"',
      '"\\$f"',
      "$f=$f",
      '"$f:$HOME"'
    ),
    FastCheck.stringMatching(/^[a-z$"'{}\\ ]{1,5}$/)
  ),
  { maxLength: 4 }
).map((all) => all.map((word) => ` ${word}`).join(""))
const over = FastCheck.array(
  FastCheck.constantFrom(
    "a",
    "b-1",
    "'a b'",
    '"x y"',
    "a=b",
    '"$HOME"',
    "$PWD",
    "''",
    "1,2",
    "'$f'",
    "\\*",
    '"*"',
    "-n"
  ),
  { minLength: 1, maxLength: 3 }
).map((all) => all.join(" "))
const loop = FastCheck.tuple(over, words, words, FastCheck.constantFrom("; ", "\n", " ;\n ")).map(
  ([list, one, other, end]) => `for f in ${list}${end}do show${one}${end}show${other}${end}done`
)

/** The words of every command that bash runs, for each text in a shell of its own. */
const inBash = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync(
    "bash",
    [
      "-c",
      'show() { printf "<%s>" "$@"; }; for text; do (eval "$text"); printf "\\0"; done 2>/dev/null',
      "-",
      ...texts
    ],
    { cwd: "/", env: { HOME: "/home/u", PATH: "/usr/bin:/bin" }, encoding: "utf8" }
  )
    .split("\0")
    .slice(0, -1)

describe("variables and loops", () => {
  it("stand for what bash puts in their place (S3, A16)", () => {
    const texts = FastCheck.sample(
      FastCheck.oneof(
        loop,
        words.map((given) => `show${given}`)
      ),
      {
        numRuns: 4000,
        seed: 20_261_122
      }
    )
    const known = texts.flatMap((text) => {
      const commands = Either.getOrUndefined(plainCommands(read(text), variables))
      return commands === undefined || commands.some(({ args }) => args.some(({ glob, tilde }) => glob || tilde))
        ? []
        : [{ text, told: commands.map(({ args }) => args.map(({ value }) => `<${value}>`).join("") || "<>").join("") }]
    })
    assert.isAtLeast(known.length, 600)
    const ran = inBash(known.map(({ text }) => text))
    for (const [index, { text, told }] of known.entries()) assert.strictEqual(told, ran[index], text)
  })

  it("are judged by what they stand for (S3)", () => {
    for (const text of [
      "cat $PWD/a",
      'cat "$HOME/a"',
      'cat < "$PWD/a"',
      "for f in a 'b c'; do cat \"$f\"; done",
      "for f in a b; do wc -l $f; done | sort -n",
      'for f in src/*.ts; do head -n 3 "$f"; done',
      'for f in *; do cat "./$f"; done',
      'for f in *; do cat "$f"; done',
      'for f in a b; do if [ -f "$f" ]; then cat "$f"; fi; done',
      '(for f in a b; do head -1 "$f"; done)',
      'cd src && for f in a b; do cat "$f" && grep -n x $f || echo none; done',
      'for n in 1 2; do sed -n "${n}p" a; done',
      "for d in src docs\ndo\n  ls $d\n  cat $d/README.md\ndone"
    ])
      assert.strictEqual(decide(text), "allow", text)
    for (const text of [
      "cat $PWD/.env",
      "cat $PWD/../x",
      "cat $HOME/../../x",
      "cat $OLDPWD/a",
      "cat ${PWD:-/w}/a",
      "cat ${PWD%w}etc/passwd",
      "cat $PWD*",
      "cd src && cat $PWD/a",
      "HOME=/etc; cat $HOME/passwd",
      "for f in .env; do cat $f; done",
      "for f in a ../x; do cat $f; done",
      "for f in a 'b .env'; do cat $f; done",
      "for f in -delete; do find . $f; done",
      "for f in -o; do sort $f out a; done",
      "for f in *; do cat $f; done",
      'for f in *; do sort "$f"; done',
      'for f in *; do cat "../$f"; done',
      'for f in .e*; do cat "./$f"; done',
      "for f in a; do cat $f; done; cat $f",
      "for f in a; do for f in b; do cat $f; done; cat $f; done",
      "for PATH in .; do ls; done",
      "for IFS in /; do ls a/b; done",
      "for HOME in /etc; do cat ~/passwd; done",
      "for f in touch; do $f a; done",
      "for f in a; do touch $f; done",
      "for f in a; do cat $f; done > out",
      "for f in a; do cat $f & done",
      "for f in $(ls); do cat $f; done",
      "for f in {a,b}; do cat $f; done",
      "for f in ~/x; do cat $f; done",
      "for f; do cat a; done",
      "for f in; do cat a; done",
      "for ((i=0;i<3;i++)); do cat a; done",
      "select f in a; do cat $f; done",
      "cd src; for f in ../../x; do cat $f; done",
      "for d in src/a ../b; do cd $d && cat x; done",
      "for n in '1w out'; do sed -n \"$n\" a; done",
      "for p in 'BEGIN{system(1)}'; do awk \"$p\" a; done"
    ])
      assert.strictEqual(decide(text), "ask", text)
  })
})
