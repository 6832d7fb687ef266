import { hasLong, isRecursive, sorted } from "./CommandOptions.ts"
import { type Destroys, isUnknown, type Scene } from "./Destruction.ts"
import type { Call } from "./HardDenials.ts"
import { holds, normalise } from "./LexicalPath.ts"
import { placesOf } from "./Reach.ts"

const temporary = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm"]

/** Directories that tools make again from what else is there. */
const remade = new Set(
  (
    "node_modules dist build target coverage __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .nyc_output .next " +
    ".nuxt .output .svelte-kit .turbo .parcel-cache .vite .cache .gradle .eggs htmlcov storybook-static .angular .terraform"
  ).split(" ")
)

const special = /[*?[{]/

/** A path without its names from the first pattern on. */
const literalPart = (path: string): string => {
  const names = path.split("/")
  const first = names.findIndex((name) => special.test(name))
  return first < 0 ? path : names.slice(0, first).join("/") || "/"
}

/** Whether what lies at an absolute path is temporary, ignored or made again from what else is there. */
export const isExpendablePlace = (path: string, { isIgnored, roots }: Pick<Scene, "isIgnored" | "roots">): boolean => {
  const base = normalise(literalPart(path))
  if (roots.some((root) => holds(base, root))) return false
  const root = roots.find((one) => holds(one, base))
  if (root === undefined) {
    return temporary.some((place) => (base === place ? path !== base : holds(place, base)))
  }
  const whole = path.split("/").includes("..") ? base : normalise(path)
  const names = whole.slice(normalise(root).length).split("/")
  return names.some((name) => remade.has(name)) || (path === base && isIgnored?.(base) === true)
}

/** Whether what a word names is temporary, ignored or made again from what else is there. */
const isExpendable = (target: string, scene: Scene): boolean => {
  const word = target.replace(/^(?:\$TMPDIR|\$\{TMPDIR(?::-\/tmp)?\})(?=\/[^/])/, "/tmp")
  if (isUnknown(word) || word === "" || word.startsWith("~")) return false
  const places = placesOf(word, scene.reach)
  return places.length > 0 && places.every((place) => isExpendablePlace(place, scene))
}

const listed = (paths: ReadonlyArray<string>): string =>
  paths.length > 3 ? `${paths.slice(0, 3).join(", ")} and ${paths.length - 3} more` : paths.join(", ")

const remove: Destroys = ({ args }, scene) => {
  const { letters, long, operands: given } = sorted(args)
  // What ends the command of `find -exec` is no file.
  const operands = given.filter((path) => path !== ";" && path !== "+")
  if (operands.length === 0) return "Deletes the given files"
  const lasting = operands.filter((path) => !isExpendable(path, scene))
  if (lasting.length === 0) return undefined
  if (lasting.some(isUnknown)) return "Deletes files whose names are known only at run time"
  if (lasting.includes("{}")) return "Deletes every file it finds"
  if (isRecursive(args)) return `Deletes ${listed(lasting)} and everything below`
  const forced = /f/.test(letters) || hasLong(long, "force", 3)
  return forced || lasting.some((path) => special.test(path)) ? `Deletes ${listed(lasting)}` : undefined
}

const find: Destroys = ({ args }, scene) => {
  if (!args.includes("-delete")) return undefined
  const end = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPDO]/.test(arg))
  const places = args.slice(0, end).filter((arg) => !arg.startsWith("-"))
  return places.length > 0 && places.every((place) => isExpendable(place, scene))
    ? undefined
    : "Deletes every file that find finds"
}

const overAll =
  (what: string): Destroys =>
  ({ args }) =>
    isRecursive(args) ? `Changes the ${what} of everything below a directory` : undefined

/** Whether a mode, the first of the words that is no option, is one by which whoever runs a file has the rights of its owner or its group. */
const setsId = (words: ReadonlyArray<string>): boolean =>
  /^0*[2-7][0-7]{3}$/.test(words.find((word) => !word.startsWith("-")) ?? "") ||
  words.some((word) => /(?:^|,)[ugoa]*(?:[-+=][rwxXstugo]*)*[+=][rwxXtugo]*s[rwxXstugo]*(?:[-+=,]|$)/.test(word))

