import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"

type Command = readonly [string, ...ReadonlyArray<string>]

/** What of a project some commands run. */
export interface ProgramFiles {
  /** SHA-256 of the files that the commands name and of those that these name in turn, in hexadecimal. */
  readonly digest: string
  /** Those files, in order. */
  readonly files: ReadonlyArray<string>
  /** Something may run that no text names: a task runner, a shell, an import by a computed name. */
  readonly open: boolean
}

/** Bytes of a file, and files, that commands may run. */
const maxSize = 4 * 1024 * 1024
const maxFiles = 500

const isWithin = (file: string, directory: string): boolean => file.startsWith(`${directory}${path.sep}`)

const isFile = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true

const isDirectory = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true

type Language = "node" | "python"

const languageOf = (program: string): Language | undefined =>
  /^node(?:js)?$/.test(program) ? "node" : /^python[\d.]*$/.test(program) ? "python" : undefined

/** By what a text reaches what it does not name. */
const computed: Readonly<Record<Language, RegExp>> = {
  node: /\brequire\b(?!\s*\(\s*["'][^"'$]*["']\s*\))|\bimport\s*\((?!\s*["'][^"'$]*["']\s*\))|\bcreateRequire\b|\beval\b|\bFunction\s*\(|\b(?:node:)?(?:child_process|worker_threads|cluster|vm|module)\b["']|\bdlopen\b/,
  python:
    /\b(?:importlib|__import__|runpy|pkgutil|subprocess|multiprocessing|ctypes|zipimport)\b|\b(?:eval|exec|execfile|compile)\s*\(|\bos\s*\.\s*(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*)\b|\bsys\s*\.\s*path\b/
}

const extensions = [".js", ".mjs", ".cjs", ".json", ".node", ".ts", ".mts", ".cts", ".py", ".sh"]
const indices = ["package.json", ...extensions.map((extension) => `index${extension}`), "__init__.py"]

const npm = /^(?:npm|npx|pnpm|yarn|bun)$/

/** How a file that is run by its own name says what runs it. */
const shebang = (text: string): Language | undefined => {
  const [, program = ""] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(text) ?? []
  return languageOf(path.basename(program))
}

/** Follows commands through the files of a project. */
class Following {
  readonly found = new Map<string, string>()
  open = false
  private readonly names = new Map<string, ReadonlySet<string>>()

  private readonly project: string

  constructor(project: string) {
    this.project = project
  }

  command([program, ...args]: Command): void {
    for (const word of [program, ...args]) this.file(path.resolve(this.project, word), undefined)
    const name = path.basename(program)
    const own = path.resolve(this.project, program)
    if (program.includes("/") && isWithin(own, this.project)) return this.script(own, undefined)
    if (npm.test(name)) this.file(path.join(this.project, "package.json"), undefined)
    const language = languageOf(name)
    const [first = "", second] = args
    if (language === undefined) this.open = true
    else if (/^(?:-e|-p|-c|--eval|--print)$/.test(first) && second !== undefined)
      this.text(second, this.project, language)
    else if (first.startsWith("-") || first === "") this.open = true
    else this.script(path.resolve(this.project, first), language)
  }

  private script(file: string, language: Language | undefined): void {
    if (!isFile(file)) {
      this.open = true
      return
    }
    const runs = language ?? shebang(fs.readFileSync(file, "utf8").slice(0, 200))
    if (runs === undefined) this.open = true
    this.found.delete(file)
    this.file(file, runs)
    // What lies beside a Python program shadows every module, also those that the library itself imports.
    if (runs === "python") this.below(path.dirname(file), /\.(?:py|pyc|pyd|so|zip)$/)
    if (runs === "node")
      for (let at = path.dirname(file); at.startsWith(this.project); at = path.dirname(at))
        this.file(path.join(at, "package.json"), undefined)
  }

  private below(directory: string, names: RegExp): void {
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      const file = path.join(directory, entry.name)
      if (entry.isDirectory()) this.below(file, names)
      else if (names.test(entry.name)) this.file(file, "python")
    }
  }

  private file(file: string, language: Language | undefined): void {
    if (this.found.has(file) || !isWithin(file, this.project) || !isFile(file)) return
    if (this.found.size >= maxFiles) throw new Error(`they run more than ${maxFiles} files`)
    if (fs.statSync(file).size > maxSize) throw new Error(`they run ${file}, which is larger than ${maxSize} bytes`)
    const bytes = fs.readFileSync(file)
    this.found.set(file, crypto.createHash("sha256").update(bytes).digest("hex"))
    const spoken = language ?? (/\.[cm]?[jt]s$/.test(file) ? "node" : file.endsWith(".py") ? "python" : undefined)
    this.text(bytes.toString("utf8"), path.dirname(file), spoken)
  }

  private text(text: string, directory: string, language: Language | undefined): void {
    if (language !== undefined && computed[language].test(text)) this.open = true
    for (const word of new Set(text.match(/[\w@.+~/-]+/g) ?? [])) {
      if (word.length > 200) continue
      for (const base of new Set([directory, this.project])) {
        for (const name of word.includes(".") ? [word, word.replaceAll(".", "/")] : [word])
          this.named(base, name, language)
      }
    }
  }

  private named(base: string, name: string, language: Language | undefined): void {
    const [first = ""] = name.split("/").filter((part) => part !== "" && part !== "." && part !== "..")
    const modules = language === "node" && !name.startsWith(".")
    if (!name.includes("..") && !this.entries(base).has(first)) {
      if (modules && first !== "" && this.isPackage(base, first)) this.open = true
      return
    }
    const place = path.resolve(base, name)
    for (const file of [place, ...extensions.map((extension) => place + extension)]) this.file(file, undefined)
    if (isWithin(place, this.project) && isDirectory(place))
      for (const index of indices) this.file(path.join(place, index), undefined)
  }

  /** What packages run is more than their texts name. */
  private isPackage(base: string, name: string): boolean {
    for (let at = base; at.startsWith(this.project); at = path.dirname(at))
      if (this.entries(path.join(at, "node_modules")).has(name)) return true
    return false
  }

  /** The names in a directory, and those without their endings. */
  private entries(directory: string): ReadonlySet<string> {
    const known = this.names.get(directory)
    if (known !== undefined) return known
    const names = isDirectory(directory) ? fs.readdirSync(directory) : []
    const all = new Set(names.flatMap((name) => [name, name.replace(/\.[^.]*$/, "")]))
    this.names.set(directory, all)
    return all
  }
}

/** Follows commands, which run at the top of the project; throws where they run too much to be looked at. */
export const follow = (project: string, commands: ReadonlyArray<Command>): ProgramFiles => {
  const following = new Following(project)
  for (const command of commands) following.command(command)
  const digest = crypto.createHash("sha256")
  const found = [...following.found].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [file, content] of found) digest.update(`${path.relative(project, file)}\0${content}\0`)
  return { digest: digest.digest("hex"), files: found.map(([file]) => file), open: following.open }
}

/** Entries of a project of which every change can be seen. */
const maxEntries = 20_000

/**
 * Changes with every change to any file of a project but what version control keeps for itself: by the time at which the
 * system saw it change, which no program sets. Undefined where the project is too large.
 */
export const state = (project: string): string | undefined => {
  const digest = crypto.createHash("sha256")
  let entries = 0
  const visit = (directory: string): boolean => {
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      if (directory === project && entry.name === ".git") continue
      if (++entries > maxEntries) return false
      const file = path.join(directory, entry.name)
      const { ctimeNs, ino, mode, size } = fs.lstatSync(file, { bigint: true })
      digest.update(`${file}\0${mode} ${ino}${entry.isDirectory() ? "" : ` ${size} ${ctimeNs}`}\0`)
      if (entry.isDirectory() && !visit(file)) return false
    }
    return true
  }
  return visit(project) ? digest.digest("hex") : undefined
}
