import type { SlashCommand } from "./Command.ts"

const keys: ReadonlyArray<readonly [string, string]> = [
  ["enter", "send, or queue while a task runs (up edits what is queued)"],
  ["shift-enter", "new line; so do alt-enter, ctrl-j, and \\ before enter"],
  ["esc", "stop the task, or clear the text (up brings it back)"],
  ["ctrl-w/u/k/y", "cut a word, to the start, to the end; put it back"],
  ["ctrl-_", "undo"],
  ["ctrl-r", "search what was typed in this project"],
  ["ctrl-o", "open what was shown in part"],
  ["ctrl-g", "edit the text in $VISUAL or $EDITOR"],
  ["@FILE", "complete a file of the project"],
  ["!COMMAND", "run a command behind the gate; the model sees its result"],
  ["ctrl-z", "suspend (fg continues)"]
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
