import * as fs from "node:fs"
import * as ProtectedPlaces from "../policy/path/ProtectedPlaces.ts"
import type { PathContext } from "../policy/path/PathContext.ts"
import type { SandboxPolicy } from "../sandbox/SandboxPolicy.ts"

const credentials = (home: string): ReadonlyArray<string> =>
  [ProtectedPlaces.anywhere, ProtectedPlaces.home]
    .flatMap((table) => [...table])
    .filter(([, { rule }]) => rule === "path/credentials")
    .map(([path]) => `${home}/${path}`)

/** A worktree's `.git` is a file that names its directory. */
const isFile = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** What in a git directory makes git run something. */
export const steersGit = (directory: string): ReadonlyArray<string> => [
  `${directory}/hooks/`,
  `${directory}/config`,
  `${directory}/config.worktree`,
  `${directory}/info/attributes`
]

/**
 * What a program that a tool starts may touch where there is a sandbox: it sees no credentials, and writes, if at all, inside
 * the roots, but not what runs code later or is ours.
 */
export const confine = (
  context: PathContext,
  options: { readonly write: boolean; readonly network: boolean }
): SandboxPolicy => ({
  cwd: context.cwd,
  readable: context.roots,
  writable: options.write ? context.roots : [],
  protected: [
    ...context.roots.flatMap((root) => [
      ...(isFile(`${root}/.git`) ? [`${root}/.git`] : steersGit(`${root}/.git`)),
      `${root}/.tollgate/`
    ]),
    ...(context.gitDirs ?? []).flatMap(steersGit),
    ...context.stateDirs.map((directory) => `${directory}/`)
  ],
  hidden: [...credentials(context.home), ...context.stateDirs],
  network: options.network
})
