import { hanging } from "../../terminal/Layout.ts"
import { groups, type SlashCommand } from "./Command.ts"

const keys: ReadonlyArray<readonly [string, string]> = [
  ["enter", "send, or queue while a task runs (up edits what is queued)"],
  ["shift-enter", "new line; so do alt-enter, ctrl-j, and \\ before enter"],
  ["esc", "stop the task, or clear the text (up brings it back)"],
  ["up, down", "move in the text, and beyond it to what was typed before"],
  ["shift-tab", "next mode: ask, edits, plan"],
  ["tab", "take the selected suggestion"],
  ["ctrl-r", "search what was typed in this project (esc gives the text back)"],
  ["ctrl-o", "open what was shown in part"],
  ["ctrl-b", "let the command that runs go on in the background"],
  ["ctrl-g", "edit the text in $VISUAL or $EDITOR"],
  ["ctrl-w/u/k/y", "cut a word, to the start, to the end; put it back"],
  ["alt-b/f/d", "move or cut by words"],
  ["ctrl-_", "undo"],
  ["ctrl-l", "clear the screen"],
  ["ctrl-z", "suspend (fg continues)"],
  ["ctrl-c, ctrl-d", "quit: ctrl-c twice, ctrl-d on an empty line"]
]

const begins: ReadonlyArray<readonly [string, string]> = [
  ["/NAME", "run a command; it is not sent to the model"],
  ["@FILE", "complete a file of the project"],
  ["!COMMAND", "run a command behind the gate; the model sees its result"],
  ["#TEXT", "remember one line for every later session of the project"],
  ["//TEXT", "send a prompt that begins with a slash"]
]

const most = "enter sends · shift-enter new line · esc stops · shift-tab mode · ctrl-r search · ctrl-o open"

/** The same where a terminal hands over whole lines. */
const mostOfLines = "enter sends · ctrl-c stops · ctrl-d quits"

const usage = ({ arguments: given, name }: SlashCommand): string => `/${name}${given === undefined ? "" : ` ${given}`}`

const table = (rows: ReadonlyArray<readonly [string, string]>, width: number): string => {
  const wide = Math.max(...rows.map(([head]) => head.length))
  return rows
    .map(([head, about]) => hanging(`${head.padEnd(wide)}  `, about, width))
    .join("")
    .trimEnd()
}

/** The commands by group and the main keys, short enough for one screen of that width; `lines` are what is typed, not keys. */
export const overview = (all: ReadonlyArray<SlashCommand>, width: number, lines: boolean): string =>
  table(
    [
      ...groups.flatMap((group) => {
        const names = all.filter((one) => one.group === group).map(({ name }) => `/${name}`)
        return names.length === 0 ? [] : [[group, names.join(" ")] as const]
      }),
      ["typed", `/NAME command  ${lines ? "" : "@FILE completes  "}!COMMAND runs  #TEXT remembers  //TEXT sends /TEXT`],
      ["keys", lines ? mostOfLines : most],
      ["more", lines ? "/help NAME" : "/help NAME, /help keys"]
    ],
    width
  )

/** Every key, and what a line can begin with. */
export const keysHelp = (width: number): string => table([...begins, ...keys], width)

/** What help says of one command. */
export const helpOf = (one: SlashCommand): string => {
  const also = (one.aliases ?? []).map((alias) => `/${alias}`).join(" ")
  return [
    `${usage(one)}  ${one.summary}`,
    ...(also === "" ? [] : [`also ${also}`]),
    ...(one.details === undefined ? [] : [one.details]),
    ...(one.duringTask === true ? ["works while a task runs"] : [])
  ].join("\n")
}
