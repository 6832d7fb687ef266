import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import { resolve } from "node:path"

/** The texts of a list in this folder, one a line, with `⏎` for a newline. */
export const textsOf = (
  list: "allowed" | "asked" | "denied" | "destructive" | "never-allowed" | "ordinary"
): ReadonlyArray<string> =>
  fs
    .readFileSync(resolve("test/policy/shell", `${list}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll("⏎", "\n"))

const of = (words: string): FastCheck.Arbitrary<string> => FastCheck.constantFrom(...words.split(" "))
const glue = (...parts: ReadonlyArray<FastCheck.Arbitrary<string>>): FastCheck.Arbitrary<string> =>
  FastCheck.tuple(...parts).map((texts) => texts.join(""))

const reader = of(
  "ls cat head tail wc grep rg find sort uniq cut tr diff stat file du echo printf test pwd cd sed date xxd true git"
)
const actor = of(
  "touch rm cp mv tee dd sh bash python3 node awk xargs curl nc eval exec source make sleep kill trap hash frobnicate"
)
const wrapper = of("sudo env nohup timeout command builtin time xargs exec nice")
const path = of(
  ". .. / ~ src src/x.ts a b.txt ./a ../x /etc/passwd /w/a ~/.ssh/id_rsa .env .git/config src/../a -- - /dev/null"
)
const option = of(
  "-n -l -la -r -rn -i -c -o -oPWNED -z -nz -e -f -v -delete -exec -name -type -20 --color --color=auto --output=PWNED --ou=PWNED --pre=x --files0-from=a -s -u --"
)
const quoted = of(
  `'a_b' "a" 'x' "" '' "$x" "$(touch)" $'a' $"a" 'a'"b" "a\\"b" '*' "\`touch\`" a'b'c "a$" '$x' \\$x \\* '1,5p' '%s\\n' '1w'`
)
const spaced = FastCheck.constantFrom("'a b'", '"a b"', "a\\ b", "'rm -rf /'", '"$(touch PWNED)"', "'1w PWNED'")
const expansion = of(
  "$x ${x} ${x:-y} $(touch_PWNED) `id` $((1)) $[1] <(id) >(id) {a,b} a{1..3} * *.ts src/* ?x [ab] !(a) @(a|b) ~root ~+ a=~/x $'-delete' $IFS ${IFS}"
)
const fragment = FastCheck.oneof(
  of("' \" \\ ` $ $( ${ ( ) { } [ ] | & ; < > << # ! * ? ~ = , . .. : % ^ @ a - é 0"),
  FastCheck.constantFrom(" ", "\n", "\t", "\\\n")
)
const word = FastCheck.oneof(
  { arbitrary: path, weight: 4 },
  { arbitrary: option, weight: 4 },
  { arbitrary: quoted, weight: 3 },
  { arbitrary: spaced, weight: 1 },
  { arbitrary: expansion, weight: 2 },
  { arbitrary: FastCheck.stringMatching(/^[a-z0-9./_-]{1,8}$/), weight: 2 }
)
const redirect = of(
  ">a >>a <a 2>&1 >/dev/null 2>/dev/null &>/dev/null &>a >|a <>a >&2 <&0 >&- <<<a {fd}>a 3>a </dev/null >/dev/tcp/h/1"
)

const joined = (words: FastCheck.Arbitrary<string>, maxLength: number): FastCheck.Arbitrary<string> =>
  FastCheck.array(words, { maxLength }).map((texts) => texts.map((text) => ` ${text}`).join(""))

/** One command, from those that only read, those that act and what no table knows. */
export const command: FastCheck.Arbitrary<string> = FastCheck.oneof(
  { arbitrary: glue(reader, joined(word, 4)), weight: 6 },
  { arbitrary: glue(actor, joined(word, 3)), weight: 2 },
  { arbitrary: glue(reader, joined(word, 2), FastCheck.constant(" "), redirect), weight: 2 },
  { arbitrary: glue(wrapper, FastCheck.constant(" "), reader, joined(word, 3)), weight: 1 },
  {
    arbitrary: glue(of("PATH=. IFS=x LD_PRELOAD=./e.so A=1 a[1]=2"), FastCheck.constant(" "), reader, joined(word, 2)),
    weight: 1
  }
)

const operator = FastCheck.constantFrom(
  " && ",
  " || ",
  "; ",
  " | ",
  "\n",
  " & ",
  " |& ",
  ";",
  "&&",
  "|",
  " # c\n",
  " \\\n"
)

/** Shell texts of every construct, most of them well-formed. */
export const shellText: FastCheck.Arbitrary<string> = FastCheck.letrec<{
  text: string
  list: string
  compound: string
}>((tie) => ({
  text: FastCheck.oneof({ depthSize: "small", withCrossShrink: true }, command, tie("list"), tie("compound")),
  list: FastCheck.tuple(tie("text"), operator, tie("text")).map((parts) => parts.join("")),
  compound: FastCheck.tuple(
    tie("text"),
    FastCheck.constantFrom<(text: string) => string>(
      (text) => `(${text})`,
      (text) => `{ ${text}; }`,
      (text) => `if ${text}; then ${text}; fi`,
      (text) => `for x in a; do ${text}; done`,
      (text) => `f() { ${text}; }; f`,
      (text) => `echo "$(${text})"`,
      (text) => `cat <(${text})`,
      (text) => `! ${text}`,
      (text) => `time ${text}`,
      (text) => `coproc ${text}`,
      (text) => `cat <<E\n${text}\nE`,
      (text) => `case a in a) ${text};; esac`
    )
  ).map(([text, wrap]) => wrap(text))
})).text

/** Texts made of shell characters without sense. */
export const shellNoise: FastCheck.Arbitrary<string> = FastCheck.array(FastCheck.oneof(fragment, reader, word), {
  maxLength: 40
}).map((parts) => parts.join(""))

const literalWord = FastCheck.oneof(
  FastCheck.stringMatching(/^[a-z0-9./_-]{1,8}$/),
  FastCheck.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 8 }).map(
    (text) => `'${text.replaceAll("'", "")}'`
  ),
  FastCheck.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 8 }).map(
    (text) => `"${text.replaceAll(/["$`\\]/g, (char) => `\\${char}`)}"`
  ),
  FastCheck.stringMatching(/^[ "'$&();<>|*?[{}~#!a-z]{1,4}$/).map((text) =>
    text.replaceAll(/[^a-z]/g, (char) => `\\${char}`)
  )
)

/**
 * Lists of plain commands, most of which the policy allows: for a run that executes what is allowed in a sandbox and
 * compares the files before and after, or the words that bash passes on with those of `words`.
 */
export const plainText: FastCheck.Arbitrary<string> = FastCheck.array(
  FastCheck.tuple(
    of("ls cat head wc grep rg sort uniq cut tr diff stat file du echo find sed"),
    joined(FastCheck.oneof(literalWord, path, option), 4),
    of("; && || |"),
    FastCheck.constantFrom("", "", " 2>/dev/null", " 2>&1")
  ),
  { minLength: 1, maxLength: 4 }
).map((commands) =>
  commands
    .map(([name, args, next, end], index) => `${name}${args}${end}${index === commands.length - 1 ? "" : ` ${next} `}`)
    .join("")
)
