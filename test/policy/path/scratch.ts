import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { PathContext } from "../../../src/policy/path/PathContext.ts"
import { corpusFile } from "../../support/corpora.ts"

export type Entry = readonly [kind: string, path: string, argument?: string | number]

export const secret = "PRIVATE KEY of the fixture"

const system = /^\/(?:proc|sys|dev)(?:\/|$)/

/** A directory tree of its own, in which `/w`, `/home/u` … of the corpus stand for directories below a prefix. */
export class Scratch {
  readonly prefix = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-path-")))

  /** Puts an absolute path below the prefix, except what belongs to the kernel. */
  readonly at = (name: string): string => (name.startsWith("/") && !system.test(name) ? `${this.prefix}${name}` : name)

  readonly build = (entries: ReadonlyArray<Entry>): void => {
    for (const [kind, name, argument = ""] of entries) {
      const target = this.at(name)
      fs.mkdirSync(path.dirname(target), { recursive: true })
      const text = String(argument)
      if (kind === "dir") fs.mkdirSync(target, { recursive: true })
      else if (kind === "file") fs.writeFileSync(target, name.includes(".ssh/") ? secret : `content of ${name}\n`)
      else if (kind === "text") fs.writeFileSync(target, text.replaceAll(/(?<=gitdir: )\//g, `${this.prefix}/`))
      else if (kind === "bytes") fs.writeFileSync(target, Buffer.from(text, "hex"))
      else if (kind === "symlink") fs.symlinkSync(this.at(text), target)
      else if (kind === "hardlink") fs.linkSync(this.at(text), target)
      else if (kind === "fifo") execFileSync("mkfifo", [target])
      else if (kind === "sparse") fs.closeSync(this.grow(target, Number(argument)))
      else if (kind === "rename") fs.renameSync(target, this.at(text))
      else if (kind === "unlink") fs.unlinkSync(target)
      else throw new Error(`the corpus has an unknown entry: ${kind}`)
    }
  }

  readonly context = (given: Partial<PathContext> = {}): PathContext => ({
    cwd: this.at("/w"),
    roots: [this.at("/w")],
    home: this.at("/home/u"),
    trusted: false,
    stateDirs: [this.at("/w/.tollgate"), this.at("/home/u/.local/state/tollgate")],
    ...given
  })

  readonly text = (name: string): string => fs.readFileSync(this.at(name), "utf8")

  /** Every file with its content outside of one directory. */
  readonly snapshot = (except: string): ReadonlyMap<string, string> => {
    const found = new Map<string, string>()
    const visit = (directory: string): void => {
      for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
        const name = `${directory}/${entry.name}`
        if (name === this.at(except)) continue
        if (entry.isDirectory()) visit(name)
        else found.set(name, entry.isFile() ? fs.readFileSync(name, "utf8") : "not a file")
      }
    }
    visit(this.prefix)
    return found
  }

  /** Names left behind by an unfinished write. */
  readonly leftovers = (): ReadonlyArray<string> =>
    fs.readdirSync(this.prefix, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"))

  readonly grow = (target: string, size: number): number => {
    const file = fs.openSync(target, "w")
    fs.ftruncateSync(file, size)
    return file
  }

  readonly remove = (): void => fs.rmSync(this.prefix, { recursive: true, force: true })

  /** The fixture of the corpus, removed with the scope. */
  static readonly fixture = Effect.acquireRelease(
    Effect.sync(() => {
      const scratch = new Scratch()
      scratch.build(corpusFile("b_paths.fixture.json") as ReadonlyArray<Entry>)
      return scratch
    }),
    (scratch) => Effect.sync(scratch.remove)
  )
}

/** How many descriptors this process holds. */
export const descriptors = (): number => fs.readdirSync("/proc/self/fd").length
