#!/usr/bin/env node
"use strict"
const fs = require("node:fs")
const path = require("node:path")

/* global VERSION, BUNDLE */
const words = process.argv.slice(2)

/** Answers what needs no program; the text of the help is made from the program's own commands when it is built. */
const answer = () => {
  if (words.length !== 1) return undefined
  if (words[0] === "--version") return `${VERSION}\n`
  if (words[0] !== "--help" && words[0] !== "-h") return undefined
  try {
    return fs.readFileSync(path.join(__dirname, "help.txt"), "utf8")
  } catch {
    return undefined
  }
}

const vm = require("node:vm")
const Module = require("node:module")

const loaded = {}
/** Files whose kept code does not have all functions that this run may come by. */
const learning = []

const absolute = (directory) => (directory && path.isAbsolute(directory) ? directory : undefined)

/** Where a path leads, as far as it is there. */
const physical = (file) => {
  try {
    return fs.realpathSync(file)
  } catch {
    const above = path.dirname(file)
    return above === file ? file : path.join(physical(above), path.basename(file))
  }
}

/** Bytes of a configuration. */
const sizeLimit = 1024 * 1024

/** Whether a link on the way to a file leads nowhere. */
const isCutOff = (file) => {
  const found = fs.lstatSync(file, { throwIfNoEntry: false })
  const above = path.dirname(file)
  return found
    ? found.isSymbolicLink() && !fs.statSync(file, { throwIfNoEntry: false })
    : above !== file && isCutOff(above)
}

/** What the user has configured; throws where that cannot be known. */
const readSettings = () => {
  const { HOME, TOLLGATE_HOME, XDG_CONFIG_HOME } = process.env
  const base = absolute(XDG_CONFIG_HOME) || (HOME && path.join(HOME, ".config"))
  const config = TOLLGATE_HOME || (base && path.join(base, "tollgate"))
  const file = config && path.join(config, "config.json")
  const found = file && fs.statSync(file, { throwIfNoEntry: false })
  if (file && !found && isCutOff(file)) throw new Error("a link leads to no file")
  return found && found.isFile() && found.size <= sizeLimit ? JSON.parse(fs.readFileSync(file, "utf8")) : {}
}

let known
const settings = () => (known ??= readSettings())

/** The directories besides the working directory that tools may change; throws where they cannot be known. */
const configuredRoots = () => {
  const { TOLLGATE_ROOTS } = process.env
  return [...(settings().roots || []), ...(TOLLGATE_ROOTS ? JSON.parse(TOLLGATE_ROOTS) : [])]
}

/** The working directory, the repository that holds it, and the configured roots. */
const workspaces = () => {
  const cwd = process.cwd()
  let top = cwd
  while (!fs.existsSync(path.join(top, ".git")) && path.dirname(top) !== top) top = path.dirname(top)
  const project = path.dirname(top) === top ? [] : [top]
  return [cwd, ...project, ...configuredRoots().map((root) => path.resolve(root))].flatMap((one) => [
    one,
    physical(one)
  ])
}

const isWithin = (file, directory) => file === directory || file.startsWith(path.join(directory, path.sep))

/**
 * Where compiled code is kept, for the user alone. It is run as it is found, so there is none where tools may write: neither
 * what the path says nor where it leads lies in a workspace.
 */
const cacheDirectory = () => {
  const { HOME, TOLLGATE_CACHE, XDG_CACHE_HOME } = process.env
  if (TOLLGATE_CACHE === "") return undefined
  const base = absolute(TOLLGATE_CACHE) || absolute(XDG_CACHE_HOME) || (absolute(HOME) && path.join(HOME, ".cache"))
  if (!base) return undefined
  const directory = path.join(base, "tollgate")
  try {
    const places = [directory, physical(directory)]
    return workspaces().some((workspace) => places.some((place) => isWithin(place, workspace))) ? undefined : directory
  } catch {
    return undefined
  }
}
const directory = cacheDirectory()

