/** Directories of the system only: nothing that a project or a version manager could have put in front. */
export const systemPath =
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" +
  (process.platform === "darwin" ? ":/opt/homebrew/bin" : "")

const inherited = ["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR"]

const isInherited = (name: string): boolean => inherited.includes(name) || /^LC_[A-Z]{1,20}$/.test(name)

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
 * The whole environment of a child: what a program needs of its parent's by name, a fixed `PATH`, and what keeps programs from
 * asking. Everything else, credentials above all, stays behind; `extra` is the configuration's word and wins.
 */
export const environment = (
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {}
): Readonly<Record<string, string>> => {
  const kept: Record<string, string> = { LANG: "C.UTF-8" }
  for (const [name, value] of Object.entries(parent)) if (value !== undefined && isInherited(name)) kept[name] = value
  return { ...kept, PATH: systemPath, ...unattended, ...extra }
}
