import { maxJsonDepth, type NotOneThing } from "../text/Json.ts"

const problems: Readonly<Record<NotOneThing | "not text", string>> = {
  "not text": "it is not UTF-8",
  malformed: "it is not JSON",
  "too deep": `it is nested deeper than ${maxJsonDepth} levels`,
  ambiguous: "an object has a name twice"
}

/** Why a text of a client is no data. */
export const notReadable = (why: NotOneThing | "not text", what: "body" | "message"): string =>
  `The ${what} cannot be used: ${problems[why]}.`
