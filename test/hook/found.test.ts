import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { outcomeIn } from "./support.ts"

/** A project with a secret, a link that leads out of it, and a name that is two words. */
const project = Effect.map(temporaryDirectory, (given) => {
  const root = fs.realpathSync(given)
  const write = (name: string) => {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), "x\n")
  }
  for (const name of ["src/a.ts", "src/deep/b.ts", "out/c.ts", "conf/.env", "conf/d.ts", "two words/e.ts"]) write(name)
  fs.mkdirSync(path.join(root, "links"))
  fs.symlinkSync("/etc/passwd", path.join(root, "links/f.ts"))
  return { root, write, said: (command: string) => outcomeIn(root)(command).decision }
})

/** They show files that lie in the project, by whatever way their names get there. */
const shown = `
find src -name '*.ts' -exec grep -l x {} +
find src -name '*.ts' -exec cat {} \\;
find src -type f -exec wc -l {} + -print
find src -exec ls -la {} \\;
find src out -name '*.ts' -exec head -n 5 {} \\;
find . -name '*.ts' -not -path './links/*' -exec grep -n x {} +
find . \\( -path ./links -o -path ./conf \\) -prune -o -type f -exec cat {} +
find . -name links -prune -o -name '*.ts' -exec cat {} +
find . \\( -name '*.js' -o -name '*.ts' \\) -type f -exec grep x {} +
find . -type f ! -name '.e*' -exec grep x {} +
find conf -name '*.ts' -exec cat {} +
find src/* -name '*.ts' -exec cat {} +
find src -name '*.ts' | xargs grep x
find src -name '*.ts' | xargs grep -l x | xargs wc -l
find src -type f | grep -v deep | sort | head -20 | xargs cat
find . -name '*.ts' -type f -print0 | xargs -0 grep x
find . -path ./links -prune -o -name '*.ts' -print0 | xargs -0 -n 1 cat
find src -name '*.ts' | xargs -I{} grep x {}
find src -name '*.ts' | xargs -I % head -n 3 %
find src -name '*.ts' | xargs
find src -name '*.ts' | xargs -n1 basename
grep -rl x src | xargs wc -l
rg -l x src | xargs cat
rg --files src -g '*.ts' | xargs cat
find src -name '*.ts' 2>/dev/null | xargs grep x 2>/dev/null | head
find src -name '*.ts' | time xargs cat
`

/** What they show may be no file of the project, or they may do more than show it. */
const asked = `
find . -name '*.ts' -exec cat {} +
find . -type f | xargs cat
find . -name '*.ts' -type f | xargs cat
find . -name '*.ts' -type f | xargs -I{} cat {}
find conf -type f -exec cat {} +
find conf -name '.e*' -exec cat {} +
find conf -name '*.ts' -o -name '.env' -exec cat {} +
find conf ! -name '*.ts' -exec cat {} +
find conf -not \\( -name '*.ts' -o -name '*.js' \\) -exec cat {} +
find conf -name d.ts -prune -o -exec cat {} +
find conf -depth -name conf -prune -o -exec cat {} +
find conf -path 'conf/[.]env' -exec cat {} +
find conf -type f, -exec cat {} +
find . -path ./links -prune , -type f -exec cat {} +
find links -exec cat {} +
find links -type l | xargs cat
find src -exec sh -c 'cat {}' \\;
find src -exec cat {}x \\;
find src -exec {} \\;
find src -exec awk {} \\;
find src -exec sed {} /etc/passwd \\;
find src -exec grep {} /etc/passwd \\;
find src -exec grep -r x {} +
find src -exec node {} \\;
find src -exec sed -i s/x/y/ {} +
find src -execdir cat ../../../../../etc/passwd \\;
find / -name '*.ts' -exec cat {} +
find src -name '*.ts' | xargs rm
find src -name '*.ts' | xargs -I{} rm {}
find src -name '*.ts' | xargs -rI{} mv {} out
find src -name '*.ts' | xargs -I{} sh -c '{}'
find src -name '*.ts' | xargs -I{} sh -c {}
find src -name '*.ts' | xargs -I{} {}
find src -name '*.ts' | xargs node
find src -name '*.ts' | cat src/a.ts - | xargs cat
find src -name '*.ts' | sed s/src/conf/ | xargs cat
find src -name '*.ts' | cut -c 2- | xargs cat
find src -name '*.ts' | grep -o . | xargs cat
find src -name '*.ts' | grep '' src/a.ts | xargs cat
find src -name '*.ts' | head -c 3 | xargs cat
find src -name '*.ts' -printf '%h\\n' | xargs cat
find src -print0 | xargs cat
find src -name '*.ts' | xargs -0 cat
find src -name '*.ts' | xargs -d a cat
find src -name '*.ts' | xargs -a src/a.ts cat
find src; cat src/a.ts | xargs cat
find src | (cat src/a.ts) | xargs cat
find src > out/c.ts | xargs cat
find src |& xargs cat
find src 2>&1 | xargs cat
find src | xargs cat < src/a.ts
find src | xargs cat <<< /etc/passwd
find src | (echo /etc/passwd; find src) | xargs cat
find src | { exec < src/a.ts; xargs cat; }
find src | bash -c 'exec < src/a.ts; xargs cat'
find() { echo /etc/passwd; }; find src | xargs cat
f() { exec < src/a.ts; xargs cat; }; find src | f
find src | cat $(xargs cat < src/a.ts)
find src -exec diff -r {} /etc \\;
rg -l --json x src | xargs cat
rg -l -c x src | xargs cat
rg x src | xargs cat
find src | xargs uniq
find src -exec uniq {} +
find src -type f -exec cat {} out/c.ts + | xargs uniq
xargs cat < src/a.ts
echo /etc/passwd | xargs cat
grep -rl x conf | xargs cat
grep -l x src/a.ts conf/.env | xargs cat
`

