/** Settings in the order in which git is given them; the last word wins, over whatever a repository says. */
export type Settings = ReadonlyArray<readonly [name: string, value: string]>

const reading = ["file", "git", "http", "https", "ssh", "ext", "fd"]

/**
 * Switches off what a repository's own configuration could run: hooks and the file system monitor, pagers, editors and
 * signing programs, external diffs and commands for other repositories, and maintenance in the background. Filters and
 * credential helpers go by name, see `neutral`.
 */
export const settings: Settings = [
  ["core.fsmonitor", "false"],
  ["core.useBuiltinFSMonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.editor", "true"],
  ["core.askPass", "false"],
  ["core.sshCommand", "ssh -o BatchMode=yes"],
  ["core.gitProxy", ""],
  ["core.alternateRefsCommand", "true"],
  ["core.quotePath", "true"],
  ["sequence.editor", "true"],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  ["status.submoduleSummary", "false"],
  ["submodule.recurse", "false"],
  ["interactive.diffFilter", ""],
  ["log.showSignature", "false"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["push.gpgSign", "false"],
  ["gpg.program", "false"],
  ["gpg.openpgp.program", "false"],
  ["gpg.x509.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.ssh.defaultKeyCommand", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["safe.bareRepository", "explicit"],
  ["protocol.allow", "never"],
  ...reading.map((protocol) => [`protocol.${protocol}.allow`, "never"] as const)
]

/** No program for any of these filters, and none required, so that the bytes of a file are taken as they are. */
export const neutral = (filters: Iterable<string>): Settings =>
  [...filters].flatMap((name) => [
    [`filter.${name}.clean`, ""] as const,
    [`filter.${name}.smudge`, ""] as const,
    [`filter.${name}.process`, ""] as const,
    [`filter.${name}.required`, "false"] as const
  ])

/** Forgets every credential helper that was configured, then names those of the user again. */
export const helpers = (users: Settings): Settings => [["credential.helper", ""], ...users]

/** The settings as variables, which outrank every file; git hands them on to what it starts. */
export const variables = (all: Settings): Readonly<Record<string, string>> => ({
  GIT_CONFIG_COUNT: String(all.length),
  ...Object.fromEntries(
    all.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value]
    ])
  )
})
