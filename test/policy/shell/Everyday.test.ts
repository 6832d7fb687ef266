import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as fs from "node:fs"
import { classify } from "../../../src/policy/shell/ShellPolicy.ts"
import { severity } from "../../../src/policy/shell/Severity.ts"
import { contextOf } from "./ShellFixture.ts"

const listed = fs
  .readFileSync("test/fixtures/shell/everyday.txt", "utf8")
  .split("\n")
  .filter((line) => /^[=?!] /.test(line))
  .map((line) => ({ mark: line.charAt(0), text: line.slice(2).replaceAll("⏎", "\n") }))

/** What is near to it and does more, or reads what may not be read. */
const near = `
sort *.txt
cat .*
cat *.pem
cat ../*
(cd src && touch x)
{ ls; touch x; }
if [ -f x ]; then touch x; fi
if touch x; then ls; fi
(ls) > out
(cd .. && ls)
(cd src && ls) && cat ../../x
! touch x
time touch x
time -o x ls
[[ $(touch x) ]]
[[ a -eq b ]]
PATH=. ls
LC_ALL=$x ls
LC_ALL=zh_CN.GBK ls
TZ=:/etc/passwd date
GIT_PAGER=x git log
cat $?
jq --slurpfile a .env . package.json
tar xf x.tar
tar tf host:x.tar
tar tf ../x.tar
tar tf x.tar --to-command=x
fd -x touch
fd x ..
find src -name '*.ts' | xargs sort
find src -name '*.ts' | xargs sh
find src -name '*.ts' | xargs touch
find src -name '*.ts' 2>&1 | xargs cat
echo src/index.ts | xargs cat
xargs cat
find src -exec sort {} +
find src -exec touch {} +
find src -execdir cat {} +
find src -newer /etc/passwd -exec cat {} +
`

describe("what coding agents run every day", () => {
  const variables = { HOME: "/home/u", PWD: "/w" }
  const context = contextOf({
    trusted: true,
    hardenedGit: true,
    limited: true,
    judgeGit: () => undefined,
    findBelow: () => Either.right({ files: [], links: [], odd: undefined, option: undefined, looks: 0 }),
    variables
  })

  it("runs unasked for the most part, and destroys nothing without saying so (S3, A16)", () => {
    for (const { mark, text } of listed) {
      const { decision, rule } = classify(text, context)
      const { level } = severity(text, context)
      assert.strictEqual(decision, mark === "=" ? "allow" : "ask", `${text}: ${rule}`)
      if (mark === "=") assert.strictEqual(level, "reads", text)
      else if (mark === "!") assert.strictEqual(level, "destructive", text)
      else assert.include(["reads", "ordinary"], level, text)
    }
    assert.isAtLeast(listed.length, 300)
    assert.isAtLeast(listed.filter(({ mark }) => mark === "=").length / listed.length, 0.6)
  })

  it("asks about what is near to it and does more, or reads other files (S3, A16)", () => {
    for (const text of near.trim().split("\n")) assert.strictEqual(classify(text, context).decision, "ask", text)
  })
})
