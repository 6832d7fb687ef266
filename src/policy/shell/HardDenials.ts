import { isPush, pushes } from "./GitPush.ts"
import { metadataHost } from "./MetadataHosts.ts"
import { hasLong, isRecursive, sorted } from "./CommandOptions.ts"
import { isSystemDirectory, isVital, type Reach } from "./Reach.ts"
import { commandName, isInterpreter, shells } from "./Wrappers.ts"

/** A command line with its wrappers removed, as far as its words can be known. */
export interface Call {
  /** Without its directory, in lower case. */
  readonly name: string
  readonly args: ReadonlyArray<string>
}

/** Commands that never run, even if approved. A seatbelt: the boundary is what runs without asking. */
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
  (
    "dd tee cp mv install shred truncate fdisk sfdisk cfdisk gdisk sgdisk parted badblocks hdparm cryptsetup pvcreate " +
    "ddrescue dcfldd dc3dd curl wget sort"
  ).split(" ")
)
/** Programs that connect to what they are given. */
export const networkClients: ReadonlySet<string> = new Set(
  "curl wget nc ncat netcat http https aria2c lynx links telnet fetch httpie".split(" ")
)
/** Subcommands that wipe what they are given. */
const wipes: ReadonlyMap<string, RegExp> = new Map([
  ["nvme", /^(?:format|sanitize)$/],
  ["diskutil", /^(?:erase|zero|secureErase|partition|reformat)/i],
  ["zpool", /^(?:destroy|labelclear)$/]
])
const stopsMachine = /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|emergency|rescue)(?:\.target)?$/
/** Take whole directories along. */
const copiers = new Set("tar cp mv rsync scp zip 7z grep rg cpio".split(" "))
const keyDirectory = /(?:^|[/=@:])\.(?:ssh|gnupg|aws)(?:\/\.?)?$/
/** A pattern of processes that every name matches. */
const anyName = /^[.*^$+]*$/
/** Programs that do nothing but start copies of themselves. */
const forkLoop =
  /\bfork(?: ?\( ?\))? while\b|\bloop ?(?:\{|do) ?fork\b|\bwhile ?\(? ?(?:true|1) ?\)? ?[:{] ?(?:[\w.]+\.)?fork\b/i

const signalsAll = (args: ReadonlyArray<string>): boolean => {
  const [first = "", ...rest] = args
  const takesValue = first === "-s" || first === "-n"
  const targets = first === "--" ? rest : takesValue ? rest.slice(1) : first.startsWith("-") ? rest : args
  return targets.includes("-1")
}

const launchers = new Set("yarn pnpm bun".split(" "))
/** The program by any of the names of its files and packages. */
const isRuntime = (name: string): boolean => /^tollgate(?:@.*|\.[cm]?js)?$/.test(name)

/** Why a shell text does not push where there is a tool that does. */
export const pushReason = "Only the git_push tool may push, after the user approves."

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
    reason: "It deletes the files it finds below the root, a system directory or the home directory.",
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
      /^(?:chmod|chown|chgrp|chattr|setfacl)$/.test(name) &&
      isRecursive(args) &&
      args.some((path) => !path.startsWith("-") && isSystemDirectory(path, reach))
  },
  {
    id: "shell/format",
    reason: "It formats or wipes a device.",
    denies: ({ args, name }) =>
      (formats.test(name) && args.some((arg) => /^(?:\/dev\/|\$)/.test(arg))) ||
      (wipes.get(name)?.test(args[0] ?? "") ?? false)
  },
  {
    id: "shell/raw-device",
    reason: "It writes directly to a disk or to memory.",
    denies: ({ args, name }) => writesDevices.has(name) && args.some((arg) => isDeniedTarget(arg))
  },
  {
    id: "shell/power",
    reason: "It stops or restarts the machine.",
    denies: ({ args, name }) =>
      powers.has(name) ||
      (name === "init" && /^[06]$/.test(args[0] ?? "")) ||
      (name === "kexec" && args.some((arg) => arg === "-e" || arg === "--exec")) ||
      (/^(?:systemctl|loginctl)$/.test(name) && args.some((arg) => stopsMachine.test(arg)))
  },
  {
    id: "shell/kill-all",
    reason: "It signals every process.",
    denies: ({ args, name }) =>
      name === "killall5" ||
      (name === "kill" && signalsAll(args)) ||
      ((name === "pkill" || (name === "killall" && /r/.test(sorted(args).letters))) &&
        sorted(args).operands.some((pattern) => anyName.test(pattern)))
  },
  {
    id: "shell/fork-bomb",
    reason: "It starts endless copies of itself.",
    denies: ({ args, name }) =>
      isInterpreter(name) && args.some((arg) => arg.includes("fork") && forkLoop.test(arg.replaceAll(/\s+/g, " ")))
  },
  {
    id: "shell/private-key",
    reason: "It copies or searches a directory of private keys.",
    denies: ({ args, name }) => copiers.has(name) && args.some((arg) => keyDirectory.test(arg))
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
    reason: pushReason,
    denies: ({ args, name }) => isPush(name) || (name === "git" && pushes(args))
  },
  {
    id: "shell/runtime-itself",
    reason: "It runs Tollgate itself, which manages approvals.",
    denies: ({ args, name }) =>
      isRuntime(name) ||
      ((isInterpreter(name) || launchers.has(name)) &&
        isRuntime(commandName(args.find((arg) => !arg.startsWith("-")) ?? "")))
  },
  {
    id: "shell/cloud-metadata",
    reason: "It reaches the machine's metadata service, which hands out credentials.",
    denies: ({ args, name }) => args.slice(0, 64).some((arg) => metadataHost(arg, networkClients.has(name)))
  }
]

/** A redirection to the network, and its host. */
export const connection = /^\/dev\/(?:tcp|udp)\/([^/]*)/

/** Whether a command makes a shell of a connection that it is redirected to. */
export const takesConnection = (name: string): boolean => name === "exec" || isInterpreter(name)

/** Redirections that never run: below the file system, or to the kernel's levers. */
export const isDeniedTarget = (path: string): boolean =>
  blockDevice.test(path) || /^\/proc\/sys(?:rq-trigger$|\/kernel\/)/.test(path)
