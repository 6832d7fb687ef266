import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { type ShellContext } from "../../../src/policy/shell/ShellContext.ts"
import { classify } from "../../../src/policy/shell/ShellPolicy.ts"
import { ask, deny } from "../../../src/policy/Verdict.ts"
import { corpus } from "../../support/corpora.ts"
import { contextOf } from "./ShellFixture.ts"
import { textsOf } from "./ShellTexts.ts"

interface Input {
  readonly command: string
  readonly context?: Partial<ShellContext>
}

const spoken = (decision: string): string => (decision === "allow" ? "auto" : decision)
const judge = (text: string, context: Partial<ShellContext> = {}) => classify(text, contextOf(context))

describe("the corpus of shell texts", () => {
  for (const row of corpus<Input>("c_shell")) {
    it(`${row.id} is ${(row.accept ?? [row.expected]).join(" or ")}: ${row.why} (S3)`, () => {
      const verdict = judge(row.input.command, row.input.context)
      assert.include(row.accept ?? [row.expected], spoken(verdict.decision), verdict.rule)
      if (row.expected !== "auto") assert.notStrictEqual(verdict.decision, "allow")
      assert.notStrictEqual(verdict.rule, "shell/not-analysed")
    })
  }
})

describe("texts by class", () => {
  for (const text of textsOf("allowed")) {
    it(`allows ${JSON.stringify(text)} (S3)`, () => {
      const verdict = judge(text)
      assert.strictEqual(verdict.decision, "allow", `${verdict.rule}: ${verdict.reason}`)
    })
  }
  for (const text of textsOf("asked")) {
    it(`asks for ${JSON.stringify(text)} (S3)`, () => {
      const verdict = judge(text)
      assert.strictEqual(verdict.decision, "ask", verdict.rule)
    })
  }
  for (const text of textsOf("never-allowed")) {
    it(`never allows ${JSON.stringify(text)} (S3)`, () => {
      const verdict = judge(text)
      assert.notStrictEqual(verdict.decision, "allow")
      assert.notStrictEqual(verdict.rule, "shell/not-analysed")
    })
  }
  for (const text of textsOf("denied")) {
    it(`denies ${JSON.stringify(text)} (S3)`, () => {
      const verdict = judge(text)
      assert.strictEqual(verdict.decision, "deny", `${verdict.rule}: ${verdict.reason}`)
    })
  }
})

