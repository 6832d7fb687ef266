/** Every piece without one of these is said as it is: it neither holds a secret nor announces one. */
export const telling = /[=:@%]|[\w+/-]{16}|pass|pwd|secret|token|key|cred|auth|cookie|sig|jwt|bearer|basic|otp/i

/** Words between the name of a header and its credentials. */
export const scheme = /^(?:bearer|basic|token|apikey|negotiate|ntlm)$/i

/** The same where no name of a header comes before them. */
export const bareScheme = /(?:^|\W)(?:bearer|basic)$/i

/** A header whose value goes to the end of its line. */
export const header = /(?:^|[^\w-])((?:proxy-)?authorization|(?:set-)?cookie):(?=.)/i

/** The name that a piece ends with, and the sign after it. */
export const tail = /([\w.$[\]-]{1,80})([=:]{0,3})$/

/** A word after a bare scheme that prose would not have there. */
export const isCredential = (text: string): boolean =>
  /^[\w.~+/-]{8,}={0,2}[,;]?$/.test(text) &&
  (/\d/.test(text) || text.length >= 24 || (text.length >= 12 && /[a-z]/.test(text) && /[A-Z]/.test(text)))
