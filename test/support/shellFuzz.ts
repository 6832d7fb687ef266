import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import type { ToolsetInvalid } from "../../src/gate/GateError.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Memory } from "../../src/memory/Memory.ts"
import type * as PathContext from "../../src/policy/path/PathContext.ts"
import { readOnlyCommands } from "../../src/policy/shell/ReadOnlyCommands.ts"
import { words } from "../../src/policy/shell/ShellPolicy.ts"
import { environment as environmentOf, systemPath } from "../../src/process/Environment.ts"
import type { Processes } from "../../src/process/Processes.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type { SandboxReason } from "../../src/sandbox/SandboxPolicy.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { RunShell } from "../../src/tools/RunShell.ts"
import { command, plainText, shellNoise, shellText, textsOf } from "../policy/shell/ShellTexts.ts"
import { agentText } from "./agentText.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"
import { composedText } from "./composedText.ts"
import { escorted, paired, tempting } from "./temptingText.ts"

export interface FuzzReport {
  readonly texts: number
  readonly allowed: number
  readonly executed: number
  /** How many programs were seen to start; undefined where there is no strace, and only files were compared. */
  readonly started: number | undefined
  /** Why nothing was executed, where nothing was. */
  readonly reason: SandboxReason
  readonly violations: ReadonlyArray<string>
}

const joiner = FastCheck.constantFrom("; ", " && ", " || ", " | ", "\n")
const listed = FastCheck.constantFrom(...textsOf("allowed").filter((text) => !/[\n#]/.test(text)))

/** Texts of all kinds, many of which the policy allows. */
export const fuzzText: FastCheck.Arbitrary<string> = FastCheck.oneof(
  { arbitrary: plainText, weight: 6 },
  { arbitrary: shellText, weight: 2 },
  { arbitrary: tempting, weight: 8 },
  { arbitrary: paired, weight: 8 },
  { arbitrary: escorted, weight: 1 },
  { arbitrary: command, weight: 2 },
  { arbitrary: shellNoise, weight: 1 },
  { arbitrary: agentText, weight: 16 },
  { arbitrary: composedText, weight: 16 },
  {
    arbitrary: FastCheck.tuple(listed, joiner, FastCheck.oneof(command, listed)).map((parts) => parts.join("")),
    weight: 2
  }
)

/** In every file that may not be shown unasked. */
const withheld = "kept-from-view"

/** Names that a glob turns into options, and a link and files that nothing may change or show. */
const files: Readonly<Record<string, string>> = {
  "w/a": "one\ntwo\n",
  "w/b.txt": "b\nb\na\n",
  "w/1": "1\n",
  "w/5": "5\n",
  "w/in": "in\n",
  "w/out": "out\n",
  "w/README.md": "# read me\n",
  "w/src/x.ts": "export const x = 1 // TODO\n",
  "w/src/a": "a\n",
  "w/data.json": '{"a":{"b":[1]},"c":"a"}\n',
  "w/deep/a.ts": "a\n",
  "w/.env": `NAME=${withheld}\n`,
  "w/-delete": "",
  "w/--output=PWNED": "",
  "w/-oPWNED": "",
  "w/--pre=x": "",
  "w/a b": "two words\n",
  "w/x ../sibling/kept": "in a directory of two words\n",
  "w/sub/-rf.ts": "",
  "w/sub/two\nlines.ts": "",
  "w/sub/.env": `${withheld}\n`,
  "w/sub/c.ts": "c\n",
  "w/x": "#!/bin/sh\ntouch PWNED\n",
  "w/ls": "#!/bin/sh\ntouch PWNED\n",
  "sibling/kept": `${withheld}\n`,
  "home/.ssh/id_rsa": `${withheld}\n`,
  "home/.bashrc": "touch PWNED\n"
}

/** Programs that the repository would have git run for what a reader does. */
const hostile = (work: string): ReadonlyArray<readonly [string, string]> =>
  (
    [
      "core.fsmonitor core.pager diff.external diff.evil.textconv diff.evil.command filter.evil.clean filter.evil.smudge",
      "filter.evil.process gpg.program alias.status alias.x interactive.diffFilter core.editor core.sshCommand pager.log",
      "core.alternateRefsCommand blame.evil credential.helper grep.evil"
    ] as const
  )
    .flatMap((names) => names.split(" "))
    .map((name) => [name, `${name.startsWith("alias") ? "!" : ""}touch ${work}/PWNED; cat`] as const)

/** A repository that runs programs, and whose past holds a file that may not be shown. */
const plantRepository = (work: string): void => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@example.com", ...args], { cwd: work, stdio: "pipe" })
  git("init", "-q", "-b", "main")
  fs.writeFileSync(path.join(work, "old.pem"), `${withheld}\n`)
  git("add", "-f", "a", "old.pem")
  git("commit", "-qm", "first")
  git("rm", "-q", "old.pem")
  git("add", "a", "b.txt", "src", "README.md", "data.json", "deep")
  git("commit", "-qm", "second")
  fs.writeFileSync(path.join(work, ".gitattributes"), "*.txt filter=evil diff=evil\n")
  fs.writeFileSync(path.join(work, "a"), "one\nthree\n")
  git("stash", "-q")
  fs.writeFileSync(path.join(work, "b.txt"), "changed\n")
  git("tag", "v1")
  for (const [name, value] of [...hostile(work), ["core.hooksPath", "hooks"], ["log.showSignature", "true"]] as const)
    git("config", name, value)
}

const plant = (base: string): void => {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true })
    fs.writeFileSync(path.join(base, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 })
  }
  fs.mkdirSync(path.join(base, "trace"))
  fs.symlinkSync("../sibling/kept", path.join(base, "w/link"))
  fs.symlinkSync("../../sibling/kept", path.join(base, "w/sub/link.ts"))
  execFileSync("tar", ["-cf", "x.tar", "a", "src"], { cwd: path.join(base, "w") })
  execFileSync("tar", ["-czf", "x.tgz", "a", "src"], { cwd: path.join(base, "w") })
  plantRepository(path.join(base, "w"))
}