const isOwn = (status) => process.getuid === undefined || status.uid === process.getuid()
const hasMode = (status, mode) => process.getuid === undefined || (status.mode & 0o777) === mode

/** Whether nobody else can put anything into it. */
const isPrivate = (directory) => {
  const status = fs.lstatSync(directory)
  return status.isDirectory() && isOwn(status) && hasMode(status, 0o700)
}

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = fs.constants

/** What an earlier run has kept; nothing that others could have written, and no link. */
const kept = (cache) => {
  if (!isPrivate(path.dirname(cache))) return undefined
  const descriptor = fs.openSync(cache, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const status = fs.fstatSync(descriptor)
    const fits = status.isFile() && status.nlink === 1 && isOwn(status) && hasMode(status, 0o600)
    return fits ? fs.readFileSync(descriptor) : undefined
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Agents run `tollgate hook NAME` before every call, so that it has a bundle of its own; the other words are commands. */
const hooked =
  words[0] === "hook" && words.length === 2 && /^(?!install$|uninstall$|status$|collect$)[a-z]+$/.test(words[1])

/** Commands with commands of their own. */
const groups = ["approvals", "config", "hook", "mcp", "memory", "policy", "sessions", "tokens", "trust"]

/** What is run, in words that are few, whatever else stands behind them. */
const command = words
  .slice(0, groups.includes(words[0]) ? 2 : 1)
  .filter((word) => /^[a-z]{1,16}$/.test(word))
  .join(" ")

/** Commands that are waited for often have the functions that they come by to themselves; those of an errand are few. */
const kinds = new Map([
  ["", "prompt"],
  ["acp", "acp"],
  ["mcp gateway", "mcp"],
  ["mcp serve", "mcp"],
  ["run", "run"],
  ["serve", "serve"]
])
const kind = hooked ? "hook" : kinds.get(command) || "errand"

/** Runs of a command that add what they come by to what is kept, as not all of them go the same way. */
const lessons = 3
/** Commands that a file tells apart. */
const maxCommands = 64

/** What earlier runs have compiled, and how many runs of each command have. */
const learned = (cache) => {
  try {
    const bytes = cache && kept(cache)
    const end = bytes.lastIndexOf("\n")
    return { cachedData: bytes.subarray(0, end), runs: new Map(JSON.parse(bytes.subarray(end + 1))) }
  } catch {
    return { cachedData: undefined, runs: new Map() }
  }
}

/** Runs a file of the bundle, with the code that earlier runs compiled where there is any. */
const load = (file) => {
  const source = fs.readFileSync(file, "latin1")
  const cache =
    directory &&
    path.join(directory, `${path.basename(file)}-${kind}-${VERSION}-${BUNDLE}-${process.version}-${process.arch}`)
  const { cachedData, runs } = learned(cache)
  const script = new vm.Script(Module.wrap(source), {
    filename: file,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  })
  if (script.cachedDataRejected) runs.clear()
  const count = runs.get(command) || 0
  if (cache && count < lessons && runs.size < maxCommands && command !== "hook daemon")
    learning.push({ cache, script, runs: runs.set(command, count + 1) })
  const module = { exports: {} }
  const local = Module.createRequire(file)
  const require = (name) =>
    name.startsWith("./") ? (loaded[name] ??= load(path.join(path.dirname(file), name))) : local(name)
  script.runInThisContext().call(module.exports, module.exports, require, module, file, path.dirname(file))
  return module.exports
}

/** Versions of one file whose code is kept. */
const versions = 3

/** Forgets what older versions left behind. */
const sweep = (cache) => {
  const directory = path.dirname(cache)
  const stem = `${path.basename(cache).split(".cjs-")[0]}.cjs-${kind}-`
  const age = (name) => fs.statSync(path.join(directory, name)).mtimeMs
  const own = fs.readdirSync(directory).filter((name) => name.startsWith(stem))
  for (const name of own.sort((a, b) => age(b) - age(a)).slice(versions))
    fs.rmSync(path.join(directory, name), { force: true })
}

/** Makes the last two levels; Node's own recursion can go on for ever, as below `/proc`. */
const makeDirectory = (directory) => {
  for (const one of [path.dirname(directory), directory]) if (!fs.existsSync(one)) fs.mkdirSync(one, { mode: 0o700 })
}

/** After the run, so that what was compiled on the way is in it too. */
const save = ({ cache, runs, script }) => {
  const temporary = `${cache}.${process.pid}`
  try {
    makeDirectory(path.dirname(cache))
    if (!isPrivate(path.dirname(cache))) return
    const code = Buffer.concat([script.createCachedData(), Buffer.from(`\n${JSON.stringify([...runs])}`)])
    fs.writeFileSync(temporary, code, { mode: 0o600, flag: "wx" })
    fs.renameSync(temporary, cache)
    sweep(cache)
  } catch {
    try {
      fs.rmSync(temporary, { force: true })
    } catch {
      // There is no such place.
    }
  }
}

/** A prompt to type at while the program loads; where anything is unclear the program says it. */
const showPrompt = () => {
  try {
    require("./prompt.cjs").showPrompt(settings())
  } catch {}
}

/** Goes on once the server listens; what is wrong with the words the program says. */
const listen = (then) => {
  const { listenEarly } = require("./listen.cjs")
  listenEarly(words.slice(1), then)
}

/** Where a daemon judges for hooks; systems without such sockets, or with too short names for them, have none. */
const name = directory && process.getuid && path.join(directory, `hook-${BUNDLE}.sock`)
const socket = name && Buffer.byteLength(name) <= 100 ? name : undefined
const hasDaemon = hooked && words[1] !== "daemon" && socket !== undefined

const isListening = () => {
  try {
    const status = fs.lstatSync(socket)
    return status.isSocket() && isOwn(status) && isPrivate(directory)
  } catch {
    return false
  }
}

/** A hook that has nothing more to learn runs often: the next ones need not load the program. */
const startDaemon = () => {
  try {
    if (learning.length > 0 || !isPrivate(directory) || fs.existsSync(socket)) return
    require("./start.cjs").start(socket, __filename)
  } catch {}
}

const daemon = (listen) => {
  if (socket !== undefined) return listen()
  process.stderr.write(
    "tollgate: There is no daemon here: no private place for its socket, or one with too long a name.\n"
  )
  process.exitCode = 1
}

const hook = () => {
  const program = () => load(path.join(__dirname, "hook.cjs"))
  const judge = (payload) => program().main(words[1], payload)
  if (words[1] === "daemon") daemon(() => program().listen(socket))
  else if (hasDaemon && isListening()) require("./ask.cjs").ask(socket, words[1], judge)
  else judge()
}

const start = () => {
  // Node would open its debugger, by which whatever runs as the same user, an agent's command too, could take the gate over.
  process.on("SIGUSR1", () => {})
  process.once("exit", (code) => {
    learning.forEach(save)
    if (hasDaemon && code === 0) startDaemon()
  })
  // A stack would make V8 read the whole bundle again for its line numbers, and one is asked for while it is evaluated. Nobody reads
  // those of a hook.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    if (hooked) hook()
    else load(path.join(__dirname, "main.cjs"))
  } finally {
    if (!hooked) Error.stackTraceLimit = stackTraceLimit
  }
}

const said = answer()
if (said === undefined) {
  if (words.length === 0) showPrompt()
  if (command === "serve") listen(start)
  else start()
} else {
  process.stdout.on("error", (error) => {
    process.exitCode = error.code === "EPIPE" ? 141 : 1
    if (error.code === "EPIPE") return
    process.stderr.write(
      `tollgate: The output cannot be written: ${error.code === "ENOSPC" ? "the disk is full" : error.message}.\n`
    )
  })
  process.stdout.write(said)
}
