import { awkProgram } from "./AwkProgram.ts"
import { jqFilter } from "./JqFilter.ts"
import type { ReadOnlyCommand } from "./ReadOnlyCommand.ts"
import { sedScript } from "./SedScript.ts"

const grep = (options = ""): ReadOnlyCommand => ({
  options: `-E -F -G -P -i -v -w -x -y -c -l -L -o -q -s -b -H -h -n -T -Z -z -a -I -r -e=text -f=path -m=number -A=number
    -B=number -C=number --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case
    --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --only-matching
    --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --null
    --null-data --text --recursive --line-buffered --regexp=text --file=path --max-count=number --after-context=number
    --before-context=number --context=number --include=only --exclude=left --exclude-dir=leftDirectory --label=text
    --color[=text] --colour[=text] ${options}`,
  operands: "path",
  lead: /^/,
  leadIn: "-e -f --regexp --file",
  digits: true,
  descends: { only: "-r --recursive", hidden: true, follows: true }
})

const fd: ReadOnlyCommand = {
  options: `-t=text -e=text -d=number -E=text -g -i -s -F -a -p -0 -H -I -u -1 -q --type=text --extension=text --max-depth=number
    --min-depth=number --exact-depth=number --exclude=text --glob --ignore-case --case-sensitive --fixed-strings
    --absolute-path --full-path --print0 --hidden --no-ignore --no-ignore-vcs --unrestricted --max-results=number
    --quiet --color=text --changed-within=text --changed-before=text --size=text -S=text`,
  operands: "path",
  lead: /^/,
  leadIn: "-e -t --extension --type"
}

const checksum: ReadOnlyCommand = { options: "-b -t -z --binary --text --tag --zero", operands: "path" }

const awk: ReadOnlyCommand = {
  options: "-F=text -v=text",
  operands: "path",
  lead: awkProgram,
  computes: true,
  form: /^[^=]*$/,
  ordered: true
}

/** Only tells its version. */
const version = (options: string): ReadOnlyCommand => ({ options, operands: "none", needs: options })
const longVersion = version("--version")

