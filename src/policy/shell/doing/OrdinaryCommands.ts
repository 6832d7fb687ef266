import { sedScript } from "../SedScript.ts"
import type { OrdinaryCommand } from "./OrdinaryCommand.ts"

const text = (form?: RegExp, options = ""): OrdinaryCommand => ({
  options,
  operands: "text",
  ...(form !== undefined && { form })
})

const inserted = /^(?:\d{1,9}|\$|\/(?:[^/\\\n[]|\\[^\n])*\/)?[aic]\\?[^\n\\]*$/

const packed = {
  options: "-c -d -f -k -q -v -1 -9 -r -t -n --keep --stdout --force",
  writes: "all",
  unpacks: /\.[A-Za-z\d]+$/
} as const

const listing: OrdinaryCommand = {
  options: `-H -I -u -s -i -g -F -a -p -0 -1 -q -e=text -t=text -d=number -E=text -S=text -c=text --hidden --no-ignore --glob
    --fixed-strings --absolute-path --full-path --ignore-case --case-sensitive --extension=text --type=text --max-depth=number
    --min-depth=number --max-results=number --exclude=text --color=text --changed-within=text --changed-before=text --print0 --quiet`,
  operands: "path",
  lead: /^/
}

const shows: OrdinaryCommand = {
  options: `-p -n -A -P -l=text -r=text -H=text --plain --number --paging=text --color=text --style=text --theme=text --language=text
    --line-range=text --highlight-line=text --decorations=text --wrap=text --tabs=number --no-pager --show-all`,
  operands: "path",
  form: /^(?!cache$)/,
  refuses: /^cache$|^--paging=(?!never$|auto$)/
}

const download = `-s -S -f -L -i -I -v -k -g -G -q -4 -6 -# -o=write -O -J -R -X=text -H=data -d=data -A=text -e=text -m=number -w=data
  -u=text -C=text --silent --show-error --fail --fail-with-body --location --include --head --verbose --compressed --insecure
  --request=text --header=data --data=data --data-raw=data --data-urlencode=data --json=data --user-agent=text --max-time=number
  --connect-timeout=number --retry=number --retry-delay=number --retry-all-errors --output=write --remote-name --write-out=data
  --create-dirs --no-progress-meter --progress-bar --http1.1 --http2 --get --url=url --max-redirs=number --referer=text`

/**
 * Names of files that are no script of `sed` which reads or writes another one: where BSD's is told `-i`, what stands behind that is
 * its value, and the first file is the script.
 */
const noScript = /^(?![\d,$!\s]*[rw]\s*(?:\/|\.\.\/))(?!s(.).*\1.*\1[gpIi\d\s]*w\s*(?:\/|\.\.\/))[^;{}\\\n]*$/

/** Programs that work on files, and what their words make them do. What is not listed here is not known. */
export const ordinaryCommands: Readonly<Record<string, OrdinaryCommand>> = {
  mkdir: { options: "-p -v -m=text --parents --verbose --mode=text", operands: "write", content: "kept" },
  rmdir: { options: "-p -v --parents --ignore-fail-on-non-empty", operands: "write", content: "kept" },
  touch: {
    options: "-a -c -m -r=path -t=text -d=text --no-create --date=text --reference=path",
    operands: "write",
    content: "kept"
  },
  rm: {
    options: "-r -R -f -i -I -v -d --recursive --force --verbose --dir",
    operands: "write",
    content: "kept",
    removes: true
  },
  unlink: { options: "", operands: "write", content: "kept", removes: true },
  rimraf: { options: "", operands: "write", content: "kept", removes: true },
  truncate: { options: "-s=text -c --size=text --no-create", operands: "write", content: "kept" },
  cp: {
    options: `-a -f -i -n -p -r -R -u -v -L -P -d -l -s -x -T -t=write --archive --force --no-clobber --recursive --update[=text] --verbose
      --parents --preserve[=text] --no-preserve=text --target-directory=write --no-target-directory --dereference`,
    operands: "path",
    content: "copied",
    writes: "last",
    links: { with: "-l -s", symbolic: "-s" },
    least: 1,
    goesThrough: "-a -r -R --archive --recursive",
    // To some, -r is -R with -L.
    follows: "-L -r --dereference",
    keepsMode: "-a -p --archive --preserve"
  },
  mv: {
    options: `-f -i -n -u -v -T -t=write --force --no-clobber --update[=text] --verbose --target-directory=write
      --no-target-directory`,
    operands: "path",
    content: "copied",
    writes: "all",
    least: 1,
    goesThrough: true
  },
  ln: {
    options:
      "-s -f -n -v -r -T -t=write --symbolic --force --no-dereference --relative --verbose --target-directory=write",
    operands: "path",
    content: "copied",
    writes: "last",
    links: { symbolic: "-s --symbolic", relative: "-r --relative" }
  },
  install: {
    options: "-d -D -v -p -m=text -t=write --directory --mode=text --target-directory=write",
    operands: "path",
    content: "copied",
    writes: "last"
  },
  chmod: {
    options: "-v -c -f -R --recursive --verbose",
    operands: "write",
    content: "kept",
    lead: /^(?:[0-7]{3,4}|[ugoa]*[-+=][rwxXst]*(?:,[ugoa]*[-+=][rwxXst]*)*)$/
  },
  mktemp: { options: "-d -q -u -t --directory --suffix=text", operands: "write", content: "kept", most: 1 },
  tee: { options: "-a -i --append", operands: "write" },
  sort: {
    options: `-b -C -c -d -f -g -h -i -M -m -n -R -r -s -u -V -z -k=text -t=text -o=write --output=write --ignore-case --key=text --numeric-sort
      --reverse --stable --unique --version-sort --field-separator=text --human-numeric-sort`,
    operands: "path"
  },
  uniq: {
    options: "-c -D -d -i -u -z -f=number -s=number -w=number --count --repeated --unique --ignore-case",
    operands: "path",
    writes: "last",
    most: 2
  },
  xxd: {
    options: "-a -b -e -i -p -u -r -c=number -g=number -l=number -s=number",
    operands: "path",
    writes: "last",
    most: 2,
    bundles: false
  },
  split: {
    options: "-d -l=number -n=text -b=text -a=number -x --lines=number --bytes=text --numeric-suffixes[=text]",
    operands: "path",
    writes: "last",
    writesHere: ".",
    most: 2
  },
  sed: {
    options: `-n -E -r -s -u -i[=text] --in-place[=text] -e=script --quiet --silent --regexp-extended --expression=script`,
    operands: "path",
    lead: { test: (script) => sedScript.test(script) || inserted.test(script) },
    leadIn: "-e --expression",
    form: noScript,
    writes: { with: "-i --in-place" },
    // The suffix says where the file goes that it was.
    refuses: /^(?:-[nErsu]*i|--in-place=)[^/*]*[/*]/
  },
  tree: {
    options: `-a -d -f -i -p -s -h -D -F -C -n -N -q -Q -r -t -v -c -u -g -x -J -L=number -I=text -P=text -o=write --dirsfirst
      --noreport --gitignore --du --prune --sort=text`,
    operands: "path",
    bundles: false
  },
  gzip: { ...packed, operands: "write" },
  gunzip: { ...packed, operands: "write" },
  bzip2: { ...packed, operands: "write" },
  bunzip2: { ...packed, operands: "write" },
  xz: { ...packed, operands: "write" },
  unxz: { ...packed, operands: "write" },
  zcat: { options: "", operands: "path" },
  zip: {
    options: "-r -q -9 -j -u -v --recurse-paths",
    operands: "path",
    writes: "first",
    goesThrough: "-r --recurse-paths",
    follows: true
  },
  unzip: { options: "-l -o -q -n -j -v -t -d=write", operands: "path", fills: { at: "-d", with: "-l -v -t" } },
  diff: {
    options: `-a -B -b -c -d -E -i -N -p -q -r -s -t -u -w -y -U=number --brief --unified[=number] --recursive --side-by-side
      --color[=text] --ignore-all-space --ignore-space-change --strip-trailing-cr --new-file`,
    operands: "path",
    compares: true
  },
  base64: { options: "-d -w=number --decode --wrap=number", operands: "path" },
  strings: { options: "-a -n=number", operands: "path" },
  yq: { options: "-r -e -P -o=text -c", operands: "path", lead: /^(?![\s\S]*(?:env|load))[\w.[\]"| -]+$/ },
  fd: listing,
  fdfind: listing,
  bat: shows,
  batcat: shows,
  shasum: { options: "-a=number", operands: "path" },
  tail: {
    options: "-n=number -c=number -f -F -q -v --lines=number --bytes=number --follow[=text] --quiet",
    operands: "path",
    digits: true
  },
  curl: {
    options: download,
    operands: "url",
    saves: { with: "-O --remote-name" },
    fills: { only: "-J", at: "." }
  },
  wget: {
    options: `-q -c -nv -S -O=write -P=write -T=number -t=number -U=text --quiet --no-verbose --continue --spider --timeout=number
      --tries=number --header=text --user-agent=text --output-document=write --directory-prefix=write --show-progress
      --no-check-certificate --content-disposition`,
    operands: "url",
    saves: { without: "-O --output-document --spider", at: "-P --directory-prefix" },
    fills: { only: "--content-disposition", at: "-P" }
  },
  kill: text(/^\d{2,9}$|^%\d+$/, "-9 -15 -s=text -TERM -INT -KILL -HUP -0 -l"),
  ps: text(/^(?:aux?|ax|auxww?|axu|\d{1,9})$/, "-e -f -p=number -o=text -A -u=text -l -x --no-headers --sort=text"),
  pgrep: text(undefined, "-f -l -a -x -n -o -u=text -c"),
  lsof: text(/^[\w./:@-]+$/, "-i[=text] -p=number -u=text -c=text -s[=text] -a -t -n -P"),
  ss: { options: "-l -t -n -p -u -a -4 -6", operands: "none" },
  netstat: { options: "-l -t -n -p -u -a -r", operands: "none" },
  ping: text(/^[\w.-]+$/, "-c=number -W=number -w=number -q -4 -6"),
  dig: text(/^[\w.+-]+$/),
  host: text(/^[\w.-]+$/),
  nslookup: text(/^[\w.-]+$/),
  sleep: text(/^\d{1,5}(?:\.\d{1,3})?[sm]?$/),
  expr: text(/^[\w.+*/%<>=&|():-]*$/),
  man: text(/^[\w.+-]+$/),
  tput: text(/^[\w-]+$/),
  clear: text(/^$/),
  date: {
    options: "-u -R -I[=text] -d=text --utc --iso-8601[=text] --date=text",
    operands: "text",
    form: /^\+/,
    most: 1
  },
  crontab: { options: "-l", operands: "none", needs: "-l" },
  systemctl: {
    options: "--user --no-pager -n=number --all",
    operands: "text",
    lead: /^(?:status|is-active|is-enabled|list-units|cat)$/,
    form: /^[\w@.-]+$/
  },
  journalctl: { options: "-u=text -n=number -e -x --no-pager --since=text --user -b", operands: "none" }
}