/** Everything below a directory but the trace: names, kinds, permissions, sizes, times of change and contents. */
const hash = (base: string): string => {
  const all = createHash("sha256")
  const visit = (place: string): void => {
    const stat = fs.lstatSync(place, { bigint: true })
    all.update(`${place}\0${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.nlink}\0`)
    if (stat.isSymbolicLink()) all.update(fs.readlinkSync(place))
    else if (stat.isFile()) all.update(fs.readFileSync(place))
    else if (stat.isDirectory()) for (const name of fs.readdirSync(place).sort()) visit(path.join(place, name))
  }
  for (const name of fs.readdirSync(base).sort()) if (name !== "trace") visit(path.join(base, name))
  return all.digest("hex")
}

/** What the policy has a table or a grammar for. */
const onList = new Set([...Object.keys(readOnlyCommands), "find", "test", "[", "git", "xargs"])
const programDirectories = new Set([...systemPath.split(":"), "/usr/lib/git-core"])
/** Scripts of the system that become another program, which is on the list as well. */
const becomes: Readonly<Record<string, string>> = { egrep: "grep", fgrep: "grep" }
/** What `tar` lets decompress an archive. */
const helpers = new Set(["gzip", "bzip2", "xz", "zstd"])
/** What runs a text: a shell that sets limits, and bash in its place. */
const runners = ["sh", "bash"]

