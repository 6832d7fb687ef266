import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { outcomeIn } from "./support.ts"

const asked = `
cat out/hosts
npm test; cat out/hosts
cat one
find out/ -name hosts -exec cat {} +
find out -follow -name hosts
find out/. -name hosts | xargs cat
find out/.. -name hosts -exec cat {} +
find one -exec cat {} \\;
find . -exec cat {} +
ls out/; git -C out diff
git -C out add -A
git -C src/../out log -p
git --no-pager -C out show
make -C out
npm --prefix out test
npm --prefix=out install
echo x > out/y
npm test > out/y
npm test | tee one
cat src/**/*.ts
shopt -s globstar; cat **/*.ts
grep x **/*.ts
cp one src/d.ts
cat elsewhere/hosts
npm test; cat elsewhere/hosts
npm test > elsewhere/y
rm -rf out/dist/
rm -rf packages/*/dist/
rm -rf packages/*/dist/.
rm -rf packages/*/dist//
rm -r packages/*/{dist,build}/
rm -rf out/dist/./
rm -d out/dist/
find out/dist/ -delete
mkdir -p out/sub/
chmod 600 out/dist/
mv out/dist/ src/q
tar xf x.tar -C out/dist/
git init out/dist/
unzip x.zip -d out/dist/
touch out/dist/
rm -rf TMP/*/
cp -r packages lib/q; cat lib/q/c/hosts
cp -a packages lib && echo x > lib/packages/c/new
cp -a packages lib && echo x > lib/c/new
mv packages lib/p && rm lib/p/c/hosts
git mv packages lib/p && cat lib/p/c/hosts
cp -r packages TMP/pk; cat TMP/pk/c/hosts
cp -r pack* lib/q; cat lib/q/c/hosts
PYTHONPATH=out python3 -m pytest
PYTHONPATH=src:out pytest
cat TMP/keep/.env
cat TMP/keep/krb5cc_1000
grep -r x TMP/keep
find TMP/keep -type f -exec cat {} +
cat TMP/keep/.e*
cp TMP/keep/.env a.txt
echo x > TMP/keep/.env
cp -rL src lib/q
cp -r src lib/q
grep -r x src
cp -r --dereference src lib/q
zip -r x.zip src
diff -r src lib
diff packages lib
prettier --write out
eslint --fix src out
pytest out
node src/a.ts out
npm run lint -- out
npm test ou*
docker build -t x out
git checkout x && cat src/a.ts
git checkout x; wc -l src/*.ts
git merge x && cat src/none
git pull && cp src/a.ts src/c.ts
git pull -q && echo x > src/c.ts
git switch x && cd src
git stash pop && cat src/*.none
git -C src rebase x && cat src/a.ts
gh pr checkout 3 && cat src/a.ts
git clone https://github.com/a/b && cat b/README
tar cf - src | tar xf - -C lib && cat lib/src/a.ts
tar xzf TMP/x.tgz -C lib; cat lib/x
unzip TMP/x.zip -d lib; cat lib/x
for i in 1 2; do cat src/a.ts; git checkout x; done
while true; do cat src/a.ts; git pull; done
f() { cat src/a.ts; git pull; f; }; f
sleep 1 && cat src/a.ts & git checkout x
{ sleep 1; cat src/a.ts; } | git checkout x
`

const free = `
cat src/a.ts
ls src
git -C src diff
make -C src
find src -name '*.ts' -exec cat {} +
cat src/*.ts
grep -r x src
echo src/**/*.ts
cat TMP/note
npm test > TMP/log
tail -5 TMP/note
rm -rf packages/a/dist/
mkdir -p src/new/
cp -r src lib && cat lib/a.ts && sed -i s/x/y/ lib/a.ts
mv src/a.ts src/b.ts && cat src/b.ts
PYTHONPATH=src pytest
cp -r src lib
cp -rL src lib/q
diff -r src lib
prettier --write src
npm run out
git checkout -b x && cat src/a.ts
git switch -c x && cat src/a.ts
cat src/a.ts && git checkout x
git checkout x && npm test
git pull && ls
git pull && git log --oneline | head -5
git pull && git add src/a.ts
git checkout x && rm -rf dist
git stash && npm test && git stash pop
git reset --soft HEAD~1 && cat src/a.ts
git clone https://github.com/a/b && ls b
git pull && npm test > TMP/log
`

const lines = (text: string) => text.split("\n").filter((line) => line !== "")

describe("a link that leads out of the project", () => {
  it.scoped(
    "is asked about by whatever command goes through it, also where the link lies among temporary files (X5, S2)",
    () =>
      Effect.gen(function* () {
        const root = fs.realpathSync(yield* temporaryDirectory)
        const temporary = fs.realpathSync(yield* temporaryDirectory)
        fs.mkdirSync(path.join(root, "src/a/b"), { recursive: true })
        fs.writeFileSync(path.join(root, "src/a.ts"), "x\n")
        fs.writeFileSync(path.join(temporary, "note"), "x\n")
        fs.mkdirSync(path.join(temporary, "keep"))
        fs.writeFileSync(path.join(temporary, "keep", ".env"), "x\n")
        fs.symlinkSync("/etc", path.join(root, "out"))
        fs.symlinkSync("/etc/hosts", path.join(root, "one"))
        fs.symlinkSync("/etc/hosts", path.join(root, "src/a/b/l.ts"))
        fs.mkdirSync(path.join(root, "packages/a/dist"), { recursive: true })
        fs.mkdirSync(path.join(root, "packages/b"))
        fs.symlinkSync("/etc", path.join(root, "packages/b/dist"))
        fs.symlinkSync("/etc", path.join(root, "packages/c"))
        fs.symlinkSync("/etc", path.join(temporary, "etc"))
        const outcome = outcomeIn(root)
        const placed = (text: string) => text.replaceAll("elsewhere", `${temporary}/etc`).replaceAll("TMP", temporary)
        for (const line of lines(asked)) assert.include(["ask", "deny"], outcome(placed(line)).decision, line)
        fs.rmSync(path.join(root, "src/a"), { recursive: true })
        for (const line of lines(free)) {
          const { by, decision, reason } = outcome(placed(line))
          assert.include(["allow", "defer"], decision, `${line}: ${by} ${reason}`)
        }
      })
  )
})
