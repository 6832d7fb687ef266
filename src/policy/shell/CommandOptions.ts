/** Options and operands, both before and after `--`, as GNU tools sort them. */
export const sorted = (args: ReadonlyArray<string>) => {
  const end = args.indexOf("--")
  const head = end < 0 ? args : args.slice(0, end)
  return {
    letters: head.filter((arg) => /^-[^-]/.test(arg)).join(""),
    long: head.filter((arg) => arg.startsWith("--")),
    operands: [...head.filter((arg) => !arg.startsWith("-") || arg === "-"), ...(end < 0 ? [] : args.slice(end + 1))]
  }
}

/** Whether a long option is `name` or a prefix of it that GNU tools accept. */
export const hasLong = (long: ReadonlyArray<string>, name: string, least: number): boolean =>
  long.some((option) => option.length >= least && `--${name}`.startsWith(option.split("=")[0]!))

/** Whether `-r`, `-R` or `--recursive` is among the options. */
export const isRecursive = (args: ReadonlyArray<string>): boolean => {
  const { letters, long } = sorted(args)
  return /[rR]/.test(letters) || hasLong(long, "recursive", 3)
}
