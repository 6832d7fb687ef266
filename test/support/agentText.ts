import * as FastCheck from "effect/FastCheck"
import { gitCommands } from "../../src/policy/shell/GitCommands.ts"
import { quoted } from "../../src/text/ShellWord.ts"

const of = (words: string): FastCheck.Arbitrary<string> => FastCheck.constantFrom(...words.split(" "))
const lines = (text: string): FastCheck.Arbitrary<string> => FastCheck.constantFrom(...text.trim().split("\n"))
const some = (part: FastCheck.Arbitrary<string>, minLength: number, maxLength: number, between = " ") =>
  FastCheck.array(part, { minLength, maxLength }).map((parts) => parts.join(between))
const row = (...parts: ReadonlyArray<FastCheck.Arbitrary<string>>): FastCheck.Arbitrary<string> =>
  FastCheck.tuple(...parts).map((texts) => texts.filter((text) => text !== "").join(" "))

const file = of("a b.txt src/x.ts in README.md data.json ./a link .env ../sibling/kept src . .git/config deep/a.ts")
const read = of("a b.txt src/x.ts in README.md data.json ./a deep/a.ts")

const awkProgram = some(
  lines(String.raw`
/a/
NR==1
NR > 2
END
BEGIN
{ print }
{ print $1 }
{ print $1, $2 }
{ print $1 > "PWNED" }
{ print > "PWNED" $1 }
{ print ($1 > 2) }
{ print $1 / 2 > "PWNED" }
{ print | "touch PWNED" }
{ print "x" |& "sh" }
{ s += $1 / 2 } END { print s / 3 }
{ a[$1]++ } END { for (k in a) print k, a[k] }
{ system("touch PWNED") }
{ "touch PWNED" | getline x }
{ getline x < "../sibling/kept"; print x }
{ while (("cat .env" | getline x) > 0) print x }
{ gsub(/[/]/, "-"); print }
/[/]/ { print > "PWNED" }
/\// { print $0 }
{ if ($1 > 2) print $1 }
{ if (/a/) print > "PWNED" }
{ print (1) > "PWNED" }
{ x = 1 / 1; print "/" > "PWNED" }
{ printf "%s\n", $1 }
{ printf("%s\n", $1) > "PWNED" }
{ print substr($0, 1, 3) }
{ print length /a/ > "PWNED" }
{ print ENVIRON["HOME"] }
@include "x"
@load "filefuncs"
{ @x($1) }
{ close("a") } # comment
# { print }
, /b/
&& $2
;
function f(x) { system(x) }
{ ARGV[1] = "../sibling/kept"; ARGC = 2 }
{ $1 = "a" "b"; print }
$1 ~ "a" { print $NF }
{ print "a\"; system(\"touch PWNED\")" }
!seen[$0]++
{ print a["b"] > $1 }
{ split($0, p, /[,/]/); print p[1] }
`),
  1,
  3
)

const sedScript = FastCheck.tuple(
  some(
    lines(String.raw`
1p
1,5p
$p
/a/p
/a/,/b/p
/[/]/p
/a\/b/d
2q
=
s/a/b/
s/a/b/g
s/a/b/w PWNED
s/a/touch PWNED/e
s|a|b|gp
s,a,b,2
s#a#b#w PWNED
s/[/]w PWNED/x/
s/a/\/w PWNED/
s/a/b\nw PWNED/
1w PWNED
w PWNED
/a/w PWNED
1e touch PWNED
e
r ../sibling/kept
R .env
1!d
$!N
y/ab/ba/
a PWNED
c\
i x
{p;p}
}
b
:x
s/a/b/;w PWNED
F
v
z
M
`),
    1,
    3,
    ";"
  ),
  of("; \n")
).map(([script, end]) => (end === "\n" ? script.replaceAll(";", "\n") : script))

const jqFilter = some(
  lines(String.raw`
.
.a
.a.b[0]
.[]
keys
.. | length
.a // "x"
map(select(.a > 1))
"\(.a) and \(keys)"
"\(env)"
"\($ENV.HOME)"
$ENV
env.HOME
input_filename
inputs
$__prog_args
include "x"; .
import "x" as x; .
def f: f; f
range(1e9)
[limit(3; .[])]
@sh "touch \(.a)"
getpath(["a"])
debug
input_line_number
to_entries[] | .key
. as $x | $x
.a |= 1
halt_error
if . then . else . end
{a, b: .a, "c": .b}
{env: 1}
{(env.HOME): 1}
ltrimstr("a") | ascii_downcase
`),
  1,
  2,
  " | "
)

/** Programs of awk, sed and jq, read-only and not, over files that may be read and not. */
export const programText = FastCheck.oneof(
  row(of("awk gawk mawk awk"), of("-F, -F: -f -v -vx=1 -e -i -- -E -o"), awkProgram.map(quoted), file),
  row(of("awk gawk mawk awk"), awkProgram.map(quoted), read),
  row(of("sed"), of("-n -E -ne -i -s -u -nE -e -f -z --expression --in-place"), sedScript.map(quoted), file),
  row(of("sed"), of("-n -E"), sedScript.map(quoted), read),
  row(of("jq"), of("-r -c -n -e -f -L --arg --slurpfile --rawfile -rn"), jqFilter.map(quoted), file),
  row(of("jq"), jqFilter.map(quoted), read)
)

