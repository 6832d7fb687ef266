/** Replaces a secret and names its kind; redacting again changes nothing. */
export const mark = (kind: string): string => `[redacted-${kind}]`
