import * as FastCheck from "effect/FastCheck"
import { readOnlyCommands } from "../../src/policy/shell/ReadOnlyCommands.ts"

const of = (words: string): FastCheck.Arbitrary<string> => FastCheck.constantFrom(...words.split(" "))

/** Plain commands that would leave something behind if only one table, option or operand were allowed too much. */
export const tempting = FastCheck.tuple(
  of(
    "touch rm cp mv ln mkdir tee dd chmod truncate split tar sed sort uniq find xxd date file diff rg sh bash env xargs awk " +
      "nohup nice timeout kill make git curl nc python3 perl install mktemp"
  ),
  FastCheck.array(
    FastCheck.oneof(
      { arbitrary: of("a b.txt PWNED src src/x.ts"), weight: 3 },
      {
        arbitrary: of(
          "../sibling/kept . link -o -oPWNED --output=PWNED -i -i.bak -p -s -u -r -f -c -w 1wPWNED s/a/b/w -n id ./x " +
            "-delete -exec -fprint -newer --pre=./x -name"
        ),
        weight: 2
      }
    ),
    { minLength: 1, maxLength: 3 }
  )
).map(([name, args]) => [name, ...args].join(" "))

const entries = Object.entries(readOnlyCommands)

/** The options of a table entry as they are written in it, without what they take. */
const optionsOf = (synopsis: string): ReadonlyArray<string> =>
  synopsis.split(/\s+/).flatMap((option) => (option === "" ? [] : [option.replace(/[[=].*/, "")]))

const lettersOf = (options: ReadonlyArray<string>): ReadonlyArray<string> =>
  options.flatMap((option) => (/^-\w$/.test(option) ? [option.charAt(1)] : []))

const tails = FastCheck.oneof(
  { arbitrary: FastCheck.constantFrom("5 out", "1 out"), weight: 1 },
  {
    arbitrary: FastCheck.constantFrom(
      "",
      "5",
      "in out",
      "1 5 in out",
      "- out",
      "out -",
      "-- in out",
      "in -o out",
      "in -v"
    ),
    weight: 1
  }
)

/**
 * Each entry of the table with pairs of its own options, and any letter glued to one of them, and then operands the second of which
 * a program could write: what is taken for the value of an option here may be the name of a file there.
 */
export const paired = FastCheck.oneof(
  { arbitrary: FastCheck.constantFrom(...entries), weight: 3 },
  { arbitrary: FastCheck.constantFrom(...entries.filter(([, listed]) => listed.ordered === true)), weight: 2 }
).chain(([name, listed]) => {
  const options = optionsOf(listed.options)
  const letters = lettersOf(options)
  const option = FastCheck.constantFrom("", ...options)
  const letter = FastCheck.constantFrom(...(letters.length === 0 ? ["v"] : letters))
  const any = of("a b c d e f i l n o p r s t u v w x z A C D I L O P R W 1 5 =1 =out")
  const glued = FastCheck.tuple(letter, FastCheck.oneof(letter, any), FastCheck.constantFrom("", "", "", "", "o", "1"))
  const given = FastCheck.oneof(
    { arbitrary: option, weight: 1 },
    FastCheck.tuple(option, option).map((both) => both.join(" ")),
    FastCheck.tuple(option, of("1 5 out src *.x")).map(([one, value]) => `${one}=${value}`),
    { arbitrary: glued.map((parts) => `-${parts.join("")}`), weight: 4 },
    glued.map(([one, two, three]) => `-${one} 1 -${two}${three}`)
  )
  return FastCheck.tuple(given, tails).map(([words, tail]) => `${name} ${words} ${tail}`)
})

/** What is harmless with an option, with that option behind an operand that is not. */
export const escorted = FastCheck.tuple(
  FastCheck.constantFrom(...entries.filter(([, listed]) => listed.needs !== undefined)),
  of("bash ./x tee touch rm ls sort env -- -p"),
  FastCheck.oneof(of("out 5 in -o PWNED"), FastCheck.constant(""))
).chain(([[name, { needs = "" }], program, operand]) =>
  of(needs).map((option) => [name, program, option, operand].join(" "))
)
