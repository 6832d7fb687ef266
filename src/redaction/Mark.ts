/** What stands in place of a secret and tells its kind; made so that redacting again changes nothing. */
export const mark = (kind: string): string => `[redacted-${kind}]`
