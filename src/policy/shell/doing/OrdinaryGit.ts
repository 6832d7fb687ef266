import type { OrdinaryCommand } from "./OrdinaryCommand.ts"

/** No address of a transport that runs a program, such as `ext::`. */
const remote = /^(?!.*::)[\w@.:/~+*^-]+$/
const resumes = "--continue --abort --skip --quit"

/** Subcommands of git that change the repository and the files in it, and run nothing but what the repository configures. */
export const ordinaryGit: Readonly<Record<string, OrdinaryCommand>> = {
  add: {
    options: "-A -u -v -n -f -p -N --all --update --force --patch --intent-to-add --dry-run --verbose --chmod=text",
    operands: "path"
  },
  commit: {
    options: `-m=text -a -s -S -v -q -n -e -F=path -C=text -p --amend --no-edit --no-verify --allow-empty --message=text --file=path
      --signoff --author=text --date=text --fixup=text --squash=text --dry-run --quiet --all --verbose --no-gpg-sign --trailer=text`,
    operands: "path"
  },
  checkout: {
    options: "-b=text -B=text -t -q -f -p --track --detach --orphan=text --quiet --ours --theirs --force",
    operands: "path"
  },
  switch: {
    options: "-c=text -C=text -d -q -t --create=text --detach --quiet --track --discard-changes",
    operands: "text"
  },
  restore: { options: "-s=text -q -S -W -p --staged --worktree --source=text --quiet", operands: "path" },
  reset: { options: "-q -p --soft --mixed --keep --hard --merge --quiet", operands: "path" },
  stash: {
    options: "-u -m=text -k -p -q --include-untracked --message=text --keep-index --index --patch --stat --all",
    operands: "text"
  },
  branch: {
    options:
      "-d -D -m -M -c -f -u=text -t -q -v -a --delete --move --copy --force --set-upstream-to=text --unset-upstream --track --no-track",
    operands: "text",
    form: remote
  },
  fetch: {
    options:
      "-p -t -f -q -v --all --prune --tags --no-tags --force --depth=number --deepen=number --unshallow --dry-run --quiet",
    operands: "text",
    form: remote
  },
  pull: {
    options:
      "-r -p -t -q -v --rebase[=text] --no-rebase --ff-only --ff --no-ff --autostash --prune --tags --no-edit --quiet --depth=number",
    operands: "text",
    form: remote
  },
  clone: {
    options:
      "-q -v -n -b=text --depth=number --branch=text --single-branch --bare --no-checkout --no-tags --filter=text --quiet",
    operands: "write",
    form: remote,
    lead: /^(?:https:\/\/|git@[\w.-]+:)(?!.*::)[\w@.:/~+-]+$/,
    most: 1
  },
  merge: {
    options: `-m=text -q --no-ff --ff-only --ff --squash --no-commit --no-edit --quiet ${resumes}`,
    operands: "text",
    form: remote
  },
  rebase: {
    options: `-i -q -r --interactive --onto=text --autostash --autosquash --keep-base --root --rebase-merges --quiet ${resumes}`,
    operands: "text",
    form: remote
  },
  "cherry-pick": {
    options: `-x -n -e -s -m=number --no-commit --edit --signoff ${resumes}`,
    operands: "text",
    form: remote
  },
  revert: { options: `-n -e -s -m=number --no-commit --no-edit --edit ${resumes}`, operands: "text", form: remote },
  tag: {
    options: "-a -d -f -s -m=text -n -l --annotate --delete --force --message=text --list",
    operands: "text",
    form: remote
  },
  rm: { options: "-r -f -q -n --cached --force --quiet --dry-run --ignore-unmatch", operands: "write" },
  mv: { options: "-f -k -n -v --force --dry-run --verbose", operands: "write" },
  init: { options: "-q -b=text --quiet --initial-branch=text", operands: "write", most: 1 },
  clean: { options: "-d -f -n -x -X -i -q -e=text --dry-run --force --quiet", operands: "write" },
  remote: { options: "-v --verbose -f --prune", operands: "text", form: remote },
  worktree: {
    options: "-v -b=text -B=text -f -d --force --detach --porcelain",
    operands: "write",
    lead: /^(?:add|list|prune|remove|lock|unlock)$/
  },
  "ls-remote": { options: "-h -t -q --heads --tags --refs --quiet", operands: "text", form: remote },
  reflog: { options: "-n=number --oneline --date=text", operands: "text", form: /^(?:show|HEAD|[\w./@{}-]+)$/ },
  bisect: { options: "", operands: "text", lead: /^(?:start|good|bad|skip|reset|log|new|old)$/, form: remote },
  gc: { options: "-q --auto --quiet", operands: "none" },
  fsck: { options: "--full", operands: "none" },
  diff: { options: "--no-index --stat -w -U=number --name-only", operands: "path" },
  help: { options: "", operands: "text", form: /^[\w-]+$/ },
  version: { options: "", operands: "none" },
  config: {
    options:
      "--get --get-all --get-regexp --list -l --show-origin --show-scope --global --local --system --unset --unset-all --add --bool --int",
    operands: "text"
  }
}

/** Settings of git that run no program and name no file. */
export const harmlessSetting =
  /^(?:color\.|advice\.|user\.(?:name|email|signingkey)$|author\.|committer\.|core\.(?:quotepath|autocrlf|eol|ignorecase|filemode|safecrlf|abbrev|commentchar|longpaths|precomposeunicode|symlinks|whitespace)$|pull\.(?:rebase|ff)$|push\.(?:default|autosetupremote)$|init\.defaultbranch$|merge\.(?:conflictstyle|ff|renamelimit)$|diff\.(?:algorithm|renames|renamelimit|colormoved|mnemonicprefix|noprefix)$|fetch\.|rebase\.(?:autostash|autosquash|updaterefs)$|commit\.(?:gpgsign|verbose)$|tag\.(?:sort|gpgsign)$|branch\.[\w./-]+\.(?:remote|merge|rebase)$|log\.(?:date|decorate)$|help\.autocorrect$|gc\.auto$|rerere\.enabled$|http\.(?:postbuffer|lowspeed\w+)$|status\.|column\.|feature\.|index\.|pack\.)/i

/** Settings whose value is a program or a place that programs are taken from; others are taken for ones of these where they run something. */
export const runningSetting =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand|attributesfile|worktree)|alias\..*|include(?:if\..*)?\.path|pager\..*|sequence\.editor|credential\.(?:.*\.)?helper|diff\.external|diff\..*\.(?:command|textconv)|(?:merge|diff)tool\..*\.(?:cmd|path)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|gpg\.(?:.*\.)?program|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack|vcs)|browser\..*\.(?:cmd|path)|man\..*\.(?:cmd|path)|interactive\.difffilter|trailer\..*\.(?:command|cmd)|sendemail\..*cmd|init\.templatedir|protocol\..*|url\..*\.(?:insteadof|pushinsteadof))$/i