describe("limits", () => {
  it("reads texts of 4096 bytes and asks for longer ones, counted in bytes (S3)", () => {
    assert.strictEqual(judge(`ls ${"a".repeat(4093)}`).decision, "allow")
    assert.strictEqual(judge(`ls ${"a".repeat(4094)}`).rule, "shell/too-long")
    assert.strictEqual(judge(`ls ${"é".repeat(2047)}`).rule, "shell/too-long")
  })

  it("lets no text run that holds what a reader cannot see, and asks where honest texts hold it too (A9, S3)", () => {
    const unseen =
      "\u0000 \u0007 \u001b \r \u007f \u0085 \u00a0 \u00ad \u061c \u115f \u180e \u2000 \u200b \u200d \u200e \u2028 \u202e \u2060 \u2066 \u2800 \u3000 \u3164 \ufe0f \ufeff \ufff9 \u{e0041} \ud800"
    for (const char of unseen.split(" ")) {
      for (const text of [`ls${char}`, `${char}ls`, `ls '${char}'`, `ls a${char}b`, `ls # ${char}`]) {
        assert.strictEqual(judge(text).rule, "shell/unseen-character", JSON.stringify(text))
      }
    }
    for (const char of "\u00a0\u00ad\u200d\u3000\ufe0f") {
      const { decision, reason } = judge(`ls 'a${char}b'`)
      assert.strictEqual(decision, "ask")
      assert.include(reason, `a\\u{${char.codePointAt(0)!.toString(16).toUpperCase()}}b`)
    }
    assert.strictEqual(judge("ls \u202ea").decision, "deny")
    assert.strictEqual(judge("rm\u00a0-rf\u00a0/").rule, "shell/remove-root")
    assert.strictEqual(judge("rm -rf / # \u200d").rule, "shell/remove-root")
  })

  it("asks for more than it can analyse in time (S3)", () => {
    for (const part of [
      "$(",
      "`a",
      "${a:-",
      "<(",
      "ls;",
      "ls|",
      "(",
      "{ ",
      "a ",
      "sudo -a ",
      "if a; then ",
      "<<A ",
      '"$('
    ]) {
      assert.strictEqual(judge(part.repeat(Math.floor(4096 / part.length))).decision, "ask", part)
    }
  })

  it("judges as many paths as a person names, and asks for more (S3)", () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`).join(" ")
    assert.strictEqual(judge(`cat ${names(47)}`).decision, "allow")
    assert.strictEqual(judge(`cat ${names(48)}`).rule, "shell/too-complex")
  })

  it("reads texts within texts once, and asks where they are too many (S3)", () => {
    const long = "b".repeat(3000)
    assert.strictEqual(judge(`${"npx ".repeat(8)}'a ${long}'; sh -c 'git push'`).rule, "shell/git-push")
    assert.strictEqual(judge(`${"eval ".repeat(7)}${long}; sh -c 'git push'`).rule, "shell/too-complex")
  })

  it("asks when the path policy fails (S3)", () => {
    const judgePath = () => {
      throw new Error("no such policy")
    }
    assert.strictEqual(classify("cat a", { ...contextOf(), judgePath }).rule, "shell/not-analysed")
  })
})

describe("paths", () => {
  it("hands on what the path policy denies (S3)", () => {
    const context = { ...contextOf(), judgePath: () => deny("path/forbidden", "No.") }
    assert.deepStrictEqual(classify("cat a", context), deny("path/forbidden", "No."))
  })

  it("asks the path policy about every path that is read, unresolved (S3)", () => {
    const asked: Array<string> = []
    const context = contextOf()
    classify("grep -f a -e x b/../c -- -d | sort e; find f -newer g; [ -f h ]", {
      ...context,
      judgePath: (path, op) => {
        asked.push(`${op} ${path}`)
        return context.judgePath(path, op)
      }
    })
    assert.deepStrictEqual(
      asked,
      [".", "a", "b/../c", "-d", "e", "f", "g", "h"].map((name) => `read /w/${name}`)
    )
  })

  it("asks for any command in a directory outside the roots (S3)", () => {
    assert.strictEqual(judge("ls", { cwd: "/etc" }).decision, "ask")
    assert.strictEqual(judge("pwd", { cwd: "/" }).decision, "ask")
  })

  const expanding = (found: ReadonlyArray<string>) => ({ ...contextOf(), expand: () => Either.right(found) })

  it("judges each path that a pattern stands for as if it were named (S3)", () => {
    const decisions = [
      ["cat docs/*", ["docs/a", "docs/b"], "shell/read-only"],
      ["cat docs/*", ["docs/a", "docs/../../out"], "path/outside"],
      ["cat ./*/x", ["./a/x", "./.git/x"], "path/secret"],
      ["cat docs/*", ["docs/a", "docs/.ssh/id_rsa"], "shell/private-key"],
      ["grep -r x ./*", ["./a", "./b/.."], "shell/whole-workspace"],
      ["grep -r x --include='*.ts' ./*", ["./a", "./b/.."], "shell/read-only"],
      ["cd src && cat ./*", ["./a", "./../../out"], "path/outside"]
    ] as const
    for (const [text, found, rule] of decisions) {
      assert.strictEqual(classify(text, expanding(found)).rule, rule, `${text} for ${found.join(" ")}`)
    }
    assert.strictEqual(
      classify("cat docs/*", expanding(["docs/.env"])).reason,
      "`docs/*` also matches `docs/.env`: secret"
    )
  })

  it("asks for a pattern where nobody can say what it stands for, and still denies (S3)", () => {
    const { expand: _, ...blind } = contextOf()
    assert.strictEqual(classify("cat docs/*", blind).rule, "shell/glob")
    assert.strictEqual(classify("cat docs/a", blind).decision, "allow")
    assert.strictEqual(classify("cat /etc/*", blind).rule, "path/outside")
    assert.strictEqual(classify("cat ~/.ssh/*", blind).decision, "deny")
    const unknown = { ...contextOf(), expand: () => Either.left(ask("shell/glob", "Too many.")) }
    assert.deepStrictEqual(classify("cat docs/*", unknown), ask("shell/glob", "Too many."))
  })

  it("expands as many patterns into as many paths as a person would, and asks for more (S3)", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `docs/${index}*`).join(" ")
    assert.strictEqual(judge(`cat ${many(16)}`).decision, "allow")
    assert.strictEqual(judge(`cat ${many(17)}`).rule, "shell/too-complex")
    const allowed: Array<number> = []
    const context = {
      ...contextOf(),
      expand: (_pattern: string, _from: string, most: number) => {
        allowed.push(most)
        return Either.right(["docs/a", "docs/b"])
      }
    }
    classify("cat docs/* docs/a* && ls docs/b*", context)
    assert.deepStrictEqual(allowed, [1024, 1022, 1020])
  })

  it("follows cd only where it surely happened (S3)", () => {
    const decisions = [
      ["cd src && cat ../a", "allow"],
      ["cd src && ls && cat ../a", "allow"],
      ["cd src && cat ../a | head", "allow"],
      ["cd src && cat ../../a", "ask"],
      ["cd src; cat ../a", "ask"],
      ["cd src || cat ../a", "ask"],
      ["ls || cd src && cat ../a", "ask"],
      ["cd src && ls; cat ../a", "ask"],
      ["cd src | cat ../a", "ask"],
      ["cd a && cd .. && cat ../a", "ask"]
    ] as const
    for (const [text, decision] of decisions) assert.strictEqual(judge(text).decision, decision, text)
  })
})

describe("git", () => {
  const trusted = { trusted: true, hardenedGit: true }

  it("reads only in a trusted workspace with the repository's helpers off (S3)", () => {
    for (const text of [
      "git status",
      "git status -sb",
      "git diff --stat HEAD~1 -- src",
      "git log --oneline -n 5",
      "git log -5",
      "git show HEAD:src/x.ts",
      "git --no-pager diff",
      "git branch -a",
      "git rev-parse --abbrev-ref HEAD",
      "git ls-files | wc -l",
      "cd src && git status"
    ]) {
      assert.strictEqual(judge(text, trusted).decision, "allow", text)
      assert.strictEqual(judge(text, { trusted: true }).decision, "ask", text)
      assert.strictEqual(judge(text, { hardenedGit: true }).decision, "ask", text)
    }
  })

  it("asks for what writes, runs a program or reads secrets, trusted or not (S3)", () => {
    for (const text of [
      "git -c a.b=c status",
      "git -C .. status",
      "git --git-dir=x status",
      "git -p status",
      "git branch x",
      "git branch -D x",
      "git tag x",
      "git diff --output=x",
      "git diff --outp=x",
      "git diff --ext-diff",
      "git diff --no-index a b",
      "git log --textconv",
      "git show HEAD:.env",
      "git diff ../x",
      "git grep x",
      "git stash",
      "git commit -m x",
      "git fetch",
      "git config -l",
      "git remote add x y",
      "git checkout .",
      "git",
      "git toString",
      "git __proto__"
    ]) {
      assert.strictEqual(judge(text, trusted).decision, "ask", text)
    }
  })

  it("denies a push, trusted or not (S3)", () => {
    assert.strictEqual(judge("git status && git push", trusted).rule, "shell/git-push")
  })
})
