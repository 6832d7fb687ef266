import { RE2JS } from "re2js"

/** A pattern that is tried in time linear to the text; Ajv tells patterns apart by their text. */
export interface LinearPattern {
  readonly test: (text: string) => boolean
  readonly toString: () => string
}

/** What the translation to RE2 would read as something else: a back-reference by name, half of a character. */
const untranslatable = /\\k|\\u[dD][89a-fA-F]/

const compiled = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern)
  } catch (cause) {
    if (untranslatable.test(pattern)) throw cause
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  }
}

const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replace("error parsing regexp: ", "")

/** Compiles a pattern of a JSON Schema; throws for one that RE2 does not take, which nothing could check in bounded time. */
export const linear = (pattern: string): LinearPattern => {
  try {
    const found = compiled(pattern)
    return { test: (text) => found.matcher(text).find(), toString: () => pattern }
  } catch (cause) {
    throw new Error(
      `the pattern ${JSON.stringify(pattern)} cannot be checked (${reasonOf(cause)}). Write it without look-ahead, look-behind and back-references, and with repeats of at most 1000`,
      { cause }
    )
  }
}

export const isLinear = (pattern: string): boolean => {
  try {
    linear(pattern)
    return true
  } catch {
    return false
  }
}
