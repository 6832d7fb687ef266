import type { ReadOnlyCommand } from "./ReadOnlyCommand.ts"

const shown = `-p -u -s -R -w -b -U=number --patch --no-patch --stat[=text] --shortstat --numstat --summary --dirstat[=text] --name-only
  --name-status --raw --color[=text] --no-color --no-ext-diff --no-textconv --no-renames --find-renames[=text] --minimal
  --patience --histogram --word-diff[=text] --unified=number --ignore-all-space --ignore-space-change --ignore-space-at-eol --relative
  --diff-filter=text --abbrev[=text] --no-abbrev --full-index --check --exit-code --quiet -z`

const history = `-n=number --oneline --graph --decorate[=text] --no-decorate --all --branches[=text] --tags[=text] --remotes[=text] --merges --no-merges
  --first-parent --reverse --date=text --format=text --pretty[=text] --author=text --committer=text --grep=text
  --since=text --after=text --until=text --before=text --max-count=number --skip=number --follow --abbrev-commit
  --no-abbrev-commit --topo-order --date-order --left-right --cherry-pick -g -i -E -F -S=text -G=text`

const branches = `-a -r -v --all --remotes --verbose --show-current --list --no-color --contains=text --no-contains=text --merged[=text]
  --no-merged[=text] --sort=text --format=text`

/** With an option in front that makes them list, what follows is a pattern or a commit, not a name to make. */
const listing = (options: string): ReadOnlyCommand => ({ options, operands: "text", most: 4 })

const tags = "-l --list --no-column --sort=text"

/** Subcommands that only read, once the workspace is trusted and the helpers a repository can configure are off. */
export const gitCommands: Readonly<Record<string, ReadOnlyCommand>> = {
  status: {
    options: `-s -b -z --short --branch --long --porcelain[=text] --show-stash --untracked-files[=text] -u[=text] --ignored[=text]
      --no-renames --ahead-behind --no-ahead-behind`,
    operands: "path"
  },
  diff: { options: `${shown} --cached --staged --merge-base`, operands: "path" },
  log: { options: `${shown} ${history}`, operands: "path", digits: true },
  show: { options: `${shown} --oneline --format=text --pretty[=text] --date=text`, operands: "path" },
  blame: {
    options: "-L=text -e -f -l -n -s -t -w --date=text --show-email --show-name --show-number",
    operands: "path"
  },
  branch: { options: branches, operands: "none" },
  "branch --list": listing(branches),
  "branch --merged": listing(branches),
  "branch --no-merged": listing(branches),
  tag: { options: tags, operands: "none" },
  "tag -l": listing(tags),
  "tag --list": listing(tags),
  "stash list": { options: "-n=number --oneline --date=text --stat", operands: "none", digits: true },
  "stash show": {
    options: "--stat[=text] --shortstat --numstat --name-only --name-status",
    operands: "text",
    form: /^stash@\{\d{1,4}\}$/,
    most: 1
  },
  "worktree list": { options: "-v --porcelain", operands: "none" },
  "remote get-url": { options: "--all --push", operands: "text", form: /^[\w.-]+$/, most: 1 },
  "config --get": {
    options: "",
    operands: "text",
    form: /^(?:user\.(?:name|email)|init\.defaultbranch|remote\.[\w-]+\.url)$/i,
    most: 1
  },
  grep: {
    options: `-n -i -l -L -c -w -v -E -F -P -G -h -H -o -I -q -e=text -A=number -B=number -C=number --line-number --ignore-case
      --name-only --files-with-matches --count --word-regexp --extended-regexp --fixed-strings --perl-regexp --cached
      --heading --break --show-function --and --or --not --max-depth=number --color[=text] --no-color`,
    operands: "path",
    lead: /^/,
    leadIn: "-e"
  },
  "cat-file": { options: "-t -s -e", operands: "path", most: 1 },
  "for-each-ref": { options: "--count=number --sort=text --format=text", operands: "text", form: /^refs[\w./*-]*$/ },
  "check-ignore": { options: "-v -q -n --verbose --quiet", operands: "path" },
  "count-objects": { options: "-v -H --verbose --human-readable", operands: "none" },
  remote: { options: "-v --verbose", operands: "none" },
  "ls-files": {
    options: "-c -d -m -o -s -t -v -z --cached --deleted --modified --others --stage --exclude-standard --full-name",
    operands: "path"
  },
  "ls-tree": { options: "-d -l -r -t -z --long --name-only --full-name --full-tree", operands: "path" },
  "rev-parse": {
    options:
      "--show-toplevel --show-prefix --show-cdup --abbrev-ref[=text] --short[=text] --verify --is-inside-work-tree --git-dir --quiet -q",
    operands: "path"
  },
  "rev-list": { options: `--count ${history}`, operands: "path" },
  cherry: { options: "-v --verbose --abbrev[=text]", operands: "path", most: 3 },
  "merge-base": { options: "--all --is-ancestor --fork-point --octopus", operands: "path" },
  describe: { options: "--all --tags --contains --long --always --abbrev[=text] --exact-match", operands: "path" },
  reflog: { options: "-n=number --oneline --date=text --format=text", operands: "none", digits: true },
  shortlog: { options: "-c -e -n -s --numbered --summary --email --since=text --until=text", operands: "path" }
}