const modesOf = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, at) => {
    const joined = /^(?:-[a-zA-Z]*?m|--mode=)(.+)$/s.exec(arg)?.[1]
    return joined !== undefined ? [joined] : /^(?:-[a-zA-Z]*m|--mode)$/.test(args[at - 1] ?? "") ? [arg] : []
  })

const lendsRights = "Lets whoever runs a file do so with the rights of its owner or its group"

const onTargets =
  (does: string): Destroys =>
  ({ args }, scene) => {
    const { operands } = sorted(args)
    return operands.length > 0 && operands.every((path) => isExpendable(path, scene)) ? undefined : does
  }

const always =
  (does: string): Destroys =>
  () =>
    does

const ifOption =
  (option: RegExp, does: string): Destroys =>
  ({ args }) =>
    args.some((arg) => option.test(arg)) ? does : undefined

/** Empties what it writes, where all that it reads is known to be nothing. */
const emptying =
  (targetsOf: (call: Call, scene: Scene) => ReadonlyArray<string>): Destroys =>
  (call, scene) => {
    const targets = targetsOf(call, scene)
    return targets.length > 0 && !targets.every((path) => isExpendable(path, scene)) ? "Empties a file" : undefined
  }

const emptied = emptying(({ args }) => {
  const { operands } = sorted(args)
  const at = operands.indexOf("/dev/null")
  return at < 0 ? [] : operands.slice(at + 1)
})

const isNothingFed = ({ input }: Scene): boolean => input.length > 0 && input.every((text) => text === "")

/** The files that `sort` puts its lines into, and what it takes them from. */
const sortedFiles = (args: ReadonlyArray<string>) => {
  const outputs: Array<string> = []
  const inputs: Array<string> = []
  for (const [at, arg] of args.entries()) {
    const glued = /^(?:-o|--output=)(.+)$/s.exec(arg)?.[1]
    if (glued !== undefined) outputs.push(glued)
    else if (/^(?:-o|--output)$/.test(args[at - 1] ?? "")) outputs.push(arg)
    else if (
      /^(?:-[a-zA-Z]*[ktST]|--(?:key|field-separator|buffer-size|temporary-directory))$/.test(args[at - 1] ?? "")
    )
      continue
    else if (arg === "-" || !arg.startsWith("-")) inputs.push(arg)
  }
  return { inputs, outputs }
}

