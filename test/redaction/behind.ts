import { assert } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import { make } from "../../src/redaction/Redactor.ts"
import { fake, fragment } from "./fragments.ts"

export const told = "correct $(horse); battery"
export const redactor = make({ secrets: [Redacted.make(told)] })

/** The characters that act or break a line, one by one and kept by `split`. */
const acting = /([$();&|<>`\n\r\v\f\u0085\u2028\u2029])/

/** Whether the parts stand in the text in their order, from its beginning to its end. */
const inOrder = (whole: string, parts: ReadonlyArray<string>): boolean => {
  const [first = "", ...others] = parts
  const last = others.pop()
  if (last === undefined) return whole === first
  if (!whole.startsWith(first)) return false
  let at = first.length
  for (const part of others) {
    const found = whole.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return whole.endsWith(last) && whole.length - last.length >= at
}

/** Whether each mark of what is shown may stand for what the text has there, and none for a character that acts. */
export const assertBehind = (whole: string, shown: string): void => {
  const pieces = whole.split(acting)
  const seen = shown.split(acting)
  const differs = pieces.findIndex((piece, at) => !inOrder(piece, seen[at]?.split(/\[redacted-[a-z0-9-]+\]/) ?? []))
  assert.strictEqual(differs, -1, JSON.stringify({ whole, shown }))
  assert.lengthOf(seen, pieces.length)
}

const shell = FastCheck.constantFrom(
  ..."$( ) ; & | < > ` \n \r\n && || $(touch;P) ' \" \\ \\\" # <<E $' ${ PASSWORD= PASSWORD=\" TOKEN=' -u".split(" "),
  " ",
  "touch P",
  " curl -u a:",
  "sshpass -p ",
  "Cookie: a=b",
  '"Authorization: Digest ',
  told,
  `${fake.pem}\nmake`,
  "Private-Lines: 2\n",
  "\nMIIEpAIBAAKCAQEAabcd+/=\n"
)

/** Texts of which a shell would run parts, among secrets and beginnings of secrets. */
export const risky = FastCheck.array(FastCheck.oneof(fragment, shell), { maxLength: 16 }).map((_) => _.join(""))
