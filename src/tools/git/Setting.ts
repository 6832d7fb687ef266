/** One value of git's configuration. */
export interface Setting {
  /** `system`, `global`, `local` or `worktree`. */
  readonly scope: string
  /** As git prints it: section and key in lower case, what stands between them as it is. */
  readonly name: string
  readonly value: string
}

/** Whether the repository, not the user, said it. */
export const isForeign = ({ scope }: Setting): boolean => scope === "local" || scope === "worktree"

/** Settings that are only data about files, people, branches and remotes. */
const data =
  /^(?:core\.(?:repositoryformatversion|filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|safecrlf|sparsecheckout|sparsecheckoutcone|checkroundtripencoding|bigfilethreshold|trustctime|checkstat|protecthfs|protectntfs|logallrefupdates|sharedrepository)|extensions\.(?:objectformat|compatobjectformat|refstorage|preciousobjects|noop|noop-v1)|index\.(?:sparse|version)|(?:user|author|committer)\.(?:name|email)|i18n\.commitencoding|branch\..+\.(?:remote|merge|rebase)|remote\..+\.(?:url|pushurl|fetch)|url\..+\.(?:insteadof|pushinsteadof))$/s

/** What else the user may say: which files are ignored, and how to reach a host. */
const users = /^(?:core\.excludesfile|(?:credential|http)\..+)$/s

const filter = /^filter\..+\.(?:clean|smudge|process|required)$/s

/** Settings of the repository format that change nothing here. */
const harmless = /^extensions\.(?:worktreeconfig|partialclone|relativeworktrees)$/

/** What git is given of all settings. What a repository says can name no program, because nothing that names one is handed on. */
export const handedOn = (all: ReadonlyArray<Setting>, filters: "none" | "users"): ReadonlyArray<Setting> =>
  all.filter((setting) => {
    const { name } = setting
    if (data.test(name)) return isForeign(setting) || !/^(?:core\.repositoryformatversion|extensions\.)/.test(name)
    return !isForeign(setting) && (users.test(name) || (filters === "users" && filter.test(name)))
  })

/** The first setting of the repository's format that we do not know. */
export const unknownFormat = (all: ReadonlyArray<Setting>): string | undefined =>
  all.find(({ name }) => name.startsWith("extensions.") && !data.test(name) && !harmless.test(name))?.name

/** What `git config --list -z` prints; with `--show-scope` where no scope is given. */
export const parse = (output: string, scope?: string): ReadonlyArray<Setting> => {
  const fields = output.split("\0")
  const step = scope === undefined ? 2 : 1
  const found: Array<Setting> = []
  for (let index = 0; index + step < fields.length; index += step) {
    const field = fields[index + step - 1] ?? ""
    const end = field.indexOf("\n")
    found.push({
      scope: scope ?? fields[index] ?? "",
      name: end === -1 ? field : field.slice(0, end),
      // A key without a value is true.
      value: end === -1 ? "true" : field.slice(end + 1)
    })
  }
  return found
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')

const quoted = (text: string): string => `"${escaped(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`

/** The text of a configuration file that says the same. */
export const render = (settings: ReadonlyArray<Setting>): string =>
  settings
    .map(({ name, value }) => {
      const [first, last] = [name.indexOf("."), name.lastIndexOf(".")]
      const middle = first === last ? "" : ` "${escaped(name.slice(first + 1, last))}"`
      return `[${name.slice(0, first)}${middle}]\n\t${name.slice(last + 1)} = ${quoted(value)}\n`
    })
    .join("")
