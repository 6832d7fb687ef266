const here = ["PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "SHELL"]

/** The variables that mean something elsewhere too. */
export const elsewhere = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !here.includes(name)))
