import type { Literal } from "../Literal.ts"
import { plain } from "./Unknown.ts"

/** Variables that only tell programs how to show, log or test, by any value. */
const harmless =
  /^(?:CI|DEBUG|VERBOSE|TERM|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ|PORT|HOST|DISPLAY|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|[A-Z]|(?:NODE|APP|RAILS|RACK|FLASK|BABEL|TEST)_?ENV|GO_ENV|ENVIRONMENT|LOG_?LEVEL|RUST_(?:LOG|BACKTRACE|TEST_THREADS)|GO(?:OS|ARCH|ARM|AMD64|MAXPROCS|GC|111MODULE)|CGO_ENABLED|SOURCE_DATE_EPOCH|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|WARNINGS|UTF8|IOENCODING)|CARGO_(?:TERM_\w+|INCREMENTAL|BUILD_JOBS)|NEXT_TELEMETRY_DISABLED|DO_NOT_TRACK|GIT_(?:TERMINAL_PROMPT|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE))|DEBIAN_FRONTEND|HOMEBREW_NO_\w+|(?:TEST|VITEST|JEST|PLAYWRIGHT|CYPRESS|FAST_CHECK)_(?![A-Z_]*(?:BINARY|HOST|PATH|EXECUTABLE|DIR|MODULE|CONFIG|URL|PROXY))[A-Z_]+)$/

const shows = /^(?:GIT_PAGER|PAGER|MANPAGER|GH_PAGER|BAT_PAGER|EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR)$/

/** Names by which the shell, or a program that it starts, takes orders. */
const ordering =
  /^(?:PATH|IFS|ENV|HOME|SHELL|PS[0-4]|CDPATH|OLDPWD|PWD|TMPDIR|HISTFILE|HISTCONTROL|FCEDIT|EDITOR|VISUAL|BROWSER|CC|CXX|CPP|LD|AR|AS|GLOBIGNORE|SHELLOPTS|BASHOPTS|OPTIND|RANDOM|SECONDS|[A-Z_]*(?:PAGER|OPTIONS?|OPTS?|FLAGS|COMMAND|PROGRAM|CONFIG\w*|PROXY|ASKPASS|WRAPPER|PATH|HOME|DIR)|(?:LD|BASH|GIT|NODE|NPM|PYTHON|PERL5?|RUBY|JAVA|JDK|RUSTC?|CARGO|GO|MAKE|TAR|LESS|MAN|SSH|SUDO|DYLD|XDG|GCONV|LOC|RSYNC|CVS|PG|DOCKER|KUBE|AWS|CURL|WGET)[A-Z_0-9]*)$/i

/** Values that turn something on or off, for variables that no tool takes orders by. */
const switches = /^(?:\d{1,6}|true|false|yes|no|on|off|)$/
const guards =
  /VERIFY|INSECURE|UNSAFE|TRUST|ALLOW|SCRIPT|SHELL|SSL|TLS|PRELOAD|^(?:PIP|UV|POETRY|BUNDLE|GEM|YARN|PNPM|BUN|DENO|DOTNET|NUGET|MAVEN|GRADLE)/i

/** Variables by which tools take orders, with values by which they load and run nothing else than they would. */
const known: ReadonlyMap<string, RegExp> = new Map([
  [
    "NODE_OPTIONS",
    /^(?:(?:--max[-_]old[-_]space[-_]size=\d+|--(?:no-(?:deprecation|warnings)|trace-(?:warnings|deprecation|uncaught)|enable-source-maps|experimental-vm-modules)) ?)+$/
  ],
  ["NODE_NO_WARNINGS", /^1$/],
  ["PYTEST_ADDOPTS", /^(?:-[qvxs]+ ?)+$/],
  ["PYTHONPATH", /^(?!.*(?:^|[/:])\.\.(?:[/:]|$))[\w.-][\w./-]*(?::[\w.-][\w./-]*)*$/],
  ["RUSTFLAGS", /^(?:-[ADW] ?[\w:-]+ ?)+$/]
])

/** Whether giving a variable to a program leaves what it does as it is known. */
export const isHarmlessFor = (name: string, value: string | undefined, program?: string): boolean => {
  if (shows.test(name)) return /^(?:cat|true|:|)$/.test(value ?? "?")
  if (harmless.test(name) || (name === "IFS" && program === "read")) return true
  if (value === undefined) return false
  return known.get(name)?.test(value) ?? (switches.test(value) && !ordering.test(name) && !guards.test(name))
}

/** Whether a variable of the shell is but a name in its text. */
export const isOwnName = (name: string): boolean => harmless.test(name) || !ordering.test(name)

/** Directories from which a program loads what it is given a variable for. */
export const loadedFrom = (name: string, value = ""): ReadonlyArray<Literal> =>
  name === "PYTHONPATH" ? value.split(":").map((place) => ({ ...plain, value: place })) : []