/** A printf format without `%n`, which would set a variable, and without `%(…)T` and `*`. */
const printfFormat = /^(?:[^%]|%%|%[-+ 0#]{0,5}\d{0,4}(?:\.\d{0,4})?[sdiouxXcbqeEfgG])*$/

export const readOnlyCommands: Readonly<Record<string, ReadOnlyCommand>> = {
  ":": { options: "", operands: "text" },
  true: { options: "", operands: "text" },
  false: { options: "", operands: "text" },
  echo: { options: "", operands: "text", raw: true },
  printf: { options: "", operands: "text", lead: printfFormat },
  pwd: { options: "-L -P --logical --physical", operands: "none" },
  cd: { options: "", operands: "path", most: 1 },
  ls: {
    options: `-1 -A -a -B -b -C -c -d -F -f -G -g -h -i -k -l -m -N -n -o -p -Q -q -R -r -S -s -t -U -u -v -X -x -Z -I=path
      -w=number -T=number --all --almost-all --author --escape --ignore-backups --directory --classify[=text]
      --file-type --full-time --group-directories-first --no-group --human-readable --si --inode
      --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --reverse
      --recursive --size --color[=text] --format=text --indicator-style=text --quoting-style=text --sort=text
      --time=text --time-style=text --ignore=text --hide=text --block-size=text --width=number --zero`,
    operands: "path"
  },
  tree: {
    options: `-a -d -f -i -p -s -h -D -F -C -n -N -q -Q -r -t -v -c -u -g -x -L=number -I=text -P=text --dirsfirst --noreport
      --gitignore --du --prune --sort=text --matchdirs --ignore-case`,
    operands: "path",
    bundles: false
  },
  cat: {
    options: `-A -b -E -e -n -s -T -t -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs
      --show-nonprinting`,
    operands: "path"
  },
  tac: { options: "-b -r -s=text --before --regex --separator=text", operands: "path" },
  rev: { options: "", operands: "path" },
  head: {
    options: "-n=number -c=number -q -v -z --lines=number --bytes=number --quiet --silent --verbose --zero-terminated",
    operands: "path",
    digits: true
  },
  tail: {
    options: "-n=number -c=number -q -v -z --lines=number --bytes=number --quiet --silent --verbose --zero-terminated",
    operands: "path",
    digits: true
  },
  wc: {
    options: "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=text",
    operands: "path"
  },
  nl: {
    options: `-b=text -d=text -f=text -h=text -i=number -l=number -n=text -p -s=text -v=number -w=number --body-numbering=text
      --number-format=text --number-separator=text --number-width=number --starting-line-number=number`,
    operands: "path"
  },
  grep: grep(),
  egrep: grep(),
  fgrep: grep(),
  rg: {
    options: `-n -N -i -S -s -w -x -v -c -l -o -F -P -U -H -I -0 -q -p -a -b -e=text -f=path -A=number -B=number -C=number
      -m=number -g=glob -t=type -T=text -u -. -d=number -M=number -r=text -j=number --line-number --no-line-number
      --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --invert-match --count --count-matches
      --files-with-matches --files-without-match --only-matching --fixed-strings --pcre2 --multiline
      --multiline-dotall --with-filename --no-filename --null --quiet --pretty --text --byte-offset --column
      --no-column --heading --no-heading --json --files --stats --trim --vimgrep --passthru --crlf --no-messages
      --type-list --no-config --hidden --no-ignore --no-ignore-vcs --unrestricted --max-columns-preview
      --regexp=text --file=path --after-context=number --before-context=number --context=number --max-count=number
      --glob=glob --iglob=glob --type=type --type-not=text --max-depth=number --max-columns=number --max-filesize=text --replace=text --threads=number --sort=text
      --sortr=text --color=text --colors=text --context-separator=text`,
    operands: "path",
    lead: /^/,
    leadIn: "-e -f --regexp --file --files --type-list",
    descends: {
      never: "--files --type-list",
      hidden: "-t --type",
      uncovers: "-u -. --hidden --no-ignore --no-ignore-vcs --unrestricted"
    }
  },
  fd,
  fdfind: fd,
  sort: {
    options: `-b -C -c -d -f -g -h -i -M -m -n -R -r -s -u -V -z -k=text -t=text --ignore-leading-blanks --check[=text]
      --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort
      --merge --numeric-sort --random-sort --reverse --stable --unique --version-sort --zero-terminated --key=text
      --field-separator=text --sort=text`,
    operands: "path"
  },
  uniq: {
    options: `-c -D -d -i -u -z -f=number -s=number -w=number --count --repeated --unique --ignore-case --zero-terminated
      --skip-fields=number --skip-chars=number --check-chars=number --all-repeated[=text] --group[=text]`,
    operands: "path",
    most: 1,
    ordered: true
  },
  cut: {
    options: `-b=text -c=text -d=text -f=text -n -s -z --bytes=text --characters=text --delimiter=text --fields=text
      --only-delimited --complement --output-delimiter=text --zero-terminated`,
    operands: "path"
  },
  tr: {
    options: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1",
    operands: "text",
    most: 2
  },
  paste: { options: "-d=text -s -z --delimiters=text --serial --zero-terminated", operands: "path" },
  join: {
    options: "-a=number -e=text -i -j=number -1=number -2=number -o=text -t=text -v=number",
    operands: "path",
    most: 2
  },
  comm: {
    options: "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter=text --total",
    operands: "path",
    most: 2
  },
  fold: { options: "-b -s -w=number --bytes --spaces --width=number", operands: "path" },
  expand: { options: "-i -t=text --initial --tabs=text", operands: "path" },
  unexpand: { options: "-a -t=text --all --first-only --tabs=text", operands: "path" },
  column: { options: "-t -x -s=text -o=text -c=number -N=text -J --table", operands: "path" },
  od: { options: "-a -b -c -d -i -l -o -s -v -x -A=text -j=number -N=number -t=text", operands: "path" },
  xxd: {
    options: "-a -b -e -i -p -u -c=number -g=number -l=number -s=number",
    operands: "path",
    most: 1,
    ordered: true,
    bundles: false
  },
  hexdump: { options: "-b -C -c -d -o -v -x -n=number -s=number", operands: "path" },
  md5sum: checksum,
  sha1sum: checksum,
  sha224sum: checksum,
  sha256sum: checksum,
  sha384sum: checksum,
  sha512sum: checksum,
  b2sum: checksum,
  cksum: { options: "", operands: "path" },
  sum: { options: "-r -s", operands: "path" },
  stat: { options: "-c=text -L -t --format=text --printf=text --dereference --terse", operands: "path" },
  file: { options: "-b -h -i -L -N --brief --mime --mime-type --mime-encoding --dereference", operands: "path" },
  diff: {
    options: `-a -B -b -c -d -E -e -i -n -p -q -s -t -T -u -w -y -Z -C=number -U=number -W=number -I=text -F=text -x=text
      --text --brief --minimal --unified[=number] --context[=number] --side-by-side --ignore-case --ignore-all-space
      --ignore-space-change --ignore-blank-lines --ignore-trailing-space --ignore-tab-expansion
      --report-identical-files --strip-trailing-cr --suppress-common-lines --color[=text] --label=text --width=number
      --show-c-function --expand-tabs --initial-tab --normal`,
    operands: "path",
    most: 2,
    compares: true
  },
  cmp: {
    options: "-b -l -s -n=number --print-bytes --verbose --silent --quiet --bytes=number",
    operands: "path",
    most: 2
  },
  realpath: { options: "-e -m -L -P -q -s -z --relative-to=path --relative-base=path", operands: "path" },
  readlink: { options: "-e -f -m -n -q -s -v -z --canonicalize --no-newline", operands: "path" },
  basename: { options: "-a -s=text -z --multiple --suffix=text --zero", operands: "text" },
  dirname: { options: "-z --zero", operands: "text" },
  du: {
    options: `-a -b -c -h -H -k -m -s -S -x -d=number --all --apparent-size --bytes --total --human-readable --summarize
      --one-file-system --max-depth=number --exclude=text --si --time[=text]`,
    operands: "path"
  },
  df: {
    options: "-a -h -H -i -k -l -P -T --all --human-readable --si --inodes --local --portability --print-type",
    operands: "path"
  },
  seq: {
    options: "-w -s=text --equal-width --separator=text",
    operands: "text",
    form: /^-?\d{1,7}(?:\.\d{1,2})?$/,
    most: 3
  },
  sed: {
    options: "-n -E -r -s -u -e=script --quiet --silent --regexp-extended --expression=script",
    operands: "path",
    lead: sedScript,
    leadIn: "-e --expression",
    ordered: true
  },
  awk,
  gawk: awk,
  mawk: awk,
  jq: {
    options: `-r -c -e -s -n -S -j -a -C -M -R --raw-output --compact-output --exit-status --slurp --null-input --sort-keys
      --join-output --ascii-output --color-output --monochrome-output --raw-input --tab --indent=number --arg=pair
      --argjson=pair`,
    operands: "path",
    lead: jqFilter,
    computes: true
  },
  tar: {
    options: "-t -v -z -j -J -f=archive --list --verbose --gzip --bzip2 --xz --zstd --file=archive",
    operands: "text",
    form: /^[^-]/,
    needs: "-t --list",
    dashless: /^(?=[vzjJ]*t)[tvzjJ]*f$/
  },
  date: {
    options:
      "-u -R -I[=text] -d=text -r=path --utc --universal --rfc-email --iso-8601[=text] --rfc-3339=text --date=text --reference=path",
    operands: "text",
    form: /^\+/,
    most: 1,
    ordered: true
  },
  uname: {
    options: `-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine
      --processor --hardware-platform --operating-system`,
    operands: "none"
  },
  arch: { options: "", operands: "none" },
  nproc: { options: "--all", operands: "none" },
  hostname: { options: "-s -I --short", operands: "none" },
  uptime: { options: "-p -s --pretty --since", operands: "none" },
  free: { options: "-b -k -m -g -h -t -w --human --total --wide", operands: "none" },
  whoami: { options: "", operands: "none" },
  logname: { options: "", operands: "none" },
  tty: { options: "-s", operands: "none" },
  id: {
    options: "-u -g -G -n -r -z --user --group --groups --name --real",
    operands: "text",
    form: /^[\w.-]+$/,
    most: 1
  },
  groups: { options: "", operands: "text", form: /^[\w.-]+$/ },
  which: { options: "-a", operands: "text", form: /^[\w.+-]+$/ },
  type: { options: "-a -t -p -P -f", operands: "text", form: /^[\w.+-]+$/ },
  command: { options: "-v -V", operands: "text", form: /^[\w.+-]+$/, needs: "-v -V" },
  printenv: {
    options: "",
    operands: "text",
    form: /^(?:PATH|HOME|PWD|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TERM|TMPDIR|TZ|EDITOR|PAGER|NO_COLOR)$/,
    least: 1
  },
  sleep: { options: "", operands: "text", form: /^\d{1,2}(?:\.\d{1,3})?s?$/, most: 1 },
  locale: { options: "-a", operands: "none" },
  getconf: { options: "", operands: "text", form: /^[A-Z_]+$/, least: 1, most: 1 },
  lscpu: { options: "", operands: "none" },
  node: version("-v --version"),
  python: version("-V --version"),
  python3: version("-V --version"),
  perl: version("-v --version"),
  ruby: version("-v --version"),
  java: longVersion,
  javac: longVersion,
  bash: longVersion,
  gcc: longVersion,
  "g++": longVersion,
  cc: longVersion,
  clang: longVersion,
  make: version("-v --version"),
  cmake: longVersion,
  curl: version("-V --version"),
  sqlite3: longVersion,
  docker: version("-v --version")
}
