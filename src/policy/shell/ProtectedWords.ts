import { deny, type Verdict } from "../Verdict.ts"

/** Files that no command may name, anywhere in a word. */
const protectedFiles: ReadonlyArray<readonly [id: string, pattern: RegExp, reason: string]> = [
  [
    "shell/private-key",
    /(?:^|[/=@:])\.ssh\/(?:id_(?!\w+\.pub$)|identity(?!\.pub$)|[^/]*[*?[])|\.gnupg\/(?:private-keys|secring)|\/ssh_host_\w+_key$/,
    "It names a private key."
  ],
  [
    "shell/credentials",
    /(?:^|[/=@:])(?:\.aws\/credentials|\.netrc|\.git-credentials|\.docker\/config\.json|\.kube\/config|gcloud\/(?:credentials|access_tokens)\.db|gcloud\/application_default_credentials\.json|\.config\/gh\/hosts\.yml)$|\/etc\/g?shadow-?$/,
    "It names a file that holds credentials."
  ],
  [
    "shell/process-memory",
    /(?:^|\/)(?:environ|k?mem|kcore)$/,
    "It names the environment or memory of a process, which hold secrets."
  ],
  [
    "shell/runtime-state",
    /(?:^|[/=@:~])\.tollgate(?:[/*]|$)|\/\.(?:config|cache|local\/(?:share|state))\/tollgate(?:\/|$)/i,
    "It names the state of this runtime, which holds approvals."
  ]
]

/** What every one of those names holds. */
const hint = /ssh|gnupg|credentials|netrc|docker|kube|gcloud|hosts|shadow|environ|k?mem|kcore|tollgate/i

/** The rule that forbids a word, if one does; words with blanks are prose or programs, not names. */
export const protectedWord = (word: string): Verdict | undefined => {
  if (!hint.test(word) || !/[./]/.test(word) || /\s/.test(word)) return undefined
  const name = word.replaceAll(/\/(?:\.?\/)+/g, "/")
  const found = protectedFiles.find(
    ([id, pattern]) => pattern.test(name) && (id !== "shell/process-memory" || /\/proc\/|\/dev\//.test(name))
  )
  return found === undefined ? undefined : deny(found[0], found[2])
}
