import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { outcomeIn } from "./support.ts"

/** What an agent changes every day, in a directory where the files are that it names. */
const ordinary = `
mv a.txt c.txt
mv -f a.txt src/b.ts
mv src lib
mv README notes
git mv a.txt c.txt
cp a.txt README
cp -r src lib
ln -s a.txt latest
install -m 755 a.txt src/run
touch a.txt new.txt
mkdir -p build && cp a.txt build/
echo x | tee a.txt
cat README | tee a.txt
tee -a a.txt < /dev/null
sort -o a.txt README
sort -u a.txt -o a.txt
sed -i s/a/b/ a.txt
git add -A && git commit -m x
git remote add up https://github.com/a/x.git
git clone https://github.com/a/b
git clone --depth 1 https://github.com/a/b /tmp/y
gh repo clone a/b && ls b
NODE_ENV=test npm test
npm ls
poetry shell
poetry shell < /dev/null
node src/b.ts
cp a.txt new.sh && sh new.sh
chmod +x README && ./README
chmod 1755 a.txt
chmod g-s a.txt
install -m755 a.txt src/run
cp -p a.txt c.txt
npx --no tsc
npx eslint .
npm exec eslint
pnpm exec tsc
jobs
jobs -l
fd foo src
bat a.txt
jq '.a="b" | .c |= length' a.txt
diff <(sort a.txt) <(sort README)
git diff --name-only -z main...HEAD | xargs -0 wc -l
git ls-files -z | xargs -0 grep x
python3 -m http.server --bind localhost -d src
`

/** What looks as ordinary, and is not. */
const asked = `
mv src .github
mv a.txt .envrc
cp /dev/null a.txt
cp -f /dev/null a.txt
install /dev/null a.txt
install -m 644 /dev/null a.txt
tee a.txt < /dev/null
true | tee a.txt
printf '' | tee a.txt README
sort -o a.txt /dev/null
sort -oa.txt /dev/null
sort -k 2 -t : -o a.txt /dev/null
sort /dev/null --output=a.txt
sort -o a.txt < /dev/null
git remote set-url origin https://github.com/a/x.git
git remote set-url --push origin https://github.com/a/x.git
git clone https://github.com/a/b y && bash y/run.sh
git clone https://github.com/a/b y; ./y/run.sh
git clone https://github.com/a/b.git && cd b && npm test
git clone git@github.com:a/b.git && make -C b
git clone --depth=1 https://github.com/a/b/ && node b/x.js
git clone https://github.com/a/b .
gh repo clone a/b && bash b/run.sh
gh repo clone a/b y && python3 y/run.py
echo 'rm -rf src' | poetry shell
echo 'touch x' | pipenv shell
poetry shell < a.txt
bash -c 'poetry shell' < a.txt
bash -c 'cat a.txt | poetry shell'
cat a.txt | docker exec -i x sh
cat a.txt | rails console
poetry shell <<< 'touch x'
cp a.txt src/b.ts && node src/b.ts
mv a.txt README && sh README
cp a.txt README; ./README
cp /dev/stdin new.sh <<< 'touch x' && sh new.sh
chmod u+s a.txt
chmod 4755 a.txt
chmod a=rx,g+s a.txt
install -m 6755 a.txt src/run
install --mode=u+s a.txt src/run
cp -p lending c.txt
cp --preserve=mode lending c.txt
tar xpf a.tar -C src
npx tsc
npx -y typescript@5
bunx tsc
bun x tsc
npm exec tsc
npx @angular/cli build
pnpm dlx eslint
yarn dlx eslint
cat ^a.txt
cat src/^b
head .env#
jobs -x touch
fd -x touch
fd foo -l
bat cache --build
bat --pager 'touch x' a.txt
jq '.a[.n]=1' a.txt
diff <(touch x; rm -rf src) a.txt
bash <(cat a.txt)
cp <(cat a.txt) README && ./README
git diff --name-only main...HEAD | xargs wc -l
git diff --name-only --ext-diff | xargs cat
git diff --name-only | xargs -I{} sh {}
python3 -m http.server --bind localhost --bind 0.0.0.0
python3 -m http.server --bin localhost
python3 -m http.server --bind localhost --cgi
python3 -m http.server --bind localhost --directory /etc
python3 -m http.server --bind localhost -d /etc
git commit -m 'a\u200db'
git\u00a0status
`

const lines = (text: string): ReadonlyArray<string> => text.trim().split("\n")

describe("what an agent does every day, where its files are", () => {
  it.scoped(
    "is left to it, and asked about where it empties a file, leads elsewhere or runs what nobody has read (X5)",
    () =>
      Effect.gen(function* () {
        const directory = fs.realpathSync(yield* temporaryDirectory)
        for (const name of [".git", "src"]) fs.mkdirSync(path.join(directory, name))
        for (const name of ["a.txt", "README", "src/b.ts"]) fs.writeFileSync(path.join(directory, name), "x\n")
        fs.writeFileSync(path.join(directory, "lending"), "x\n")
        fs.chmodSync(path.join(directory, "lending"), 0o4755)
        fs.mkdirSync(path.join(directory, "node_modules/.bin"), { recursive: true })
        fs.writeFileSync(path.join(directory, "node_modules/.bin/eslint"), "x\n")
        const of = outcomeIn(directory)
        for (const command of lines(ordinary)) {
          const { by, decision } = of(command)
          assert.include(["allow", "defer"], decision, `${command}: ${by}`)
        }
        for (const command of lines(asked)) assert.strictEqual(of(command).decision, "ask", command)
      })
  )
})
