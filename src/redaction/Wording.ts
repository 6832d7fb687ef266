/** Every piece without one of these is said as it is: it neither holds a secret nor announces one. */
const signs =
  "pass|pwd|secret|token|key|cred|auth|cookie|sig|jwt|bearer|basic|otp|mnemonic|phrase|code=|sid=|sess|" +
  "[a-z0-9+/_-]{16}|%[0-9a-f]{2}|:(?://|\\\\/\\\\/)[^\\s/?#\\\\]*@|Q~|\\$[a-z0-9]{1,8}\\$"

export const telling = new RegExp(signs, "i")

/** The same, and what tells that the next words or lines are not what they seem, such as the options of a command. */
const more = `${signs}|-----|curl|[\\s"'=(]-[akpuw]|/p:|:(?:\\d{4,5}|\\*):|\\\\\\r?\\n|add_user|obscure|machine|default|Private-`
const announcing = new RegExp(more, "gi")
const anywhere = new RegExp(more, "i")

/** Whether a text contains none of these. */
export const isQuiet = (text: string): boolean => !anywhere.test(text)

/** The end of the lines, from the start of one, that contain none of these; the start of the text if there are none. */
export const quietUntil = (text: string, start: number): number => {
  announcing.lastIndex = start
  const found = announcing.exec(text)?.index ?? text.length
  return found === start ? start : Math.max(start, text.lastIndexOf("\n", found - 1) + 1)
}

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
