import * as fs from "node:fs"
import * as path from "node:path"

/** Directories of the system only: nothing that a project or a version manager could have put in front. */
export const systemPath =
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" +
  (process.platform === "darwin" ? ":/opt/homebrew/bin" : "")

const inherited = ["HOME", "USER", "LOGNAME", "TZ", "TMPDIR"]

/** One locale: programs must read a text as the policy that judged it did. */
const locale: Readonly<Record<string, string>> = { LANG: "C.UTF-8", LC_ALL: "C.UTF-8" }

const isLocale = (name: string): boolean => name === "LANG" || name === "LANGUAGE" || name.startsWith("LC_")

/** The same environment with no locale but ours. */
export const inLocale = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !isLocale(name))),
  ...locale
})

const physical = (directory: string): string => {
  try {
    return fs.realpathSync(directory)
  } catch {
    return directory
  }
}

const lies = (directory: string, root: string): boolean => directory === root || directory.startsWith(`${root}/`)

/**
 * Where programs are looked for: the absolute directories of `PATH` outside the roots, by name and by target, since a
 * tool that writes there could plant a program. The system's own directories if none is left.
 */
export const searchPath = (given: string | undefined, roots: ReadonlyArray<string>): string => {
  const places = roots.flatMap((root) => [path.resolve(root), physical(root)])
  const kept = (given ?? "").split(":").filter((entry) => {
    if (!path.isAbsolute(entry)) return false
    const names = [path.normalize(entry).replace(/(?<=.)\/$/, ""), physical(entry)]
    return !names.some((name) => places.some((place) => lies(name, place)))
  })
  return kept.length === 0 ? systemPath : [...new Set(kept)].join(":")
}

/** Nothing may wait for a person: no pager, no editor, no question for a password. */
const unattended: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  EDITOR: "true",
  VISUAL: "true",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  GCM_INTERACTIVE: "never",
  SSH_ASKPASS: "false",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
  SUDO_ASKPASS: "false",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1"
}

/**
 * The whole environment of a child: a fixed list of the parent's variables, the user's `PATH` without the roots, one
 * locale, and settings that keep programs from prompting. All others, credentials above all, are left out; `extra` is
 * from the configuration and wins.
 */
export const environment = (
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
  roots: ReadonlyArray<string> = []
): Readonly<Record<string, string>> => {
  const kept: Record<string, string> = {}
  for (const name of inherited) {
    const value = parent[name]
    if (value !== undefined) kept[name] = value
  }
  return { ...kept, ...locale, PATH: searchPath(parent["PATH"], roots), ...unattended, ...extra }
}
