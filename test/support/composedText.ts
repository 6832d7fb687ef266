import * as FastCheck from "effect/FastCheck"
import { onlyShow } from "../../src/policy/shell/OnlyShow.ts"

const of = (words: string): FastCheck.Arbitrary<string> => FastCheck.constantFrom(...words.split(" "))
const lines = (text: string): FastCheck.Arbitrary<string> => FastCheck.constantFrom(...text.trim().split("\n"))
const row = (...parts: ReadonlyArray<FastCheck.Arbitrary<string>>): FastCheck.Arbitrary<string> =>
  FastCheck.tuple(...parts).map((texts) => texts.filter((text) => text !== "").join(" "))
const some = (part: FastCheck.Arbitrary<string>, minLength: number, maxLength: number) =>
  FastCheck.array(part, { minLength, maxLength }).map((parts) => parts.join(" "))

const shower = FastCheck.constantFrom(...onlyShow)
const option = of("-n -l -c -1 -a -r -R -s -h -v -i -e -f -f.env -x -d -L -q -H -z --files0-from=a --label=.env -- -")
const pattern = of("* *.ts *.txt a* *a **/* **/*.ts ./* src/* */* **/** *.json d* *e* -* --* .* [a-z]* ?")
const matcher = of("a one x . ''")

const globbed = FastCheck.oneof(
  row(shower, some(option, 0, 1), some(pattern, 1, 2)),
  row(of("grep egrep fgrep"), some(option, 0, 1), matcher, some(pattern, 1, 2)),
  row(of("sort uniq sed file tree rg awk diff od"), some(option, 0, 1), some(pattern, 1, 2))
)

const start = FastCheck.oneof(
  { arbitrary: of(". src deep ./src src/ sub a ../sibling link $PWD * src/* b.txt -P"), weight: 5 },
  { arbitrary: FastCheck.constantFrom("'a b'", "'x ../sibling/kept'", "'x ..'"), weight: 1 }
)
const test = lines(`
-name '*.ts'
-name '*'
-type f
-type l
-maxdepth 1
-name .env
-not -name '.*'
! -path './.*'
-path './.git' -prune -o -type f
-path ./sub -prune -o -name '*.ts'
-newer ../sibling/kept
-name a -o -name b.txt
( -name a -o -name x.ts )
-quit
-empty
-printf '%p\\n'
-print0
-print
-ls
-depth
-name '*.json'
! -name -print
-name -print0
`).map((text) => text.replaceAll(/[()]/g, "\\$&"))
const handed = lines(`
cat
wc -l
head -n 1
grep -n a
grep -l o
grep -rn a
grep -f
ls
ls -la
tail -n 1
stat -c %n
md5sum
sed -n 1p
awk 1
sort
sort -o
tac -s
rm
touch
sh
xargs cat
cat -- .env
cat ../sibling/kept
cat *
tar -tf
cp -t src
`)
const xargs = of(
  "xargs xargs xargs_-0 xargs_-r xargs_-0_-n_1 xargs_-n1 xargs_-I{} xargs_-I_% xargs_-t xargs_-a_a xargs_-d_x xargs_-P_2_-L_1 xargs_--"
).map((text) => text.replaceAll("_", " "))
const place = of(" {} % {}x a {}_% --_{}").map((text) => text.replaceAll("_", " "))
const producer = FastCheck.oneof(
  { arbitrary: row(of("find"), some(start, 0, 2), some(test, 0, 3)), weight: 6 },
  {
    arbitrary: lines(`
rg -l a src
rg --files
rg -l --null a
grep -rl a src
grep -rlZ a deep
grep -rl --label=../sibling/kept a src -
git ls-files
git ls-files -z
git diff --name-only
ls
echo a .env
cat a
printf 'a\\n'
echo ../sibling/kept | grep -rl --label=.env . src -
`),
    weight: 2
  }
)
const silent = of(" 2>/dev/null 2>&1 </dev/null <a >/dev/null <&2")
const filter = lines(`
grep -v x
grep a
grep -o a
head -n 2
head -c 5
tail -n +2
sort
sort -u
uniq
uniq -c
tr a b
sed s/a/b/
cat
cut -c1-3
`)
const piped = FastCheck.tuple(
  producer,
  silent,
  FastCheck.array(filter, { maxLength: 1 }),
  xargs,
  handed,
  place,
  silent
).map(([first, said, filters, by, command, at, end]) =>
  [`${first} ${said}`, ...filters, `${by} ${command} ${at} ${end}`].join(" | ")
)
const executed = row(
  of("find"),
  some(start, 0, 2),
  some(test, 0, 2),
  of("-exec -exec -exec -ok -execdir"),
  handed,
  of("{} {} {} -n_{} {}_a {}x").map((text) => text.replaceAll("_", " ")),
  of("\\; \\; + + ';' ;"),
  some(test, 0, 1)
)

/** Of many such uses most run unasked. */
const likely = FastCheck.tuple(
  lines(`
find src
find deep -type f
find src -name '*.ts'
find . -name '*.ts' -type f
find sub -name 'c*'
find src deep -name '*.ts' -o -name a
find . -path ./sub -prune -o -name '*.ts' -print
find . -maxdepth 1 -name 'a*'
find . -name '*.json'
find README.md
find 'a b'
find 'x ../sibling/kept'
find 'x ..'
rg -l a src
grep -rl a src
rg --files src
`),
  FastCheck.oneof(filter, FastCheck.constant("cat")),
  row(shower, some(option, 0, 1)),
  lines(`
xargs COMMAND
xargs -r COMMAND
xargs -n 1 COMMAND
xargs -I{} COMMAND {}
xargs -0 COMMAND
xargs -P -0 COMMAND
xargs grep a
xargs -n1 grep -l a | xargs COMMAND
`)
).chain(([find, between, command, by]) => {
  const handing = by.replace("COMMAND", command)
  return FastCheck.constantFrom(
    `${find} | ${handing}`,
    `${find} | ${between} | ${handing}`,
    `${find} -print0 | xargs -0 ${command}`,
    `${find} -print0 | ${handing}`,
    `${find} -exec ${command} {} +`,
    `${find} -exec ${command} {} \\;`,
    `${find} -exec grep a {} \\; -print`
  )
})

