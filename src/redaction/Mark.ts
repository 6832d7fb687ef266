/** Replaces a secret and names its kind; redacting again changes nothing. */
export const mark = (kind: string): string => `[redacted-${kind}]`

/** Whether something in a text stands for a secret, which the text does not have. */
export const hasMark = (text: string): boolean => /\[redacted-[a-z0-9-]+\]/.test(text)
