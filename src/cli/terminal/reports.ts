const escape = "\u001b"
const bell = "\u0007"
/** Characters of a text that a terminal reports. */
const longest = 4096

/**
 * What terminals send by themselves, or because another program has asked them: colours and titles (OSC), their name and version
 * (DCS), attributes, modes, sizes and where the cursor is (CSI). None of it is typed.
 */
const report = new RegExp(
  [
    `${escape}\\]\\d[^${bell}${escape}\u009c]{0,${longest}}(?:${bell}|${escape}\\\\|\u009c|$)`,
    `${escape}P[^${escape}]{0,${longest}}${escape}\\\\`,
    `${escape}\\[[?>=][\\d;:]*(?:\\$y|[cnRu])`,
    `${escape}\\[\\d+;\\d+R`,
    `${escape}\\[\\d+n`,
    `${escape}\\[\\d+(?:;\\d+)+t`
  ].join("|"),
  "g"
)

/** What was typed, without what the terminal reports in between. */
export const withoutReports = (text: string): string => (text.includes(escape) ? text.replace(report, "") : text)

/** What a key or a report may begin with, at the end of a text. */
export const unfinished = new RegExp(
  `${escape}(?:O|\\[[?>=]?[\\d;:]*\\$?|\\](?:\\d[^${bell}${escape}\u009c]{0,${longest}}${escape}?)?|P[^${escape}]{0,${longest}}${escape}?)?$`
)
