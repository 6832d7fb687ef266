import type { ReadOnlyCommand } from "./ReadOnlyCommands.ts"

const shown = `-p -u -s -R -w -b -U=number --patch --no-patch --stat[=text] --shortstat --numstat --summary --dirstat[=text] --name-only
  --name-status --raw --color[=text] --no-color --no-ext-diff --no-textconv --no-renames --find-renames[=text] --minimal
  --patience --histogram --word-diff[=text] --unified=number --ignore-all-space --ignore-space-change --relative
  --diff-filter=text --abbrev[=text] --no-abbrev --full-index --check --exit-code --quiet -z`

const history = `-n=number --oneline --graph --decorate[=text] --no-decorate --all --branches[=text] --tags[=text] --remotes[=text] --merges --no-merges
  --first-parent --reverse --date=text --format=text --pretty[=text] --author=text --committer=text --grep=text
  --since=text --after=text --until=text --before=text --max-count=number --skip=number --follow --abbrev-commit
  --no-abbrev-commit --topo-order --date-order --left-right --cherry-pick -i -E -F -S=text -G=text`

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
  branch: { options: "-a -r -v --all --remotes --verbose --show-current --list --no-color", operands: "none" },
  tag: { options: "-l --list --no-column", operands: "none" },
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
  "merge-base": { options: "--all --is-ancestor --fork-point --octopus", operands: "path" },
  describe: { options: "--all --tags --contains --long --always --abbrev[=text] --exact-match", operands: "path" },
  reflog: { options: "-n=number --oneline --date=text --format=text", operands: "none", digits: true },
  shortlog: { options: "-c -e -n -s --numbered --summary --email --since=text --until=text", operands: "path" }
}
