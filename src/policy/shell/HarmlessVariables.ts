const locale = "LANG|LC_(?:ALL|COLLATE|CTYPE|MESSAGES|NUMERIC|TIME)"

/** Assignments that make a program print in other ways, and none read, write or start something else. */
const harmless = new RegExp(
  `^(?:(?:${locale})=(?:C|POSIX|(?:C|en_US)\\.(?:UTF-8|utf8))` +
    "|TZ=(?:UTC|GMT|[A-Z][a-z]{1,15}/[A-Z][A-Za-z_]{1,30})" +
    "|(?:NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS)=\\d{1,3})$"
)

/** Whether an assignment before a command leaves what that reads and does as it is. */
export const isHarmlessAssignment = (text: string): boolean => harmless.test(text)
