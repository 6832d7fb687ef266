/** Replaces a secret and names its kind; redacting again changes nothing. */
export const mark = (kind: string): string => `[redacted-${kind}]`

/** The source of a pattern for a mark. */
export const markSource = String.raw`\[redacted-[a-z0-9-]+\]`

/** The first mark of a text. */
export const firstMark = new RegExp(markSource)

/** Whether something in a text stands for a secret, which the text does not have. */
export const hasMark = (text: string): boolean => firstMark.test(text)
