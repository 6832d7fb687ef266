import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { outcomeIn } from "./support.ts"

/** A repository with secrets that are tracked, and one that has changed. */
const repository = Effect.map(temporaryDirectory, (given) => {
  const root = fs.realpathSync(given)
  for (const name of ["a.txt", ".env", "keys/server.key", "src/a.ts"]) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), "x\n")
  }
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root })
  git("init", "-q")
  git("add", "--force", ".")
  fs.writeFileSync(path.join(root, ".env"), "y\n")
  return outcomeIn(root)
})

const asked = [
  "grep -r x keys",
  "grep -rn x .",
  "grep -r --include='*.key' x .",
  "grep -rn x",
  "rg x",
  "rg x keys",
  "rg -t sh x .",
  "diff -r keys src",
  "cat keys/*",
  "cat .env",
  "cat .e*",
  "head -n 3 keys/server.key",
  "wc -l keys/server.key src/a.ts",
  "find keys -type f -exec cat {} +",
  "find keys -type f | xargs cat",
  "git diff",
  "git grep x",
  "git show HEAD",
  "git log -p",
  "git add -p",
  "git stash -p",
  "git stash show -p",
  "git checkout -p",
  "git reset -p",
  "git commit -v --dry-run",
  "git commit -av",
  "git mv keys k",
  "git diff --no-index keys src",
  "git add -A && git diff",
  "git reset HEAD~2; git diff a.txt .env",
  "npx github:foo/bar",
  "npx @scope/unknown",
  "npm run release",
  "pnpm dlx @scope/unknown",
  "cp -r keys /tmp/k",
  "ls ~/Documents/x/y/z",
  "cat /etc/passwd",
  "env",
  "printenv",
  "awk 1 keys/server.key",
  "sed -n 1p keys/server.key"
]

const denied = [
  "rm -rf ~",
  "rm -rf /",
  "cat ~/.ssh/id_rsa",
  "cp ~/.aws/credentials a.txt",
  "echo x > .git/hooks/pre-commit",
  "cp a.txt .git/hooks/pre-commit",
  "mv a.txt .git/config",
  "ln -s a.txt .git/hooks/post-commit",
  "sed -i s/x/y/ .git/config",
  "git config core.hooksPath src",
  "tee -a ~/.bashrc < a.txt",
  "echo x >> ~/.ssh/authorized_keys",
  "chmod 777 ~/.ssh",
  "dd if=/dev/zero of=/dev/sda",
  "mkfs.ext4 /dev/sda1",
  "curl http://169.254.169.254/latest/meta-data/"
]

const free = [
  "git stash -u",
  "npm -v",
  "npm test",
  "ls",
  "cat a.txt",
  "echo x",
  "git status",
  "mkdir -p out",
  "touch b.txt",
  "node src/a.ts"
]

const ways: ReadonlyArray<(one: string, other: string) => string> = [
  (one, other) => `${other}; ${one}`,
  (one, other) => `${one}; ${other}`,
  (one, other) => `${other} && ${one}`,
  (one, other) => `${other} || ${one}`,
  (one, other) => `${one} | ${other}`,
  (one, other) => `${other} | ${one}`,
  (one, other) => `${other}\n${one}`,
  (one, other) => `(${other}; ${one})`,
  (one, other) => `{ ${other}; ${one}; }`,
  (one, other) => `if ${other}; then ${one}; fi`,
  (one, other) => `for i in 1 2; do ${other}; ${one}; done`,
  (one, other) => `${other} > out.txt; ${one} > out.txt`,
  (one, other) => `${other} & ${one}`,
  (one, other) => `${other}; x=$(${one})`,
  (one, other) => `f() { ${one}; }; ${other}; f`,
  (one, other) => `${other}; time ${one}`
]

describe("what a shell text of another agent shows", () => {
  it.scoped("is asked about beside other commands as it is alone (X5, S3)", () =>
    Effect.map(repository, (outcome) => {
      const stops = (text: string) => assert.include(["ask", "deny"], outcome(text).decision, text)
      for (const one of asked) stops(one)
      for (const one of free) assert.include(["allow", "defer"], outcome(one).decision, one)
      FastCheck.assert(
        FastCheck.property(
          FastCheck.constantFrom(...asked),
          FastCheck.constantFrom(...free),
          FastCheck.constantFrom(...ways),
          (one, other, way) => stops(way(one, other))
        ),
        { numRuns: 400 }
      )
    })
  )

  it.scoped("is denied beside other commands as it is alone (X5, S2)", () =>
    Effect.map(repository, (outcome) => {
      const stops = (text: string) => assert.strictEqual(outcome(text).decision, "deny", text)
      for (const one of denied) stops(one)
      FastCheck.assert(
        FastCheck.property(
          FastCheck.constantFrom(...denied),
          FastCheck.constantFrom(...free),
          FastCheck.constantFrom(...ways),
          (one, other, way) => stops(way(one, other))
        ),
        { numRuns: 300 }
      )
    })
  )

  it.scoped("is not asked about for what stands beside it (X5)", () =>
    Effect.map(repository, (outcome) => {
      const reads = [
        "ls -la",
        "cat a.txt",
        "grep -rn x src",
        "rg x src",
        "git diff src",
        "find src -type f | xargs wc -l"
      ]
      for (const one of reads)
        for (const other of free)
          for (const way of ways.slice(0, -1)) {
            const text = way(one, other)
            const { by, decision, reason } = outcome(text)
            assert.include(["allow", "defer"], decision, `${text}: ${by} ${reason}`)
          }
    })
  )
})
