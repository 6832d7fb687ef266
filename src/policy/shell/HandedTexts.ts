import type { Call } from "./HardDenials.ts"

/** Variables whose value a program runs as a command line. */
const commandVariable =
  /^(?:(?:GIT_|MAN|SYSTEMD_|DELTA_|BAT_|PSQL_)?PAGER|(?:GIT_(?:SEQUENCE_)?)?EDITOR|VISUAL|FCEDIT|BROWSER|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|(?:GIT|SSH|SUDO)_ASKPASS|LESS(?:OPEN|CLOSE)|PROMPT_COMMAND|RSYNC_RSH|CVS_RSH|TAR_OPTIONS|RSYNC_CONNECT_PROG|RUSTC_WRAPPER|PYTHONBREAKPOINT|PERL5DB)$/

/** Settings of git whose value it runs, given as `-c name=value`. */
const gitSetting =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\.[^=]*|sequence\.editor|credential\.(?:.*\.)?helper|diff\.external|diff\..*\.(?:command|textconv)|(?:merge|diff)tool\..*\.cmd|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|gpg\.(?:.*\.)?program|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs)|browser\..*\.(?:cmd|path)|man\..*\.cmd|interactive\.difffilter|trailer\..*\.(?:command|cmd)|sendemail\..*cmd)=(.*)$/is

/** Options whose value a program runs, in the next word or behind `=`. */
const options: ReadonlyMap<string, RegExp> = new Map([
  ["git", /^(?:--upload-pack|--receive-pack|--exec|--extcmd|--open-files-in-pager)$|^-O/],
  [
    "tar",
    /^(?:--to-command|--use-compress-program|-I|--info-script|--new-volume-script|-F|--rsh-command|--rmt-command)$/
  ],
  ["rsync", /^(?:-e|--rsh|--rsync-path)$/],
  ["man", /^(?:-P|--pager|-H|--html)$/],
  ["scp", /^-S$/],
  ["sftp", /^-[SD]$/],
  ["zip", /^(?:-TT|--unzip-command)$/],
  ["go", /^-(?:toolexec|exec)$/],
  ["gcc", /^-wrapper$/],
  ["split", /^--filter$/],
  ["sort", /^--compress-program$/],
  ["psql", /^(?:-P|--pset)$/],
  ["rg", /^(?:--pre|--hostname-bin)$/],
  ["ctags", /^--(?:filter|sort)-program$/]
])

const same: Readonly<Record<string, string>> = { bsdtar: "tar", gtar: "tar", cc: "gcc", clang: "gcc", "g++": "gcc" }

const editors = /^(?:vim?|n?vim|ex|view|vimdiff|gvim)$/

/** What stands in one word, in front of `=` and behind it. */
const parted = (word: string): readonly [name: string, value: string] => {
  const at = word.indexOf("=")
  return at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)]
}

/** The texts of assignments such as `GIT_PAGER=…` that a program will run. */
export const variableTexts = (assignments: ReadonlyArray<string>): ReadonlyArray<string> =>
  assignments.flatMap((written) => {
    const [name, value] = parted(written)
    return commandVariable.test(name) && value !== "" ? [value.replace(/^\|/, "")] : []
  })

const ofEditor = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, index) => {
    const given = /^(?:-c|--cmd|-S)$/.test(args[index - 1] ?? "") ? arg : arg.startsWith("+") ? arg.slice(1) : ""
    return /^:?(?:%|silent\s*|r\s*|execute\s*["'])*!\s*(.+)$/s.exec(given)?.slice(1) ?? []
  })

/** The words of a command, or parts of them, that the program hands to a shell although it is none itself. */
export const handedTexts = ({ args, name: called }: Call): ReadonlyArray<string> => {
  const name = same[called] ?? called
  const option = options.get(name)
  return [
    ...variableTexts(args),
    ...(editors.test(name) ? ofEditor(args) : []),
    ...args.flatMap((arg, index) => {
      const [long, value] = parted(arg)
      const before = args[index - 1] ?? ""
      if (name === "git" && (before === "-c" || /^-c./.test(arg))) {
        const [, text = ""] = gitSetting.exec(before === "-c" ? arg : arg.slice(2)) ?? []
        return text === "" ? [] : [text.replace(/^!/, "")]
      }
      if (name === "tar" && arg.startsWith("--checkpoint-action=exec="))
        return [arg.slice("--checkpoint-action=exec=".length)]
      const proxy = /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.+)$/is.exec(arg)?.[1]
      if (proxy !== undefined) return [proxy]
      if (option === undefined) return []
      if (arg.includes("=") && option.test(long)) return [value]
      return option.test(before) ? [arg] : []
    })
  ]
}
