import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { outcomeIn } from "./support.ts"

const counted = [
  "i=0; i=$((i+1)); echo $i",
  'i=0; while [ "$i" -lt 5 ]; do echo $i; i=$((i + 1)); done',
  "for ((i=0; i<5; i++)); do echo $i; done",
  "for i in 1 2 3; do echo $((i * 2)); done",
  "for i in {1..5}; do echo $(($i % 2)); done",
  "n=5; echo $(( (n - 1) / 2 ))",
  "n=5; ((n++)); ((n += 2)); echo $n",
  "n=1; [[ $n -gt 0 ]] && echo yes",
  'n=1; if [[ "${n}" -ge 1 ]]; then echo yes; fi',
  "n=0; while read -r line; do n=$((n+1)); done < a.txt; echo $n",
  "n=1; export n; echo $((n + 0x10 + 2#11))",
  "((n = 5)); echo $((n ? 1 : -n))",
  "n=1; printf '%d\\n' $((n+1))",
  "[[ $? -eq 0 ]] && echo $(($# + 1))",
  "[ $? -ne 0 ] && echo no",
  'npm test; rc=$?; if [ "$rc" -gt 1 ]; then exit $rc; fi',
  "npm test | tail -5; exit ${PIPESTATUS[0]}",
  "npm run dev & PID=$!; sleep 2; kill $PID",
  "n=$(wc -l < a.txt); echo $((n / 2))",
  "[ $(ls | wc -l) -gt 3 ] && echo many",
  "start=$(date +%s); end=$(date +%s); echo $((end - start))",
  'while IFS= read -r line; do echo "$line"; done < a.txt',
  "printf '%s %5d%%\n' \"$x\" 7",
  "git log @{u}..HEAD; git show stash@{0} --stat"
]

const computed = [
  "i=$((i+1))",
  "echo $((n))",
  "n='a[$(id)]'; echo $((n))",
  "n=1; n=$(cat a.txt); echo $((n))",
  "n=1; n=$m; echo $((n+1))",
  "n=1; read n < a.txt; echo $((n))",
  "n=1; read -r n <<< 'a[$(id)]'; ((n++))",
  "n=1; printf -v n 'a[$(id)]'; echo $((n))",
  "n=1; eval \"n='a[$(id)]'\"; echo $((n))",
  "n=1; source ./a.sh; echo $((n))",
  "n=1; export 'n=a[$(id)]'; echo $((n))",
  'n=1; declare "$x=a[0]"; echo $((n))',
  "declare -n r=n; n=1; r='a[$(id)]'; echo $((n))",
  "n=1; n[0]='a[$(id)]'; echo $((n))",
  "n=1; mapfile n < a.txt; echo $((n))",
  "n=1; for n in $(cat a.txt); do echo $((n)); done",
  "n=1; f() { n=$1; }; f 'a[$(id)]'; echo $((n))",
  "n=1; c=eval; $c 'n=x'; echo $((n))",
  "n=1; n='a[$(id)]' true; echo $((n))",
  "n=1; echo $((a[n]))",
  "n=1; echo $(( $(cat a.txt) ))",
  'n=1; echo $(( "n" ))',
  "echo $((x = y))",
  "((x = 1, x = y))",
  "for ((i=j; i<5; i++)); do echo $i; done",
  "for ((i=0; i<n; i++)); do echo $i; done",
  "[[ $n -gt 0 ]]",
  "n=1; [[ n -gt m ]]",
  "((PATH = 1))",
  "((RANDOM++))",
  "x=src; ((x = 1)); cat $x",
  "REPLY=0; read < a.txt; ((REPLY))",
  "for REPLY in {1..2}; do read < a.txt; ((REPLY)); done",
  "MAPFILE=0; mapfile -t < a.txt; echo $((MAPFILE))",
  '_=0; echo "$(cat a.txt)"; ((_))',
  "for ((_=0; _<3; _++)); do echo 'a[$(id)]'; done",
  "path=0; ((path))",
  "n=0; read {n,m} < a.txt; ((n))",
  "n=0; while read {n,x}; do ((n++)); done < a.txt",
  "n=0; unset {n,m}; : ${n:='a[$(id)]'}; ((n))",
  "(i=0); : ${i:='a[$(id)]'}; echo $((i))",
  "(i=0); echo $((i))",
  "false && i=0; echo $((i))",
  "f() { i=0; }; echo $((i))",
  "bash -c 'i=0'; ((i))",
  "i=0; bash -c 'echo $((i))'",
  "n=$(cat a.txt || wc -l); echo $((n))",
  "n=$(cat a.txt; ls | wc -l); echo $((n))",
  "n=$(cat a.txt & ls | wc -l); echo $((n))",
  "n=$(wc -l a.txt); echo $((n))",
  "n=$(ls | wc -l | cat a.txt); echo $((n))",
  "[ $(cat a.txt || wc -l) -gt 3 ]",
  "wc() { cat a.txt; }; n=$(wc -l); echo $((n))",
  "printf '%d' 'path[$(id)]'",
  "printf '%s %x\n' a \"$(cat a.txt)\"",
  "x='path[$(id)]'; printf '%d' \"$x\"",
  "printf '%*d' $x 5",
  "printf -- '%d' 'path[$(id)]'",
  "printf '%%s %d' 'path[$(id)]'",
  "printf '%ld' 'path[$(id)]'",
  "printf '%1$d' 'path[$(id)]'",
  "printf '%*s' 'path[$(id)]' a",
  "x='path[$(id)]'; exit x",
  "f() { return x; }; x='path[$(id)]'; f",
  "for i in 1; do break x; done",
  "y='path[$(id)]'; echo $path[y]",
  'y=$(cat a.txt); echo "$path[$y]"',
  ...["$?", "$#", "$$", "$!", "$@", "$*", "$-", "$0", "$#path", "$+path", "$=path"].flatMap((start) => [
    `echo "${start}[path[\\$(id)]]"`,
    `echo ${start}[PATH=3]; ls`
  ]),
  "x='$(id)'; echo ${(e)x}",
  "echo *(e:'id':)",
  "npm test; echo ${x:-*(e:'id':)}",
  "for f in *(e:'id':); do echo $f; done",
  ...[
    "echo X",
    "x=X; echo $x",
    "[[ -n X ]]",
    "for i in X; do ls; done",
    "case X in a) ls;; esac",
    "x=(X)",
    "cat <<< X"
  ].flatMap((text) =>
    ["${$(id)}", '"${$(id)}"', "${`id`}", '${"$(id)"}', "${#$(id)}", "${x:-${$(id)}}"].map((word) =>
      text.replace("X", word)
    )
  )
]