const assigned = row(
  some(
    of(
      "LC_ALL=C LC_ALL=C.UTF-8 LANG=en_US.UTF-8 TZ=UTC TZ=Europe/Berlin NO_COLOR=1 COLUMNS=80 PATH=. LC_ALL=zh_CN.GBK TZ=:/etc/passwd TZ=../sibling/kept LD_PRELOAD=./x IFS=/ LC_ALL= LC_ALL=$x GREP_OPTIONS=-r TAR_OPTIONS=--to-command=x A=1"
    ),
    1,
    2
  ),
  of("sort cat date ls grep wc echo env export cd git"),
  of(" a b.txt src +%F -o +LC_ALL=C status")
)

const archives = row(
  of("tar"),
  of("tf tzf tvf -tf -tzf -t -xf xf cf -cf rf -tvzf tfz ft tvft -tf -tf"),
  of("x.tar x.tgz ./x.tar link host:x.tar - .env a ../sibling/x.tar"),
  of(
    " a -v --to-command=./x --checkpoint=1 --checkpoint-action=exec=./x -Ix -O -C src -P --use-compress-program=./x * '*' -- -x"
  )
)
const jq = row(
  of("jq"),
  of("--arg --argjson --slurpfile --rawfile --args -r --arg"),
  of("k k -f $x *"),
  of("v 1 .env a -n"),
  lines(`
.
'$k'
'{k:$k}'
'$ENV'
'$__prog_args'
'input_filename'
'.[$k]'
'. as $x | $k'
env
`),
  of("data.json .env ")
)

const simple = FastCheck.oneof(
  { arbitrary: globbed, weight: 4 },
  { arbitrary: likely, weight: 6 },
  { arbitrary: piped, weight: 6 },
  { arbitrary: executed, weight: 4 },
  { arbitrary: assigned, weight: 2 },
  { arbitrary: archives, weight: 2 },
  { arbitrary: jq, weight: 1 },
  {
    arbitrary: lines(`
ls
pwd
cat a
cat .env
cat x.ts
cat ../a
cat ../sibling/kept
cat ../../sibling/kept
cd src
cd deep
cd ..
cd link
[ -f a ]
[[ -f a ]]
[[ -f link ]]
[[ -n a ]]
[[ -v x ]]
[[ a -eq b ]]
[[ -f $(touch PWNED) ]]
[[ -f "a[$(touch PWNED)]" ]]
test -d src
echo $?
echo "exit: $?"
printf '%s' "$?"
cat $?
head -n $? a
echo a > PWNED
touch PWNED
! grep -q a a
time ls
time LC_ALL=C ls
time -p ls
time -o PWNED ls
true
false
`),
    weight: 6
  }
)

const between = FastCheck.constantFrom("; ", " && ", " || ", " | ", "\n", " & ", ";\n")

/** Groups, conditions and loops of commands that read, and what is near to them. */
export const composedText: FastCheck.Arbitrary<string> = FastCheck.letrec<{
  text: string
  list: string
  group: string
}>((tie) => ({
  text: FastCheck.oneof({ depthSize: "small", withCrossShrink: true }, simple, simple, tie("list"), tie("group")),
  list: FastCheck.tuple(tie("text"), between, tie("text")).map((parts) => parts.join("")),
  group: FastCheck.tuple(
    tie("text"),
    tie("text"),
    FastCheck.constantFrom<(one: string, other: string) => string>(
      (one) => `(${one})`,
      (one) => `( ${one} )`,
      (one) => `{ ${one}; }`,
      (one) => `{ ${one}\n}`,
      (one) => `{${one}; }`,
      (one) => `((${one}))`,
      (one, other) => `(${one}) && ${other}`,
      (one, other) => `{ ${one}; } && ${other}`,
      (one, other) => `(${one}; ${other}) 2>/dev/null`,
      (one, other) => `{ ${one}; ${other}; } | cat`,
      (one) => `{ ${one}; } > PWNED`,
      (one, other) => `if ${one}; then ${other}; fi`,
      (one, other) => `if ${one}\nthen\n${other}\nelse ${one}\nfi`,
      (one, other) => `if ${one}; then ${other}; elif ${other}; then ${one}; else ${one}; fi`,
      (one, other) => `if (${one}) then ${other}; fi`,
      (one, other) => `! ${one} && ${other}`,
      (one, other) => `time ${one} && ${other}`,
      (one) => `time ! ${one}`,
      (one) => `! { ${one}; }`,
      (one, other) => `for f in a b.txt *.ts; do ${one}; cat "$f"; ${other}; done`,
      (one, other) => `for f in *.ts a*; do ${one}; cat "$f"; ${other}; done`,
      (one) => `for path in src deep; do ${one}; done`,
      (one, other) => `while ${one}; do ${other}; break; done`,
      (one) => `f() { ${one}; }; f`
    )
  ).map(([one, other, wrap]) => wrap(one, other))
})).text
