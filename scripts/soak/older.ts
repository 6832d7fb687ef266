// @effect-diagnostics asyncFunction:off globalConsole:off newPromise:off processEnv:off - a program to run by hand
// Two versions on one home: `node scripts/run.mjs scripts/soak/older.ts COMMIT` builds the older one aside and lets each read what the other wrote.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type Place, place, scripted } from "../../test/cli/command.ts"
import { built } from "../../test/support/built.ts"

const [commit = "HEAD~1"] = process.argv.slice(2)

interface Version {
  readonly name: string
  readonly program: string
}

const call = (name: string, args: object) => ({ steps: [{ call: { name, arguments: args } }] })
const says = (say: string) => ({ steps: [{ say }] })
const waits = "sleep 600"
/** Whatever a task meets: files, a command that fails, a worker, a tool that is not there. */
const task = [
  call("write_file", { path: "a.txt", content: "a\n" }),
  call("edit_file", { path: "a.txt", old_string: "a", new_string: "b" }),
  call("run_shell", { command: "cat a.txt; exit 3" }),
  call("delegate", { task: "Look." }),
  call("list_directory", { path: "." }),
  says("I looked."),
  call("nothing", {}),
  says("done")
]

const older = (): Version & { readonly remove: () => void } => {
  const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-older-")), "tree")
  execFileSync("git", ["worktree", "add", "--detach", folder, commit], { stdio: "pipe" })
  fs.symlinkSync(fs.realpathSync("node_modules"), path.join(folder, "node_modules"))
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: folder, stdio: "pipe" })
  return {
    name: `older (${commit})`,
    program: path.join(folder, "dist/tollgate.cjs"),
    remove: () => {
      execFileSync("git", ["worktree", "remove", "--force", folder], { stdio: "pipe" })
      fs.rmSync(path.dirname(folder), { recursive: true, force: true })
    }
  }
}

const run = ({ program }: Version, at: Place, args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [program, ...args], {
    cwd: at.work,
    env: { ...at.env },
    input: "",
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    timeout: 60_000
  })

const allow = ["--dangerously-allow-all"]

/** Kills a run of `first` at its command, as a crash would. */
const crash = (first: Version, at: Place): Promise<void> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [first.program, "run", "--continue", "--jsonl", ...allow, "crash"], {
      cwd: at.work,
      env: { ...at.env },
      stdio: ["ignore", "pipe", "ignore"]
    })
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("ToolCallStarted")) child.kill("SIGKILL")
    })
    child.on("close", () => resolve())
  })

const faults: Array<string> = []

/** `first` writes a log and dies in a task, `second` reads it and goes on, and `first` reads that. */
const between = async (first: Version, second: Version): Promise<void> => {
  const at = place()
  const expect = (who: Version, args: ReadonlyArray<string>, holds: (out: string) => boolean): string => {
    const { status, stderr, stdout } = run(who, at, args)
    const ok = status === 0 && holds(stdout) && !/\n\s+at \S/.test(stderr)
    console.log(`${ok ? "ok  " : "FAIL"} ${who.name}: tollgate ${args.join(" ")}`)
    if (!ok)
      faults.push(
        `${who.name}: tollgate ${args.join(" ")} ends with ${status}: ${stderr.slice(0, 600)}${stdout.slice(-300)}`
      )
    return stdout
  }
  try {
    scripted(at, task)
    const text = expect(first, ["run", "--jsonl", ...allow, "first"], (out) => out.includes("TaskCompleted"))
    const session = /"session":"([^"]+)"/.exec(text)?.[1] ?? ""
    scripted(at, [call("run_shell", { command: waits }), says("over")])
    await crash(first, at)
    const log = path.join(at.home, "log.jsonl")
    for (const reader of [second, first]) {
      expect(reader, ["sessions", "list"], (out) => out.includes("first"))
      expect(reader, ["sessions", "show", session], (out) => out.includes("done"))
      fs.writeFileSync(
        log,
        expect(reader, ["events", session, "--jsonl"], (out) => out.includes("TaskCompleted"))
      )
    }
    for (const reader of [second, first]) expect(reader, ["replay", log], (out) => out.includes("done"))
    scripted(at, [says("I go on.")])
    expect(second, ["run", "--continue", ...allow, "second"], (out) => out.includes("I go on."))
    scripted(at, [says("I am back.")])
    expect(first, ["run", "--continue", ...allow, "third"], (out) => out.includes("I am back."))
    for (const reader of [first, second]) {
      expect(reader, ["sessions", "show", session], (out) => out.includes("I am back."))
      expect(reader, ["approvals", "audit", "--verify"], () => true)
    }
  } finally {
    at.remove()
  }
}

const main = async (): Promise<void> => {
  const old = older()
  try {
    const now = { name: "newer", program: await built() }
    await between(now, old)
    await between(old, now)
  } finally {
    old.remove()
  }
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
void main()