/** Programs that destroy files, devices, accounts or settings of the machine. */
export const destructiveFiles: ReadonlyArray<readonly [names: string, destroys: Destroys]> = [
  ["rm grm", remove],
  ["srm wipe", always("Deletes files so that they cannot be restored")],
  ["rimraf del-cli trash", onTargets("Deletes files and directories")],
  ["find gfind", find],
  ["shred", onTargets("Overwrites files so that they cannot be restored")],
  ["truncate", onTargets("Truncates files")],
  [
    "dd dcfldd dc3dd ddrescue",
    ({ args }) =>
      args.some((arg) => arg.startsWith("of=") && arg !== "of=/dev/null") ? "Overwrites the target of `of=`" : undefined
  ],
  ["wipefs blkdiscard sgdisk", always("Wipes a file system")],
  ["fdisk sfdisk cfdisk gdisk parted", ({ args }) => (args.includes("-l") ? undefined : "Changes partitions")],
  ["lvremove vgremove pvremove", always("Removes volumes")],
  ["cryptsetup", ifOption(/^(?:erase|luks(?:Format|Erase|KillSlot)|reencrypt)$/, "Wipes an encrypted volume")],
  ["zfs zpool", ifOption(/^(?:destroy|rollback|labelclear)$/, "Destroys volumes or snapshots")],
  ["btrfs", ifOption(/^del(?:ete)?$/, "Deletes a subvolume")],
  ["chmod", (call, scene) => (setsId(call.args) ? lendsRights : overAll("permissions")(call, scene))],
  ["chown chgrp", overAll("owner")],
  ["setfacl chattr", overAll("permissions")],
  ["cp", emptied],
  ["install", (call, scene) => (setsId(modesOf(call.args)) ? lendsRights : emptied(call, scene))],
  [
    "tee",
    emptying(({ args }, scene) => {
      const { letters, long, operands } = sorted(args)
      return /a/.test(letters) || hasLong(long, "append", 1) || !isNothingFed(scene) ? [] : operands
    })
  ],
  [
    "sort",
    emptying(({ args }, scene) => {
      const { inputs, outputs } = sortedFiles(args)
      const isNothing = inputs.length === 0 ? isNothingFed(scene) : inputs.every((file) => file === "/dev/null")
      return isNothing ? outputs : []
    })
  ],
  [
    "mv",
    ({ args }) => (sorted(args).operands.at(-1) === "/dev/null" ? "Moves files to where they are lost" : undefined)
  ],
  ["rsync", ifOption(/^--(?:del|delete(?:-.*)?|remove-source-files)$/, "Deletes files that are missing at the source")],
  ["tar", ifOption(/^--remove-files$/, "Deletes the files it packs")],
  ["zip", ifOption(/^-m$|^--move$/, "Deletes the files it packs")],
  [
    "crontab",
    ({ args }) =>
      args.length > 0 && args.every((arg) => arg === "-l")
        ? undefined
        : "Replaces or removes the table of scheduled jobs"
  ],
  ["at atrm", ({ args, name }) => (name === "atrm" || args.includes("-d") ? "Removes scheduled jobs" : undefined)],
  ["systemctl", ifOption(/^(?:stop|disable|mask|kill|isolate|revert|clean)$/, "Stops or disables a service")],
  ["service rc-service initctl", ifOption(/^(?:stop|disable)$/, "Stops a service")],
  ["launchctl", ifOption(/^(?:unload|remove|bootout|disable|kill)$/, "Stops or disables a service")],
  ["loginctl", ifOption(/^(?:terminate|kill)-/, "Ends sessions of users")],
  ["userdel groupdel deluser delgroup", always("Deletes an account or a group")],
  ["iptables ip6tables", ifOption(/^-[FXPD]$|^--(?:flush|delete|policy)/, "Changes the firewall")],
  ["ufw", ifOption(/^(?:disable|reset|delete)$/, "Changes the firewall")],
  ["nft", ifOption(/^(?:flush|delete)$/, "Changes the firewall")],
  [
    "apt apt-get aptitude dnf yum zypper apk microdnf",
    ifOption(/^(?:remove|purge|autoremove|erase|autopurge|del|rm)$/, "Removes packages of the system")
  ],
  ["pacman", ifOption(/^-R|^--remove$/, "Removes packages of the system")],
  ["brew snap flatpak", ifOption(/^(?:remove|uninstall|rm)$/, "Removes packages of the system")],
  ["dpkg rpm", ifOption(/^(?:-[rPe]|--(?:remove|purge|erase))$/, "Removes packages of the system")]
]

/** What a redirection to a file destroys: an empty one, or one outside the workspace. */
export const redirected = (operator: string, target: string, isEmpty: boolean, scene: Scene): string | undefined => {
  if (!/^(?:>|>\||&>)$/.test(operator) || /^(?:&|\d+$|-$)|^\/dev\/(?:null|std(?:out|err)|tty|fd\/\d)$/.test(target))
    return undefined
  if (isUnknown(target)) return isEmpty ? "Empties a file whose name is known only at run time" : undefined
  if (isExpendable(target, scene)) return undefined
  if (isEmpty) return `Empties ${target}`
  const outside = placesOf(target, scene.reach).some((place) => !scene.roots.some((root) => holds(root, place)))
  return outside ? `Overwrites ${target}, which is outside the workspace` : undefined
}

/** Whether what a command prints into a file is nothing. */
export const isEmptying = (argv: ReadonlyArray<string>): boolean => {
  const [name, ...args] = argv
  return (
    name === undefined ||
    name === ":" ||
    name === "true" ||
    (name === "cat" && args.every((arg) => arg === "/dev/null") && args.length > 0) ||
    ((name === "echo" || name === "printf") && args.every((arg) => arg === "" || arg === "-n") && args.length > 0)
  )
}
