import type { SlashCommand } from "./Command.ts"

const keys: ReadonlyArray<readonly [string, string]> = [
  ["enter", "send (alt-enter or ctrl-j breaks the line)"],
  ["esc", "stop the task, or clear the line (up brings it back)"]
]

const usage = ({ arguments: given, name }: SlashCommand): string => `/${name}${given === undefined ? "" : ` ${given}`}`

/** What help says of one command, or of all of them and the keys. */
export const helpOf = (all: ReadonlyArray<SlashCommand>, one: SlashCommand | undefined): string => {
  if (one !== undefined) {
    const also = (one.aliases ?? []).map((alias) => `/${alias}`).join(" ")
    return [
      `${usage(one)}  ${one.summary}`,
      ...(also === "" ? [] : [`also ${also}`]),
      ...(one.details === undefined ? [] : [one.details]),
      ...(one.duringTask === true ? ["works while a task runs"] : [])
    ].join("\n")
  }
  const rows = [...all.map((command) => [usage(command), command.summary] as const), ...keys]
  const wide = Math.max(...rows.map(([head]) => head.length))
  return rows.map(([head, about]) => `${head.padEnd(wide)}  ${about}`).join("\n")
}
