import { assert, describe, it } from "@effect/vitest"
import { awkProgram } from "../../../src/policy/shell/AwkProgram.ts"
import { jqFilter } from "../../../src/policy/shell/JqFilter.ts"
import type { Form } from "../../../src/policy/shell/ReadOnlyCommand.ts"
import { isHeavy } from "../../../src/policy/shell/Repetition.ts"
import { sedScript } from "../../../src/policy/shell/SedScript.ts"
import { classify } from "../../../src/policy/shell/ShellPolicy.ts"
import { contextOf } from "./ShellFixture.ts"

const holds = (form: Form, harmless: ReadonlyArray<string>, others: ReadonlyArray<string>): void => {
  for (const text of harmless) assert.isTrue(form.test(text), text)
  for (const text of others) assert.isFalse(form.test(text), text)
}

describe("programs in the languages of readers", () => {
  it("of sed write nothing, run nothing and open nothing (S3)", () => {
    holds(
      sedScript,
      String.raw`1,5p ⏎s/a/b/ ⏎s/a/b/g;s/c/d/gp ⏎/x/d ⏎s|a/b|c| ⏎s#a#b#g ⏎/a/,/b/p ⏎$p ⏎/x/s/a/b/ ⏎10q ⏎s/\//x/ ⏎s/[0-9]*/N/2`.split(
        " ⏎"
      ),
      String.raw`s/a/b/e ⏎s/a/b/w f ⏎w f ⏎1w f ⏎s/a/b/gw f ⏎e ⏎1e ls ⏎r /etc/passwd ⏎s/a/b/;e ls ⏎s|a|b|e ⏎s/a/[/]/e/ ⏎s/[/]/w f/ ⏎y/a/b/ ⏎W f ⏎s,a,b,w f ⏎s/[a|b]/x/w q ⏎s|[a|b]|x|w q|`.split(
        " ⏎"
      )
    )
  })

  it("of awk write nothing, run nothing, open nothing and loop over nothing but arrays (S3)", () => {
    holds(
      awkProgram,
      String.raw`{print $1} ⏎NR==1 ⏎NR > 5 {print $1, $2} ⏎/foo/ {print} ⏎{s+=$1} END {print s} ⏎{if ($1 > 5) print $2} ⏎{a[$1]++} END {for (k in a) print k, a[k]} ⏎BEGIN{FS=":"} {print $1} ⏎{printf "%-10s %d\n", $1, $2} ⏎{print (a+b)/2} ⏎$2 ~ /x/ && $3 !~ /y/ ⏎!seen[$0]++ ⏎length($0) > 80 ⏎/a/,/b/`.split(
        " ⏎"
      ),
      String.raw`BEGIN{system("id")} ⏎{print > "f"} ⏎{print >> "f"} ⏎{print | "sh"} ⏎BEGIN{"id"|getline} ⏎BEGIN{while((getline l < "f")>0) print l} ⏎BEGIN{print ENVIRON["X"]} ⏎BEGIN{ARGV[1]="/etc/passwd"} ⏎{ if (1) /"/; print "x" > "f"; /"/ } ⏎function f(){} ⏎@load "x" ⏎BEGIN{for(;;);} ⏎{while(1);} ⏎{print $1 > $2} ⏎{printf "%1000000d", 1} ⏎{printf("x") > "f"} ⏎{a = $/"/; print "x" > "f"; /"/} ⏎{x = length /"/; print "x" > "f"; /"/} ⏎{print x[1] > "f"} ⏎BEGIN { @f() } ⏎{printf "%*d", 9999999, 1} ⏎{ if (x) y; else /"/ ; print "x" > "f" ; /"/} ⏎BEGIN{close("x")} ⏎{print $1 |& "x"}`.split(
        " ⏎"
      )
    )
  })

  it("of sed have no brackets that one sed ends where another goes on (S3)", () => {
    holds(sedScript, ["/[^a]/p", "s/[[:space:]]*$//"], ["/[^]/s|]/w f|x|", "/[]/s|]/w f|x|", "s/[^]/]/", "s|[^]|]|"])
  })

  it("of awk have no brackets that one awk ends where another goes on (S3)", () => {
    holds(
      awkProgram,
      ["/^[[:space:]]*$/", "/[^a-z]/ {print}", "$1 ~ /^[A-Z_]+$/"],
      ['{ /[]/ "] /; print 1 > "f" ; /"/ }', '/[^]/ "] / { print 1 > "f" } /"/', "/[]]/", "/[^]]/", "/[[/]/"]
    )
  })

  it("of jq see their input alone (S3)", () => {
    holds(
      jqFilter,
      String.raw`. ⏎.name ⏎.scripts | keys ⏎.[] | select(.a == "x") | .b ⏎{name, version} ⏎{name: .x, v: .y} ⏎"\(.name): \(.version)" ⏎.dependencies | to_entries[] | .key ⏎.a.env ⏎.[0:3] ⏎if .a then .b else .c end ⏎.a // "none" ⏎{env: .env} ⏎.a = 1 ⏎.a.b |= .c ⏎.n += 1 ⏎.x //= "y" ⏎.[0].a = 1`.split(
        " ⏎"
      ),
      String.raw`env ⏎$ENV.X ⏎input ⏎inputs ⏎input_filename ⏎import "x" as y; . ⏎include "x"; . ⏎def f: f; f ⏎[range(1e9)] ⏎reduce .[] as $x (0; .+$x) ⏎.a = env ⏎.[1e9] = 1 ⏎.[123456] = 1 ⏎.a[.n] |= 1 ⏎.. = 1 ⏎paths |= 1 ⏎.a *= 9 ⏎"a" * 1000000000 ⏎repeat(.) ⏎"\(env)" ⏎{a: env} ⏎debug ⏎$__prog_args ⏎limit(1;inputs) ⏎{"a": "\($ENV.X)"} ⏎"\("\(env)")" ⏎{(env): 1} ⏎{a, b: [env, 1]}`.split(
        " ⏎"
      )
    )
  })

  it("of jq have keys between braces, and lists of values in a condition there (S3)", () => {
    holds(
      jqFilter,
      [
        "{a: if . then 1 else 2 end, env}",
        "{a: if . then {env} else {env: 1} end, b}",
        "{if, end: 1}",
        "if . then . else .end end",
        '[.[] | if . > 1. then "\\(if . then 1 end)" else 2 end]'
      ],
      [
        "{a: if . then 1, env, 2 else 3 end}",
        "{a: if . then {b: 1}, env, 2 else 3 end}",
        "{a: if . then 1 elif . then input_filename, env, 2 end}",
        "{a: if . then 1, .end, env, 2 end}",
        "{a: if . then 1, 2.end, env, 3 end}",
        "if . then 1",
        "1 end",
        ". env",
        ". # x\nenv",
        "1.env"
      ]
    )
  })

  it("of jq end no comment at a backslash, which newer versions take on to the next line (S3)", () => {
    holds(
      jqFilter,
      [". # all of it", ".a # one \\ two\n| .b", '"#\\\\"', "# first\n."],
      ['. # \\\n"\n| env #"', ". # \\\n.a", ". # \\\r\n.a", ". #\\\\\n.a", ". # \\", '"\\(. # \\\n"\n| env #"\n)"']
    )
  })

  it("that compute run unasked only within limits, and read only what may be read (S3)", () => {
    const decide = (text: string, limited: boolean) => classify(text, { ...contextOf(), limited }).decision
    for (const text of [
      "jq .a x.json",
      "jq -r '.scripts | keys[]' < x.json",
      "jq --arg a b '{a: $a}' x.json",
      "jq -n --argjson a 1 '$a'",
      "awk -F: '{print $1}' a",
      "awk 'NR==1' a | head"
    ]) {
      assert.strictEqual(decide(text, true), "allow", text)
      assert.strictEqual(decide(text, false), "ask", text)
    }
    for (const text of [
      "jq . .env",
      "jq . ../x",
      "jq -f x .",
      "jq -L x . a",
      "jq --arg a",
      "jq --arg a b",
      "jq --arg=a b . x",
      "jq --arg a ~/b . x",
      "jq --arg a * . x",
      "jq --arg a b '$ENV' x",
      "jq --arg a b . .env",
      "jq --args . a",
      "jq --slurpfile a .env . x",
      "jq --rawfile a .env . x",
      "jq -n env",
      "awk -f x a",
      "awk 1 .env",
      "awk 1 a=b c",
      "awk 1 a -f x",
      "awk -i inplace 1 a",
      "gawk -l x 1 a"
    ]) {
      assert.strictEqual(decide(text, true), "ask", text)
    }
  })
})

describe("repetitions of an expression", () => {
  it("are counted where they multiply, in any dialect (S3)", () => {
    holds(
      { test: isHeavy },
      String.raw`x{1,32767}{1,32767} (x{100}){100} ((x{50}){50}){50} x{5000} \(x\{200\}\)\{200\} (a|b{99}){99} x{2,}{2000} (?:x{1,99}){1,99}`.split(
        " "
      ),
      String.raw`\d{4}-\d{2}-\d{2} [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12} a{b {} x{1,80} {print} [(]{3}`.split(
        " "
      )
    )
  })
})
