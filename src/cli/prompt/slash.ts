/** What a line that begins with a slash asks for; it never reaches a model. */
export type SlashCommand =
  | { readonly _tag: "Help" | "Exit" | "Clear" | "Compact" | "Status" }
  | { readonly _tag: "Model"; readonly profile: string | undefined }
  | { readonly _tag: "Unknown"; readonly name: string }

const described: ReadonlyArray<readonly [string, string]> = [
  ["/help", "show these commands"],
  ["/model [NAME]", "list the profiles, or switch to one"],
  ["/clear", "clear the model's context; the log keeps the conversation"],
  ["/compact", "replace the model's context with a summary"],
  ["/status", "show session, profile, mode and activity"],
  ["/exit", "quit (or ctrl-d)"]
]

const keys: ReadonlyArray<readonly [string, string]> = [
  ["enter", "send (alt-enter or ctrl-j breaks the line)"],
  ["esc", "stop the task, or clear the line (up brings it back)"]
]

export const slashHelp = [...described, ...keys].map(([name, about]) => `${name.padEnd(14)} ${about}`).join("\n")

/** The names of all commands. */
export const slashNames = described.map(([name]) => name.split(" ")[0]).join(" ")

/** The command of a line, or nothing where it is a prompt; `//` at its beginning stands for a slash. */
export const parseSlash = (line: string): SlashCommand | undefined => {
  if (!line.startsWith("/") || line.startsWith("//")) return undefined
  const [name = "", profile] = line.slice(1).trim().split(/\s+/u)
  switch (name) {
    case "help":
    case "?":
      return { _tag: "Help" }
    case "exit":
    case "quit":
      return { _tag: "Exit" }
    case "clear":
      return { _tag: "Clear" }
    case "compact":
      return { _tag: "Compact" }
    case "status":
      return { _tag: "Status" }
    case "model":
      return { _tag: "Model", profile }
    default:
      return { _tag: "Unknown", name }
  }
}
