import * as fs from "node:fs"
import * as path from "node:path"
import * as ProtectedPlaces from "../policy/path/ProtectedPlaces.ts"
import type { PathContext } from "../policy/path/PathContext.ts"
import * as Plan from "../sandbox/Plan.ts"
import type { SandboxPolicy } from "../sandbox/SandboxPolicy.ts"

const credentialsIn = (tables: ReadonlyArray<ReadonlyMap<string, ProtectedPlaces.Protection>>, above: string) =>
  tables
    .flatMap((table) => [...table])
    .filter(([, { rule }]) => rule === ProtectedPlaces.credentials.rule)
    .map(([place]) => path.join(above, place))

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(directory)
  } catch {
    return []
  }
}

const isReadable = (place: string): boolean => {
  try {
    fs.accessSync(place, fs.constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** The home directories of other users, where they usually are. */
const otherHomes = (home: string): ReadonlyArray<string> =>
  ["/root", ...["/home", "/Users"].flatMap((above) => namesIn(above).map((name) => path.join(above, name)))].filter(
    (other) => other !== home
  )

/** Private keys of this machine that are known by the form of their names. */
const hostKeys = (): ReadonlyArray<string> =>
  namesIn("/etc/ssh")
    .filter((name) => /^ssh_host_.*key$/.test(name))
    .map((name) => path.join("/etc/ssh", name))

/** Keys and credentials: those of the user, and those of the system and of other users that this one could read. */
const credentials = (home: string): ReadonlyArray<string> => {
  const { anywhere, home: inHome, system } = ProtectedPlaces
  const others = otherHomes(home).filter(isReadable)
  return [
    ...credentialsIn([anywhere, inHome], home),
    ...[
      ...credentialsIn([system], "/"),
      ...hostKeys(),
      ...others.flatMap((other) => credentialsIn([anywhere, inHome], other))
    ].filter(isReadable)
  ]
}

/** Behind which programs do as root what they are asked to, or start others outside of any sandbox. */
const controlSockets = (home: string): ReadonlyArray<string> =>
  [
    ..."docker.sock docker/containerd/containerd.sock containerd/containerd.sock podman/podman.sock crio/crio.sock"
      .split(" ")
      .map((name) => path.join("/var/run", name)),
    "/var/lib/incus/unix.socket",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
    ..."docker/run/docker.sock docker/desktop/docker.sock colima/default/docker.sock orbstack/run/docker.sock rd/docker.sock"
      .split(" ")
      .map((name) => path.join(home, `.${name}`))
  ].filter((place) => fs.existsSync(place))

/** A worktree's `.git` is a file that names its directory. */
const isFile = (place: string): boolean => {
  const found = Plan.look(place)
  return typeof found !== "string" && found.isFile()
}

/** What in a git directory makes git run something. */
export const steersGit = (directory: string): ReadonlyArray<string> => [
  `${directory}/hooks/`,
  `${directory}/config`,
  `${directory}/config.worktree`,
  `${directory}/info/attributes`
]

/** What in the roots runs code later or is ours. */
const protectedIn = ({ gitDirs = [], roots, stateDirs }: PathContext): ReadonlyArray<string> => [
  ...roots.flatMap((root) => [
    ...(isFile(`${root}/.git`) ? [`${root}/.git`] : steersGit(`${root}/.git`)),
    `${root}/.tollgate/`
  ]),
  ...gitDirs.flatMap(steersGit),
  ...stateDirs.map((directory) => `${directory}/`)
]

/** Roots in which a sandbox lets no command change anything that the user could: what is protected there is a link, or where nobody may look. */
export const heldRoots = (context: PathContext): ReadonlyArray<string> => {
  const { cwd, roots } = context
  const plan = Plan.make({ cwd, writable: roots, protected: protectedIn(context), network: false })
  return plan.writable.filter((root) => plan.readOnly.includes(root) && Plan.system.canFill(root))
}

/**
 * What a program that a tool starts may touch where there is a sandbox: it sees no credentials, without network no socket of a
 * program that starts others, and writes, if at all, inside the roots, but not what runs code later or is ours.
 */
export const confine = (
  context: PathContext,
  options: { readonly write: boolean; readonly network: boolean }
): SandboxPolicy => ({
  cwd: context.cwd,
  readable: context.roots,
  writable: options.write ? context.roots : [],
  protected: protectedIn(context),
  hidden: [
    ...credentials(context.home),
    ...context.stateDirs,
    ...(options.network ? [] : controlSockets(context.home))
  ],
  network: options.network
})
