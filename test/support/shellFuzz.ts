import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as PathContext from "../../src/policy/path/PathContext.ts"
import { judgeNow } from "../../src/policy/path/PathPolicy.ts"
import { resolve } from "../../src/policy/path/PhysicalPath.ts"
import { descend } from "../../src/policy/shell/Descent.ts"
import { expand } from "../../src/policy/shell/Expansion.ts"
import { readOnlyCommands } from "../../src/policy/shell/ReadOnlyCommands.ts"
import { classify, words } from "../../src/policy/shell/ShellPolicy.ts"
import { allow } from "../../src/policy/Verdict.ts"
import { environment, systemPath } from "../../src/process/Environment.ts"
import { Processes } from "../../src/process/Processes.ts"
import type { SpawnFailed } from "../../src/process/SpawnFailed.ts"
import { detect } from "../../src/sandbox/detect.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type { SandboxReason } from "../../src/sandbox/SandboxPolicy.ts"
import { command, plainText, shellNoise, shellText, textsOf } from "../policy/shell/ShellTexts.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"
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
  {
    arbitrary: FastCheck.tuple(listed, joiner, FastCheck.oneof(command, listed)).map((parts) => parts.join("")),
    weight: 2
  }
)

/** Names that a glob turns into options, and a link and files that nothing may change. */
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
  "w/.env": "TOKEN=not-a-real-one\n",
  "w/.git/config": "[core]\n\tpager = touch PWNED\n",
  "w/-delete": "",
  "w/--output=PWNED": "",
  "w/-oPWNED": "",
  "w/--pre=x": "",
  "w/x": "#!/bin/sh\ntouch PWNED\n",
  "w/ls": "#!/bin/sh\ntouch PWNED\n",
  "sibling/kept": "kept\n",
  "home/.ssh/id_rsa": "not a key\n",
  "home/.bashrc": "touch PWNED\n"
}

const plant = (base: string): void => {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true })
    fs.writeFileSync(path.join(base, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 })
  }
  fs.mkdirSync(path.join(base, "trace"))
  fs.symlinkSync("../sibling/kept", path.join(base, "w/link"))
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
const onList = new Set([...Object.keys(readOnlyCommands), "find", "test", "["])
const systemDirectories = new Set(systemPath.split(":"))
/** Scripts of the system that become another program, which is on the list as well. */
const becomes: Readonly<Record<string, string>> = { egrep: "grep", fgrep: "grep" }

/** What the trace has that a text on the list does not do. */
const suspicious = (trace: string, text: string): ReadonlyArray<string> => {
  const named = words(text)?.flatMap(([name = ""]) => [name, becomes[name]])
  const found: Array<string> = []
  let first = true
  for (const line of trace.split("\n")) {
    if (/connect\(.*AF_INET/.test(line)) found.push(`a connection: ${line}`)
    const [, program] = /exec(?:ve|veat)\("([^"]*)".* = 0$/.exec(line) ?? []
    if (program === undefined) continue
    if (first) {
      first = false
      continue
    }
    const name = path.basename(program)
    const known = onList.has(name) && (named === undefined || named.includes(name))
    if (!known || !systemDirectories.has(path.dirname(program))) found.push(`started ${program}`)
  }
  return found
}

const limit = Duration.seconds(20)

const strace = ["/usr/bin/strace", "/usr/local/bin/strace"].find((file) => fs.existsSync(file))

/** Classifies `count` random texts and executes those that are allowed, and only those, where a sandbox holds them. */
export const shellFuzz = (
  count: number,
  seed: number
): Effect.Effect<FuzzReport, PathContext.BoundaryInvalid | SpawnFailed, Processes> =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    plant(base)
    const [work, home, log] = [path.join(base, "w"), path.join(base, "home"), path.join(base, "trace/log")]
    const context = yield* PathContext.make({ cwd: work, roots: [work], home, trusted: false, stateDirs: [] })
    const judgePath = (name: string, op: "read" | "write") =>
      Either.match(judgeNow(name, op === "write" ? "write" : "grep", context), {
        onLeft: (refused) => refused,
        onRight: ({ verdict }) => (verdict.decision === "allow" ? allow("path/inside", "inside") : verdict)
      })
    const texts = FastCheck.sample(fuzzText, { numRuns: count, seed })
    const allowed = texts.filter(
      (text) => classify(text, { ...context, judgePath, expand, descend, resolve }).decision === "allow"
    )
    const { reason, target } = yield* detect
    if (target !== "bubblewrap")
      return { texts: count, allowed: allowed.length, executed: 0, started: undefined, reason, violations: [] }

    const { sandbox, processes } = yield* Effect.all({ sandbox: Sandbox, processes: Processes })
    const env = environment({}, { HOME: home })
    const violations: Array<string> = []
    let started = 0
    let before = hash(base)
    const execute = (text: string) =>
      Effect.gen(function* () {
        const bash = ["bash", "--noprofile", "--norc", "-c", text] as const
        const [file, ...args] =
          strace === undefined
            ? bash
            : ([strace, "-f", "-qq", "-s", "200", "-e", "trace=execve,execveat,connect", "-o", log, ...bash] as const)
        const wrapped = sandbox.wrap(
          { file, args, cwd: work, env },
          { cwd: base, writable: [work, path.join(base, "trace")], protected: [], network: false }
        )
        const ended = yield* processes.run(wrapped, { limit: 4096 }).pipe(Effect.timeoutOption(limit))
        const say = (what: string) => violations.push(`${what} by ${JSON.stringify(text)}`)
        if (Option.isNone(ended)) say("no end")
        else if (ended.value.survivors > 0) say(`${ended.value.survivors} processes left`)
        const after = hash(base)
        if (after !== before) say("a changed file")
        before = after
        if (strace === undefined) return
        const trace = fs.existsSync(log) ? fs.readFileSync(log, "utf8") : ""
        if (!trace.includes("execve(")) say("no trace")
        started += trace.split("\n").filter((line) => /execve.* = 0$/.test(line)).length - 1
        for (const what of suspicious(trace, text)) say(what)
        fs.rmSync(log, { force: true })
      })
    yield* Effect.forEach(allowed, execute, { discard: true })
    return {
      texts: count,
      allowed: allowed.length,
      executed: allowed.length,
      started: strace === undefined ? undefined : started,
      reason,
      violations
    }
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerDetect))
