import { deny, type Verdict } from "../Verdict.ts"
import type { Call } from "./HardDenials.ts"
import { evaluators, isInterpreter, shells } from "./Wrappers.ts"

/** What a command does with what flows through a pipe, as bits. */
export const Role = {
  /** Brings in bytes that nobody has read: from the network or by decoding. */
  source: 1,
  /** Runs its standard input as a program. */
  runner: 2,
  /** Carries a pipe over the network in both directions. */
  socket: 4,
  /** An interactive shell or one that reads a pipe. */
  shell: 8
} as const

const downloads = new Set(
  "curl wget fetch http https aria2c lynx links ftp tftp scp nc ncat netcat socat telnet".split(" ")
)
const decodes = new Set("base64 base32 basenc uudecode openssl gpg".split(" "))
const sockets = new Set("nc ncat netcat socat telnet".split(" "))

/** Options of interpreters that bring the program, a module or only a version. */
const bringsProgram = /^-(?:[a-zA-Z]*[cemEpVrhx]|-(?:command|eval|print|version|help|require|check).*)$/

const readsProgram = ({ args, name }: Call): boolean => {
  if (evaluators.has(name)) return args.some((arg) => arg === "/dev/stdin" || arg === "/proc/self/fd/0")
  if (!isInterpreter(name)) return false
  if (args.some((arg) => arg === "-" || arg === "/dev/stdin" || arg === "/proc/self/fd/0")) return true
  const isShell = shells.has(name)
  if (isShell && args.some((arg) => /^-[a-z]*s/.test(arg))) return true
  return args.every((arg, index) =>
    isShell
      ? (/^[-+]/.test(arg) && !/^-[a-z]*c/.test(arg)) || /^[-+][a-z]*[oO]$/.test(args[index - 1] ?? "")
      : arg.startsWith("-") && !bringsProgram.test(arg)
  )
}

const isReverseDump = ({ args, name }: Call): boolean => name === "xxd" && args.some((arg) => /^-{1,2}r/.test(arg))

export const roles = (call: Call): number => {
  const { name } = call
  const runs = readsProgram(call)
  return (
    (downloads.has(name) || decodes.has(name) || isReverseDump(call) ? Role.source : 0) |
    (sockets.has(name) ? Role.socket : 0) |
    (runs ? Role.runner | (shells.has(name) ? Role.shell : 0) : 0)
  )
}

export const downloaded = deny("shell/download-and-run", "It runs what it downloads or decodes, which nobody has read.")
export const reverseShell = deny("shell/reverse-shell", "It hands a shell to a network connection.")

/** Why a stage of a pipe must not follow those before it, if so. */
export const pipeDenied = (before: number, stage: number): Verdict | undefined => {
  if ((before & Role.source) !== 0 && (stage & Role.runner) !== 0) return downloaded
  return (before & Role.shell) !== 0 && (stage & Role.socket) !== 0 ? reverseShell : undefined
}
