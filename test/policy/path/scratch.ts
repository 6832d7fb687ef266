import { Effect, Schema } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { PathContext } from "../../../src/policy/path/PathContext.ts"
import * as Tree from "../../corpus/Tree.ts"
import { corpusFile } from "../../support/corpora.ts"

export type Entry = readonly [kind: string, path: string, argument?: string | number]

export const secret = "PRIVATE KEY of the fixture"

/** A directory tree of its own, in which `/w`, `/home/u` … of the corpus stand for directories below a prefix. */
export class Scratch {
  readonly prefix = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-path-")))

  /** Puts an absolute path below the prefix, except what belongs to the kernel. */
  readonly at = (name: string): string => Tree.at(this, name)

  readonly build = (entries: ReadonlyArray<Entry>): void => {
    for (const entry of entries) {
      const [kind, name, argument = ""] = entry
      const target = this.at(name)
      if (kind === "rename") fs.renameSync(target, this.at(String(argument)))
      else if (kind === "unlink") fs.unlinkSync(target)
      else if (kind === "file" && name.includes(".ssh/")) Tree.put(this, ["text", name, secret])
      else Tree.put(this, Schema.decodeUnknownSync(Tree.Entry)(entry))
      if (kind === "fifo") execFileSync("mkfifo", [target])
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
