import type { ProcessCommand } from "../process/ProcessCommand.ts"
import { elsewhere } from "./elsewhere.ts"
import { quoted } from "../text/ShellWord.ts"

const options = [
  "BatchMode=yes",
  "ConnectTimeout=10",
  "ServerAliveInterval=15",
  "ServerAliveCountMax=3",
  "ForwardAgent=no",
  "ForwardX11=no",
  "ClearAllForwardings=yes",
  "PermitLocalCommand=no"
]

/** The text that the login shell of the other machine, which has to be a POSIX one, makes the same command of. */
export const script = ({ file, args, cwd, env }: ProcessCommand): string => {
  const variables = Object.entries(elsewhere(env)).filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  const assignments = variables.map(([name, value]) => `${name}=${quoted(value)}`)
  return [
    `cd -- ${quoted(cwd)}`,
    ...(assignments.length > 0 ? [`export ${assignments.join(" ")}`] : []),
    `exec ${[file, ...args].map(quoted).join(" ")}`
  ].join(" && ")
}

/** Runs a command on another machine, without a terminal and without lending it keys, ports or displays of this one. */
export const ssh = (program: string, host: string, command: ProcessCommand): ProcessCommand => ({
  ...command,
  file: program,
  cwd: "/",
  args: ["-T", ...options.flatMap((option) => ["-o", option]), "--", host, script(command)]
})
