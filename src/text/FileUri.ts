import * as Option from "effect/Option"
import { parsed } from "./Url.ts"

const decoded = Option.liftThrowable(decodeURIComponent)

/** The scheme of a URI, RFC 3986, 3.1. */
const scheme = /^[a-z][a-z\d+.-]*:/i

/** A URI as parsers have it, WHATWG URL, 4.4: without controls and blanks at its ends, and line breaks and tabs anywhere. */
const stripped = (uri: string): string => uri.replaceAll(/^[\0- ]+|[\0- ]+$|[\t\n\r]/g, "")

/** What a `file:` URI has behind its authority. */
const behind = (uri: string): string => uri.replace(/^file:(?:\/\/[^/]*)?/i, "")

const readings = (uri: string): ReadonlyArray<string> => {
  if (!scheme.test(uri)) return [uri]
  if (!/^file:/i.test(uri)) return []
  const pathname = parsed(uri)?.pathname
  return [...(pathname === undefined ? [] : [pathname, ...Option.toArray(decoded(pathname))]), behind(uri)]
}

/**
 * Every file that a program may take a URI for. Servers differ in what they decode and normalize, and some take for a path what has no
 * scheme; whoever judges a URI judges all of these.
 */
export const filesOf = (uri: string): ReadonlyArray<string> => [
  ...new Set([uri, stripped(uri), ...Option.toArray(decoded(uri))].flatMap(readings).filter((file) => file !== ""))
]

/** Whether a parser takes a text for a `file:` URI. */
export const isFileUri = (text: string): boolean => parsed(text)?.protocol === "file:"

/** Parsers drop control characters, and blanks at the ends: such a URI is one thing to us and another to its server. */
export const isPlain = (uri: string): boolean => !/^\s|\s$|[\p{Cc}\p{Zl}\p{Zp}]/u.test(uri)