const opensWithheld = /open(?:at)?\(.*(?:\.env|id_rsa|(?<!"x \.\.\/sibling)\/kept|\.bashrc|old\.pem)".* = \d/

/** What the trace has that a text on the list does not do. */
const suspicious = (trace: string, text: string): ReadonlyArray<string> => {
  const named = words(text)?.flatMap(([name = ""]) => [name, becomes[name]])
  const found: Array<string> = []
  let started = 0
  for (const line of trace.split("\n")) {
    if (/connect\(.*AF_INET/.test(line)) found.push(`a connection: ${line}`)
    if (opensWithheld.test(line)) found.push(`a withheld file: ${line}`)
    const [, program] = /exec(?:ve|veat)\("([^"]*)".* = 0$/.exec(line) ?? []
    if (program === undefined) continue
    const name = path.basename(program)
    const runner = runners[started++]
    if (runner !== undefined) {
      if (runner !== name) found.push(`started ${program} in place of ${runner}`)
      continue
    }
    if (helpers.has(name) && text.includes("tar")) continue
    const known = onList.has(name) && (named === undefined || named.includes(name) || /xargs|-exec/.test(text))
    if (!known || !programDirectories.has(path.dirname(program))) found.push(`started ${program}`)
  }
  return found
}

const strace = ["/usr/bin/strace", "/usr/local/bin/strace"].find((file) => fs.existsSync(file))

/**
 * Gives `run_shell` so many random texts in a hostile workspace, behind the whole gate, with nobody to approve. What runs then may
 * write in the workspace as far as the sandbox is concerned, so that only the policy keeps it from that, and is traced.
 */
export const shellFuzz = (
  count: number,
  seed: number
): Effect.Effect<FuzzReport, PathContext.BoundaryInvalid | ToolsetInvalid, Processes> =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    plant(base)
    const [work, home, log] = [path.join(base, "w"), path.join(base, "home"), path.join(base, "trace/log")]
    const real = yield* Sandbox
    const { reason, target } = real.describe
    const holds = target === "bubblewrap"
    const violations: Array<string> = []
    let text = ""
    let allowed = 0
    let executed = 0
    let started = 0
    const say = (what: string) => violations.push(`${what} by ${JSON.stringify(text)}`)

    /** The sandbox of the product for all but the text itself, which is traced and may write; nothing runs where there is none. */
    const traced: typeof real = {
      describe: real.describe,
      wrap: (given, policy) => {
        if (given.args.at(-1) !== text || !given.args.includes("--norc")) return real.wrap(given, policy)
        allowed++
        if (!holds) return { ...given, file: "/bin/true", args: [] }
        executed++
        const followed: ReadonlyArray<string> =
          strace === undefined
            ? []
            : [
                strace,
                "-f",
                "-qq",
                "-s",
                "200",
                "--seccomp-bpf",
                "-e",
                "trace=execve,execveat,connect,open,openat",
                "-o",
                log
              ]
        const [file = given.file, ...args] = [...followed, given.file, ...given.args]
        return real.wrap(
          { ...given, file, args },
          {
            cwd: base,
            readable: policy.readable ?? [],
            writable: [work, path.join(base, "trace")],
            protected: [],
            network: false
          }
        )
      }
    }
    const toolset = yield* Toolset.make([RunShell], { middleware: DefaultStack.make({}) })
    let before = hash(base)
    const execute = (each: string) =>
      Effect.gen(function* () {
        text = each
        const runs = executed
        const answer = yield* toolset
          .call({
            name: "run_shell",
            rawParams: { command: text },
            callId: "call_1",
            sessionId: "session_1",
            workerPath: ["root"],
            startedAt: 0,
            by: "model",
            sink: { emit: () => Effect.void, commit: () => Effect.void }
          })
          .pipe(
            Effect.match({ onFailure: ({ message }) => message, onSuccess: (result) => result.text }),
            Effect.provide(Approvals.layerDecide(() => ({ decision: "deny" })))
          )
        if (executed === runs) return
        if (answer.includes(withheld)) say("showed a withheld file")
        if (/left in the background/.test(answer)) say("left processes")
        if (/^ended (?:after|at its limit of \d+(?:ms|s))/.test(answer)) say("no end")
        const after = hash(base)
        if (after !== before) say("a changed file")
        before = after
        if (strace === undefined) return
        const trace = fs.existsSync(log) ? fs.readFileSync(log, "utf8") : ""
        if (!trace.includes("execve(")) say("no trace")
        started += trace.split("\n").filter((line) => /execve.* = 0$/.test(line)).length - runners.length
        for (const what of suspicious(trace, text)) say(what)
        fs.rmSync(log, { force: true })
      })
    const environment = environmentOf({}, { HOME: home, LC_ALL: "zh_CN.GBK" })
    yield* Effect.forEach(FastCheck.sample(fuzzText, { numRuns: count, seed }), execute, { discard: true }).pipe(
      Effect.provide(
        Layer.mergeAll(
          Memory.layerMemory(),
          Layer.succeed(Sandbox, traced),
          Builtin.layerUnsandboxed({
            environment,
            shell: { timeout: Duration.seconds(20) },
            workspace: { root: work, home, trusted: false }
          })
        )
      )
    )
    return { texts: count, allowed, executed, started: strace === undefined ? undefined : started, reason, violations }
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerDetect))
