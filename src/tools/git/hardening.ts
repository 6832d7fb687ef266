/** Settings in the order git receives them; the last wins, over any repository setting. */
export type Settings = ReadonlyArray<readonly [name: string, value: string]>

const reading = ["file", "git", "http", "https", "ssh", "ext", "fd"]

/**
 * A second lock behind `StandIn`, which hands on no setting of a repository that names a program: switches off hooks and the
 * file system monitor, pagers, editors and signing programs, external diffs and commands for other repositories, and
 * maintenance in the background.
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

/** Only the configuration of the stand-in. */
export const nobodys: Readonly<Record<string, string>> = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }

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
