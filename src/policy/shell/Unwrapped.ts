type Words = ReadonlyArray<string>

/** Programs that run the command they are given. */
export const wrappers: ReadonlySet<string> = new Set(
  "time nice nohup timeout command exec stdbuf sudo setsid env".split(" ")
)

/** A command without those that only run it. */
export const unwrapped = (command: Words): Words => {
  if (!wrappers.has(command[0] ?? "")) return command
  const own = command.findIndex((word, index) => index > 0 && !/^(?:-.*|\w+=.*|\d[\d.]*[smhd]?)$/s.test(word))
  return own === -1 ? [] : unwrapped(command.slice(own))
}