const lines = (text: string) => text.split("\n").filter((line) => line !== "")

describe("files that a command is handed as they are found", () => {
  it.scoped("are shown unasked where they lie in the project, and are no secrets (X5, S3)", () =>
    Effect.map(project, ({ said }) => {
      for (const command of lines(shown)) assert.include(["allow", "defer"], said(command), command)
      for (const command of lines(asked)) assert.include(["ask", "deny"], said(command), command)
    })
  )

  it.scoped("are asked about where one is called as an option is (X5, S3)", () =>
    Effect.map(temporaryDirectory, (given) => {
      const root = fs.realpathSync(given)
      fs.writeFileSync(path.join(root, "-e1eid"), "a\n")
      fs.mkdirSync(path.join(root, "src"))
      fs.writeFileSync(path.join(root, "src/-r"), "a\n")
      const said = (command: string) => outcomeIn(root)(command).decision
      for (const command of [
        "git ls-files -z | xargs -0 sed -n 1,5p",
        "git ls-files -z | xargs -0 -n1 grep -n a",
        "rg -l a | xargs sed -n 1p",
        "grep -rl a | xargs sed -n 1p",
        "rg -l -0 a | xargs -0 cat",
        "grep a *",
        "head *",
        "cd src && grep a *",
        "for f in *; do grep a $f; done"
      ])
        assert.strictEqual(said(command), "ask", command)
      for (const command of ["find . -type f | xargs sed -n 1p", "grep -rl a src | xargs sed -n 1p", "grep a src/*"])
        assert.include(["allow", "defer"], said(command), command)
    })
  )

  it.scoped("are asked about where they are more than are looked at, or come later (X5, S3)", () =>
    Effect.map(project, ({ root, said, write }) => {
      const command = "find src -name '*.ts' | xargs cat"
      assert.strictEqual(said(command), "allow")
      fs.mkdirSync(path.join(root, "src/x /etc/y.ts"), { recursive: true })
      assert.strictEqual(said(command), "ask")
      assert.strictEqual(said(command.replace("| xargs", "-print0 | xargs -0")), "allow")
      fs.rmSync(path.join(root, "src/x "), { recursive: true })
      write("src/deep/server.key")
      assert.strictEqual(said(command), "allow")
      assert.strictEqual(said("find src | xargs cat"), "ask")
      assert.strictEqual(said("find src -not -path 'src/deep*' | xargs cat"), "allow")
      assert.strictEqual(said("find src -not -path 'src/deep/*' | xargs cat"), "allow")
      assert.strictEqual(said("find src -not -path 'src/dee/*' | xargs cat"), "ask")
    })
  )
})