describe("what a shell text of another agent computes", () => {
  it.scoped("is a number where its variables are, and can run code where they may be more (X5)", () =>
    Effect.map(temporaryDirectory, (root) => {
      const outcome = outcomeIn(fs.realpathSync(root))
      for (const text of counted) {
        const { by, decision, reason } = outcome(text)
        assert.include(["allow", "defer"], decision, `${text}: ${by} ${reason}`)
      }
      for (const text of computed) assert.include(["ask", "deny"], outcome(text).decision, text)
    })
  )

  it.scoped("stands for any file where a name is computed (X5, S3)", () =>
    Effect.map(temporaryDirectory, (given) => {
      const root = fs.realpathSync(given)
      fs.symlinkSync("/etc/passwd", `${root}/2`)
      const outcome = outcomeIn(root)
      for (const text of [
        "i=1; i=$((i+1)); cat $i",
        "i=1; ((i++)); cat $i",
        "for ((i=1; i<3; i++)); do cat $i; done",
        "i=1; while true; do cat $i; ((i++)); done",
        "cat $((1+1))",
        "x=1.2; cat $x:e",
        "for a in 1.2; do cat $a:e; done",
        "x=2/1; cat $x:h",
        "x=1; cat $x:s/1/2/",
        'x=12; cat "$x[2]"',
        "x=1; echo a > $x:s,1,2,",
        "x=1; sh $x:s,1,2,",
        "DIRSTACK=a; cat $DIRSTACK",
        "GROUPS=1; cat $GROUPS",
        "EPOCHSECONDS=1; cat $EPOCHSECONDS",
        "cat {1..5}",
        "cat < {2..2}",
        'for i in {1..5}; do cat "$i"; done',
        "for i in {1..100}; do cat $i; done",
        "echo x > {2..2}",
        "for i in {1..3}; do echo x > $i; done",
        "tee {1..2} < a.txt",
        "sed -i s/a/b/ {1..2}"
      ])
        assert.include(["ask", "deny"], outcome(text).decision, text)
    })
  )
})