const gitOption = FastCheck.oneof(
  {
    arbitrary: FastCheck.constantFrom(
      ...Object.values(gitCommands).flatMap(({ options }) => options.split(/\s+/).filter((each) => each !== ""))
    ).map((option) => option.replace(/=(?:text|number)$/, "=1").replace(/\[=.*/, "")),
    weight: 2
  },
  {
    arbitrary: lines(`
--ext-diff
--textconv
--output=PWNED
--no-index
-O../sibling/kept
--open-files-in-pager=touch
-Otouch
--contents=.env
--show-signature
--format=%G?
--format=%B
--exec=touch
--upload-pack=touch
--ignore-revs-file=.env
-p
-S x
-L 1,2:a
-Gx
--stat
--oneline
-3
--submodule=log
--filters
--batch
`),
    weight: 1
  }
)
const gitOperand = lines(`
HEAD
HEAD~1
HEAD~2
HEAD~1..HEAD
main
stash@{0}
v1
:a
HEAD:a
HEAD~2:old.pem
HEAD:.env
HEAD:src
HEAD~2:
:/first
:(top).env
:!a
-- a
-- .env
-- src
-- ../sibling/kept
a
.env
old.pem
src
.
link
refs/heads
-t HEAD
`)

/** Read-only git and what is near to it, in a repository that wants to run programs. */
export const gitText = FastCheck.oneof(
  row(
    of("git git git git --no-pager_git").map((name) => (name === "--no-pager_git" ? "git --no-pager" : name)),
    FastCheck.constantFrom(...Object.keys(gitCommands)),
    some(gitOption, 0, 2),
    some(gitOperand, 0, 2)
  ),
  row(
    FastCheck.constant("git"),
    lines(`
-C src
-C .
-C deep
-C ../sibling
-C /
-C sub
-C src -C ..
-C $PWD
-c core.pager=touch
-c diff.external=./x
-p
--git-dir=.git
--git-dir=sub/.git
--work-tree=..
--exec-path=.
--paginate
--literal-pathspecs
`),
    FastCheck.constantFrom(...Object.keys(gitCommands)),
    some(gitOption, 0, 1),
    some(gitOperand, 0, 1)
  ),
  row(
    FastCheck.constant("git"),
    of("difftool archive bundle fast-export hash-object checkout apply am config gc notes rerere bisect x"),
    some(gitOperand, 0, 2)
  )
)

const wide = FastCheck.stringMatching(
  /^[\u00a1-\u00ff\u0391-\u03c9\u4e00-\u4eff\u81e0-\u81ff\uff5c\uff1b\u8a60a\\'"|;`$]{1,6}$/
)
/** Characters whose bytes end in what a shell of another locale reads as a backslash, a quote or a pipe, and bytes that are no text. */
const foreign = FastCheck.oneof(
  row(of("cat ls echo grep"), wide, read),
  row(of("cat ls echo"), wide.map(quoted), read),
  row(
    of("echo printf"),
    lines(String.raw`
$'\xbf\x5c'
$'\xbf'\';touch PWNED;\'
'誠'\' | touch PWNED
"縗" ; touch PWNED
'\xbf'
"\xbf\x27;touch PWNED"
ｅ；touch PWNED
a touch PWNED
縗\ ; cat a
"ﾂ\"; touch PWNED; \""
'�' a
`)
  )
)

const secret = FastCheck.oneof(
  row(
    lines(`
PASSWORD="abc $(touch PWNED)"
TOKEN=abc
API_KEY='x;touch PWNED'
`),
    of("cat ls env"),
    read
  ),
  row(
    of("echo grep cat"),
    lines(`
"password=abc $(touch PWNED)"
'token=x' ; touch PWNED
"-----BEGIN RSA PRIVATE KEY-----$(touch PWNED)"
'AKIAIOSFODNN7EXAMPLE'
"postgres://u:p\`touch PWNED\`@h/d"
--password=abc
-psecret
"Authorization: Bearer x" > PWNED
`),
    read
  )
)

const document = lines(`
<<E⏎one $(touch PWNED)⏎E
<<'E'⏎one $(touch PWNED)⏎E
<<"E"⏎\`touch PWNED\`⏎E
<<-E⏎	one⏎	E
<<E ; touch PWNED⏎one⏎E
<<E⏎one⏎ E⏎touch PWNED⏎E
<<\\E | cat⏎x⏎E
<<E <<F⏎a⏎E⏎b⏎F
<<<a
<<<"$(touch PWNED)"
`).map((text) => text.replaceAll("⏎", "\n"))
const input = lines(`
< a
<a
0< a
< ./a
< src/x.ts
< .env
< ../sibling/kept
< link
< ~/.ssh/id_rsa
< src/*
< *.txt
3< a
<> a
<& 0
< /dev/null
< /dev/tcp/127.0.0.1/80
< $PWD/a
< "$HOME/.bashrc"
< "a"
< a < in
`)
const fed = row(
  of("cat wc head sort grep_a tr_a_b sed_-n_1p jq_. awk_1 bash").map((text) => text.replaceAll("_", " ")),
  FastCheck.oneof(document, input)
)

const pattern = of(
  "* *.ts src/* ./* src/*.ts *.txt **/*.ts .* .e* *env ?.txt [ab]* [!a]* s?c/x.ts src/[a-z].ts *.{ts,js} {a,b.txt} -* --* */a deep/* *.json li* old* /etc/p* ../*/* ~/* ~/.ssh/*"
)
const globbed = row(
  of("ls cat wc head grep_-n_a echo file stat_-c_%s sort tac").map((text) => text.replaceAll("_", " ")),
  some(FastCheck.oneof(pattern, read), 1, 3)
)

const variable = lines(String.raw`
$HOME
$PWD
"$PWD"
"$PWD/a"
$PWD/src
$PWD/src/x.ts
"$PWD"/b.txt
${"$"}{PWD}/a
"${"$"}{HOME}/.bashrc"
$HOME/.ssh/id_rsa
"$HOME/.ssh/id_rsa"
$PWD/../sibling/kept
"$PWD/.env"
$PWDX
$PWD*
$PWD/*.txt
"$PWD/*.txt"
"-$PWD"
a$PWD
$OLDPWD
$IFS
$1
$@
${"$"}{PWD:-x}
${"$"}{PWD#x}
${"$"}{!PWD}
\$PWD
'$PWD/a'
"\$PWD"
`)
const expanded = row(
  of("ls cat echo wc head cd find").map((text) => text),
  some(FastCheck.oneof(variable, read), 1, 2)
)

const body = lines(`
echo $f
echo "$f"
cat "$f"
cat $f
wc -l "$f"
head -n 1 "$f"
ls "$f"
ls -d "./$f"
grep -n a "$f"
touch $f
"$f"
$f
cat "$f/x.ts"
cat < "$f"
cat "src/$f"
sed -n 1p "$f"
sed -n "$f" a
awk "$f" a
echo "$f" > PWNED
cd $f
f=x
read f
sort "$f" | uniq -c
echo "==$f=="
echo "$PWD"
cat "$f" 2>/dev/null
find "$f"
git log --oneline -- "$f"
git show "$f"
test -f "$f" && cat "$f"
[ -f "$f" ]
cat \${f}
cat "\${f%.ts}"
`)
const words = FastCheck.oneof(
  some(FastCheck.oneof(read, file), 1, 3),
  pattern,
  lines(`
1 2 3
-n -r
-delete
"a b"
'1w PWNED'
"$PWD"
$PWD/a
$(ls)
{1..3}
.env a
../sibling/kept
"$@"
~
a;b
HEAD main
--output=PWNED
`)
)
const loop = FastCheck.tuple(
  of("f f f f PATH IFS PWD HOME x GIT_DIR"),
  words,
  some(body, 1, 2, "; "),
  FastCheck.boolean()
).map(([name, over, does, multiline]) =>
  multiline ? `for ${name} in ${over}\ndo\n  ${does}\ndone` : `for ${name} in ${over}; do ${does}; done`
)

const one = FastCheck.oneof(
  { arbitrary: programText, weight: 5 },
  { arbitrary: gitText, weight: 5 },
  { arbitrary: globbed, weight: 3 },
  { arbitrary: expanded, weight: 3 },
  { arbitrary: loop, weight: 4 },
  { arbitrary: fed, weight: 3 },
  { arbitrary: foreign, weight: 1 },
  { arbitrary: secret, weight: 1 },
  { arbitrary: row(of("cat ls wc head"), read), weight: 3 },
  { arbitrary: row(of("cd"), of("src deep . .. sub ../sibling link")), weight: 1 }
)
const between = FastCheck.constantFrom(
  "\n",
  "\n",
  "\n\n",
  "; ",
  " && ",
  " || ",
  " | ",
  " &&\n  ",
  " |\n",
  " # a note\n",
  "\n# ' a note\n",
  " & ",
  " |& ",
  ";\n",
  " \\\n && ",
  "\r\n",
  "\t;\t"
)

/** What an agent writes and what is near to it: one command mostly, up to eight over several lines. */
export const agentText: FastCheck.Arbitrary<string> = FastCheck.oneof(
  { arbitrary: one, weight: 4 },
  {
    arbitrary: FastCheck.tuple(one, FastCheck.array(FastCheck.tuple(between, one), { maxLength: 3 })).map(
      ([first, more]) => first + more.flat().join("")
    ),
    weight: 2
  },
  {
    arbitrary: FastCheck.array(row(of("cat wc head tac"), read), { minLength: 2, maxLength: 8 }).chain((commands) =>
      FastCheck.tuple(between, one).map(([mark, last]) => [...commands, last].join(mark))
    ),
    weight: 1
  }
)
