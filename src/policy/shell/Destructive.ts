import { destructiveData } from "./DestructiveData.ts"
import { destructiveFiles } from "./DestructiveFiles.ts"
import { destructiveGit } from "./DestructiveGit.ts"
import { delegated, destructiveProgram } from "./DestructivePrograms.ts"
import { destructiveRemote } from "./DestructiveRemote.ts"
import { type Destroys, isUnknown } from "./Destruction.ts"

const byName: ReadonlyMap<string, Destroys> = new Map(
  [...destructiveFiles, ...destructiveData, ...destructiveRemote, ["git", destructiveGit] as const].flatMap(
    ([names, destroys]) => names.split(" ").map((name) => [name, destroys] as const)
  )
)

const formats = /^(?:mkfs(?:\..+)?|mke2fs|mkdosfs|mkntfs|newfs(?:_.+)?|mkswap)$/

/** Whether a command only says how it is used. */
const onlyTells = (args: ReadonlyArray<string>): boolean =>
  args.length <= 2 && args.length > 0 && /^(?:--help|--version)$/.test(args.at(-1)!)

/** What a command is known to destroy, publish or run unread. */
export const destruction: Destroys = (call, scene) => {
  const { args, name } = call
  if (isUnknown(name) || /[*?]|.\[/.test(name)) return "Runs a command that is known only at run time"
  if (onlyTells(args)) return undefined
  if (formats.test(name)) return "Formats a device or an image"
  if (name.startsWith("git-")) return destructiveGit({ name: "git", args: [name.slice(4), ...args] }, scene)
  const program = destructiveProgram(call, scene)
  if (program !== undefined) return program
  const other = delegated(call)
  return byName.get(name)?.(call, scene) ?? (other === undefined ? undefined : byName.get(other.name)?.(other, scene))
}

const launchersOfContainers = new Set(
  "docker podman nerdctl docker-compose podman-compose kubectl oc lxc incus".split(" ")
)
const maximumStarts = 8

/** Where in a command line a command may start that runs inside a container, or for each file that is found. */
export const containedStarts = (name: string, argv: ReadonlyArray<string>): ReadonlyArray<number> => {
  if (name === "fd" || name === "fdfind") {
    const at = argv.findIndex((word) => /^(?:-[xX]|--exec(?:-batch)?)$/.test(word))
    return at < 0 ? [] : [at + 1]
  }
  if (!launchersOfContainers.has(name)) return []
  const at = argv.findIndex((word) => word === "exec" || word === "run")
  if (at < 0) return []
  return argv
    .flatMap((word, index) => (index > at && !word.startsWith("-") && !isUnknown(word) ? [index] : []))
    .slice(0, maximumStarts)
}
