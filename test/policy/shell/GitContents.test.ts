import { assert, describe, it } from "@effect/vitest"
import { contentsOf } from "../../../src/policy/shell/GitContents.ts"

/** What a command prints in a directory where `docs` is a directory and `a.txt` a file; `docs` is a branch as well. */
const shown = (command: string) => {
  const [name = "", ...args] = command.split(" ")
  const operands = args.filter((arg) => arg !== "--" && !arg.startsWith("-"))
  return contentsOf(name, args, name === "grep" ? operands.slice(1) : operands, (path) =>
    /^(?:docs|a\.txt)$/.test(path)
  )
}

describe("what git prints", () => {
  it("is the file of a revision only where the word cannot be a commit (S3)", () => {
    for (const word of [
      "HEAD:a.txt",
      "HEAD~2:src/a",
      "main@{0}:a.txt",
      "HEAD^{/a:b}:x",
      "HEAD:../a",
      "v1-3-gabc1234:a"
    ])
      assert.deepStrictEqual(shown(`show ${word}`), { of: "named" }, word)
    for (const word of [
      "HEAD@{12:00}",
      "HEAD^{/fir:*st}",
      "HEAD^{/a:b}~1",
      "HEAD:a..docs",
      "HEAD:a..",
      "HEAD:a...docs",
      "HEAD:a/../..docs",
      "HEAD:a-gabc1234",
      "x:y-gABC1234^0",
      "x:y-gabc1234~2",
      ":/first",
      ":0:a"
    ])
      assert.strictEqual(shown(`show ${word}`).of, "past", word)
  })

  it("is a patch wherever a letter among others asks for one (S3)", () => {
    for (const options of ["-wU3", "-bU0", "-zU1", "-sU2", "-RU9", "-wp", "-bu", "-W", "-wW", "-U", "-c", "-gp"])
      for (const command of [`log ${options}`, `show --stat ${options} HEAD`, `diff --stat ${options} HEAD`])
        assert.strictEqual(shown(command).of, "past", command)
    for (const command of [
      "log -w",
      "log -g --oneline",
      "log -z --stat",
      "show -s --stat HEAD",
      "diff --stat -wb HEAD"
    ])
      assert.strictEqual(shown(command).of, "named", command)
  })

  it("is of a branch where a word in front of -- is the name of a file, too (S3)", () => {
    const past = { of: "past", below: [] } as const
    const before = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"]
    assert.deepStrictEqual(shown("diff docs --"), { ...past, names: ["diff", ...before, "docs^{commit}", "--"] })
    assert.deepStrictEqual(shown("log -p docs --"), { ...past, names: ["log", ...before, "--format=", "docs", "--"] })
    assert.deepStrictEqual(shown("grep x docs --"), { ...past, names: undefined })
    assert.strictEqual(shown("diff docs").of, "tracked")
    assert.strictEqual(shown("diff -- docs").of, "tracked")
    assert.strictEqual(shown("grep x docs").of, "tracked")
    assert.strictEqual(shown("grep x -- docs").of, "tracked")
  })
})
