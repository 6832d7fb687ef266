import { metadataHost } from "./MetadataHosts.ts"
import { isSystemDirectory, isVital, type Reach } from "./Reach.ts"
import { shells } from "./Wrappers.ts"

/** A command line with its wrappers removed, as far as its words can be known. */
export interface Call {
  /** Without its directory, in lower case. */
  readonly name: string
  readonly args: ReadonlyArray<string>
}

/** What never runs, whoever approves. It is a seatbelt: what matters is what is allowed unasked. */
export interface Denial {
  readonly id: string
  readonly reason: string
  readonly denies: (call: Call, reach: Reach) => boolean
}

const blockDevice =
  /^(?:of=)?\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|md|dm-|loop|disk|mapper\/|sr|nbd|zram|ram|rdisk|mem$|kmem$|port$)/
const powers = new Set("shutdown reboot halt poweroff telinit".split(" "))
const formats = /^(?:mkfs(?:\..+)?|mke2fs|mkdosfs|mkntfs|newfs(?:_.+)?|mkswap|wipefs|blkdiscard)$/
const writesDevices = new Set(
  "dd tee cp mv install shred truncate fdisk sfdisk cfdisk gdisk sgdisk parted badblocks hdparm cryptsetup pvcreate ddrescue".split(
    " "
  )
)
const networkClients = new Set("curl wget nc ncat netcat http https aria2c lynx links telnet fetch httpie".split(" "))
const gitValueOptions = new Set(
  "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source".split(" ")
)

/** Options and operands, both before and after `--`, as GNU tools sort them. */
const sorted = (args: ReadonlyArray<string>) => {
  const end = args.indexOf("--")
  const head = end < 0 ? args : args.slice(0, end)
  return {
    letters: head.filter((arg) => /^-[^-]/.test(arg)).join(""),
    long: head.filter((arg) => arg.startsWith("--")),
    operands: [...head.filter((arg) => !arg.startsWith("-") || arg === "-"), ...(end < 0 ? [] : args.slice(end + 1))]
  }
}

/** Whether a long option is `name` or a prefix of it that GNU tools accept. */
const hasLong = (long: ReadonlyArray<string>, name: string, least: number): boolean =>
  long.some((option) => option.length >= least && `--${name}`.startsWith(option.split("=")[0]!))

const isRecursive = (args: ReadonlyArray<string>): boolean => {
  const { letters, long } = sorted(args)
  return /[rR]/.test(letters) || hasLong(long, "recursive", 3)
}

const gitSubcommand = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  let at = 0
  while (at < args.length && args[at]!.startsWith("-")) at += gitValueOptions.has(args[at]!) ? 2 : 1
  return args.slice(at)
}

const pushes = (args: ReadonlyArray<string>): boolean => {
  const [name = "", next = ""] = gitSubcommand(args)
  if (["push", "send-pack", "http-push"].includes(name)) return true
  if (["subtree", "lfs"].includes(name) && next === "push") return true
  return args.some((arg, index) => args[index - 1] === "-c" && /^alias\.[^=]*=\s*push\b/i.test(arg))
}

const signalsAll = (args: ReadonlyArray<string>): boolean => {
  const [first = "", ...rest] = args
  const takesValue = first === "-s" || first === "-n"
  const targets = first === "--" ? rest : takesValue ? rest.slice(1) : first.startsWith("-") ? rest : args
  return targets.includes("-1")
}

export const denials: ReadonlyArray<Denial> = [
  {
    id: "shell/remove-root",
    reason: "It deletes the file system's root, a system directory, the home directory or the whole workspace.",
    denies: ({ args, name }, reach) =>
      name === "rm" &&
      (hasLong(sorted(args).long, "no-preserve-root", 5) ||
        (isRecursive(args) && sorted(args).operands.some((path) => isVital(path, reach))))
  },
  {
    id: "shell/remove-found",
    reason: "It deletes what it finds below the root, a system directory or the home directory.",
    denies: ({ args, name }, reach) =>
      name === "find" &&
      args.some((arg) => arg === "-delete" || /^(?:.*\/)?(?:rm|shred|unlink)$/.test(arg)) &&
      args.some((arg) => isSystemDirectory(arg, reach))
  },
  {
    id: "shell/move-root",
    reason: "It moves away the root, a system directory or the home directory.",
    denies: ({ args, name }, reach) =>
      name === "mv" &&
      sorted(args)
        .operands.slice(0, -1)
        .some((path) => isSystemDirectory(path, reach))
  },
  {
    id: "shell/permissions-root",
    reason: "It changes the owner or the permissions of the root, a system directory or the home directory.",
    denies: ({ args, name }, reach) =>
      /^(?:chmod|chown|chgrp)$/.test(name) &&
      isRecursive(args) &&
      args.some((path) => !path.startsWith("-") && isSystemDirectory(path, reach))
  },
  {
    id: "shell/format",
    reason: "It formats or wipes a device.",
    denies: ({ args, name }) => formats.test(name) && args.some((arg) => /^(?:\/dev\/|\$)/.test(arg))
  },
  {
    id: "shell/raw-device",
    reason: "It writes to a device below the file system.",
    denies: ({ args, name }) =>
      writesDevices.has(name) && args.some((arg) => blockDevice.test(arg) && !arg.startsWith("if="))
  },
  {
    id: "shell/power",
    reason: "It stops or restarts the machine.",
    denies: ({ args, name }) =>
      powers.has(name) ||
      (name === "init" && /^[06]$/.test(args[0] ?? "")) ||
      (name === "systemctl" &&
        args.some((arg) => /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|emergency|rescue)$/.test(arg)))
  },
  {
    id: "shell/kill-all",
    reason: "It signals every process.",
    denies: ({ args, name }) => name === "killall5" || (name === "kill" && signalsAll(args))
  },
  {
    id: "shell/reverse-shell",
    reason: "It hands a shell to a network connection.",
    denies: ({ args, name }) =>
      (/^(?:nc|ncat|netcat)(?:\..*)?$/.test(name) &&
        args.some(
          (arg) =>
            /^-[a-z]*[ec]$/i.test(arg) ||
            /^--(?:sh-)?e(?:x|xe|xec)?(?:=|$)/.test(arg) ||
            /^--(?:sh|lua)-exec/.test(arg) ||
            shells.has(arg.slice(arg.lastIndexOf("/") + 1))
        )) ||
      (name === "socat" && args.some((arg) => /(?:^|,|\b)(?:exec|system|shell):/i.test(arg)))
  },
  {
    id: "shell/git-push",
    reason: "Pushing is done only with the git_push tool, which a person decides on.",
    denies: ({ args, name }) => name === "git" && pushes(args)
  },
  {
    id: "shell/runtime-itself",
    reason: "The runtime that asks for approvals is not to be run by what it supervises.",
    denies: ({ name }) => name === "tollgate"
  },
  {
    id: "shell/cloud-metadata",
    reason: "It reaches the machine's metadata service, which gives out credentials.",
    denies: ({ args, name }) => args.slice(0, 64).some((arg) => metadataHost(arg, networkClients.has(name)))
  }
]

/** Redirections that never run: below the file system, or to the kernel's levers. */
export const isDeniedTarget = (path: string): boolean =>
  blockDevice.test(path) || /^\/proc\/sys(?:rq-trigger$|\/kernel\/)/.test(path)
