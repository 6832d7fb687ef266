import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import type { HelpDoc } from "@effect/cli/HelpDoc"
import type { Span } from "@effect/cli/HelpDoc/Span"
import { version } from "../version.ts"
import { columns, wrap } from "./terminal/Layout.ts"
import type { Style } from "./terminal/Style.ts"

/** A command and those below it. */
export interface CommandTree {
  // oxlint-disable-next-line typescript/no-explicit-any -- what a command needs is of no interest to its help
  readonly command: Command.Command<any, any, any, any>
  readonly below?: Readonly<Record<string, CommandTree>>
}

export type Row = readonly [term: string, about: string]

interface Described {
  readonly about: string
  readonly args: ReadonlyArray<Row>
  readonly options: ReadonlyArray<Row>
}

const settings = { ...CliConfig.defaultConfig, showBuiltIns: false }

const spanText = (span: Span): string => {
  switch (span._tag) {
    case "Text":
    case "URI":
      return span.value
    case "Sequence":
      return spanText(span.left) + spanText(span.right)
    default:
      return spanText(span.value)
  }
}

const flatten = (doc: HelpDoc): ReadonlyArray<HelpDoc> =>
  doc._tag === "Sequence" ? [...flatten(doc.left), ...flatten(doc.right)] : [doc]

const paragraphs = (doc: HelpDoc): ReadonlyArray<string> =>
  flatten(doc).flatMap((one) => (one._tag === "Paragraph" ? [spanText(one.value)] : []))

/** `(-p, --profile text)` as `-p, --profile TEXT`; a choice by its name alone. */
const term = (text: string): string =>
  text
    .replace(/^\((.*)\)$/, "$1")
    .replace(/ (text|integer)$/, (kind) => kind.toUpperCase())
    .replace(/ \w[\w-]*(?: \| \w[\w-]*)+$/, " CHOICE")

/** What the command's definition says, as a parser of it would tell; of each entry its own words only. */
const described = ({ command }: CommandTree): Described => {
  const rows: Record<string, Array<Row>> = {}
  let about = ""
  let section = ""
  for (const doc of flatten(Command.getHelp(command, settings))) {
    if (doc._tag === "Header") section = spanText(doc.value)
    else if (doc._tag === "Paragraph" && section === "DESCRIPTION") about += spanText(doc.value)
    else if (doc._tag === "DescriptionList" && section !== "COMMANDS") {
      for (const [name, text] of doc.definitions) {
        const [kind = "", own = "", ...rest] = paragraphs(text)
        const choices = kind.startsWith("One of the following: ")
          ? ` (${kind.slice("One of the following: ".length)})`
          : ""
        const named = term(spanText(name))
        const omittable = section === "ARGUMENTS" && rest.some((one) => /optional|zero or more/i.test(one))
        ;(rows[section] ??= []).push([omittable ? named.replace(/<(.*)>/, "[$1]") : named, own + choices])
      }
    }
  }
  return { about, args: rows["ARGUMENTS"] ?? [], options: rows["OPTIONS"] ?? [] }
}

const width = 80

export const table = (title: string, rows: ReadonlyArray<Row>, style: Style): ReadonlyArray<string> => {
  const wide = Math.max(...rows.map(([name]) => columns(name)))
  return rows.length === 0
    ? []
    : [
        "",
        style.bold(title),
        ...rows.flatMap(([name, about]) =>
          wrap(about, width - wide - 6).map(
            (line, index) => `  ${style.cyan((index === 0 ? name : "").padEnd(wide))}    ${line}`
          )
        )
      ]
}

/** The help of the command at the end of a path, from the same definition that parses it. */
export const help = (tree: CommandTree, path: ReadonlyArray<string>, style: Style): string => {
  const { about, args, options } = described(tree)
  const below = Object.entries(tree.below ?? {})
  const commands = below.map(([name, node]): Row => [name, described(node).about])
  const flags: ReadonlyArray<Row> = [
    ...options,
    ["--log-level LEVEL", "log to standard error as JSON lines: error, warning, info, debug or all"],
    ["-h, --help", "show this help"],
    ...(path.length === 1 ? ([["--version", "print the version"]] as const) : [])
  ]
  const call = [...path, ...(options.length === 0 ? [] : ["[options]"]), ...args.map(([name]) => name)].join(" ")
  const usage = [call, ...(below.length === 0 ? [] : [`${path.join(" ")} COMMAND`])]
  const examples =
    path.length > 1
      ? []
      : table(
          "First steps",
          [
            ["tollgate tour", "see what it does, offline"],
            ["tollgate doctor", "check what is needed to connect a model"],
            ['tollgate run "…"', "run one prompt; --approve sets what runs without asking"],
            ["tollgate help COMMAND", "show what a command takes"]
          ],
          style
        )
  const codes =
    path.length > 1
      ? []
      : [
          "",
          style.bold("Exit codes"),
          "  0 done   1 failed   2 usage   3 denied, or no one to ask   4 configuration",
          "  70 a bug in Tollgate   130 interrupted   129, 131, 143 ended by SIGHUP, SIGQUIT, SIGTERM",
          "  141 output closed"
        ]
  return [
    `${style.bold(path.join(" "))}${path.length === 1 ? ` ${version}` : ""}  ${about}`,
    "",
    ...usage.map((line, index) => `${style.bold(index === 0 ? "Usage  " : "       ")}${line}`),
    ...table("Commands", commands, style),
    ...table("Arguments", args, style),
    ...table("Options", flags, style),
    ...examples,
    ...codes,
    ""
  ].join("\n")
}
