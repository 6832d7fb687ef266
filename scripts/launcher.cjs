#!/usr/bin/env node
"use strict"
const fs = require("node:fs")
const path = require("node:path")

/* global VERSION */
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
/** What has been compiled anew. */
const fresh = []

/** Where compiled code is kept, for the user alone; nothing where there is no such place. */
const cacheDirectory = () => {
  const { HOME, TOLLGATE_CACHE, XDG_CACHE_HOME } = process.env
  if (TOLLGATE_CACHE === "") return undefined
  const base =
    TOLLGATE_CACHE ||
    (XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : HOME && path.join(HOME, ".cache"))
  return base && path.join(base, "tollgate")
}
const directory = cacheDirectory()

/** What is kept are the functions that a run came by, and those of an errand are few. */
const kind = words[0] === "run" ? "run" : words[0] === undefined || words[0].startsWith("-") ? "prompt" : "errand"

/** Runs a file of the bundle, with the code that an earlier run compiled where there is any. */
const load = (file) => {
  const source = fs.readFileSync(file, "latin1")
  const cache =
    directory &&
    path.join(
      directory,
      `${path.basename(file)}-${kind}-${VERSION}-${fs.statSync(file).mtimeMs}-${process.version}-${process.arch}`
    )
  let cachedData
  try {
    // One that others may write to would run their code.
    const status = cache && fs.statSync(cache)
    if (status && (process.getuid === undefined || status.uid === process.getuid()) && (status.mode & 0o022) === 0) {
      cachedData = fs.readFileSync(cache)
    }
  } catch {}
  const script = new vm.Script(Module.wrap(source), {
    filename: file,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  })
  if (cache && (cachedData === undefined || script.cachedDataRejected)) fresh.push({ cache, script })
  const module = { exports: {} }
  const local = Module.createRequire(file)
  const require = (name) =>
    name.startsWith("./") ? (loaded[name] ??= load(path.join(path.dirname(file), name))) : local(name)
  script.runInThisContext().call(module.exports, module.exports, require, module, file, path.dirname(file))
  return module.exports
}

/** Versions of one file whose code is kept. */
const kept = 3

/** Forgets what older versions left behind. */
const sweep = (cache) => {
  const directory = path.dirname(cache)
  const stem = `${path.basename(cache).split(".cjs-")[0]}.cjs-${kind}-`
  const age = (name) => fs.statSync(path.join(directory, name)).mtimeMs
  const own = fs.readdirSync(directory).filter((name) => name.startsWith(stem))
  for (const name of own.sort((a, b) => age(b) - age(a)).slice(kept))
    fs.rmSync(path.join(directory, name), { force: true })
}

/** Makes the last two levels; Node's own recursion can go on for ever, as below `/proc`. */
const makeDirectory = (directory) => {
  for (const one of [path.dirname(directory), directory]) if (!fs.existsSync(one)) fs.mkdirSync(one, { mode: 0o700 })
}

/** After the run, so that what was compiled on the way is in it too. */
const save = ({ cache, script }) => {
  const temporary = `${cache}.${process.pid}`
  try {
    makeDirectory(path.dirname(cache))
    fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: "wx" })
    fs.renameSync(temporary, cache)
    sweep(cache)
  } catch {
    fs.rmSync(temporary, { force: true })
  }
}

const start = () => {
  process.once("exit", () => fresh.forEach(save))
  // A stack would make V8 read the whole bundle again for its line numbers, and one is asked for while it is evaluated.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    load(path.join(__dirname, "main.cjs"))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const said = answer()
if (said === undefined) start()
else {
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") return
    process.exitCode = 1
    process.stderr.write(`tollgate: The output cannot be written: ${error.message}.\n`)
  })
  process.stdout.write(said)
}
