import { sorted } from "../policy/shell/CommandOptions.ts"
import { commandName, isInterpreter, matchers, printers } from "../policy/shell/Wrappers.ts"

type Words = ReadonlyArray<string>

/** What subcommands, tasks and scripts are called that open a prompt. */
const promptName =
  /^(?:[\w-]+[.:/])*(?:console(?:quick|project)?|repl|(?:db|j)?shell|shell_plus|dbconsole|tinker|kotlinrepl)$/i

/** Programs that always open one. */
const always = new Set("iex psysh pry boris rdbg phpdbg pgcli mycli litecli iredis xonsh".split(" "))

/** Programs whose subcommand, or script of a project, has such a name; so have those that are called by a path. */
const managers = new Set("poetry pipenv pdm hatch rye bundle npm yarn pnpm composer nx mix dotnet".split(" "))

/** Programs that run whichever of their words are tasks. */
const builders = new Set("make gmake just task rake sbt mill gradle gradlew ant".split(" "))

const operandsOf = (args: Words): Words => sorted(args).operands

const first =
  (pattern: RegExp) =>
  (args: Words): boolean =>
    pattern.test(operandsOf(args)[0] ?? "")

/** Whether one of the options has this name, or stands for it with others. */
const among =
  (pattern: RegExp) =>
  (args: Words): boolean =>
    args.some((arg) => pattern.test(arg))

const kotlinValued = new Set(
  "-cp -classpath -d -jvm-target -language-version -api-version -module-name -jdk-home -kotlin-home -P -opt-in".split(
    " "
  )
)

/** Whether the compiler of Kotlin is given nothing to compile. */
const kotlinPrompts = (args: Words): boolean =>
  args.includes("-Xrepl") || !args.some((arg, at) => !arg.startsWith("-") && !kotlinValued.has(args[at - 1] ?? ""))

/** Whether sbt is given no task, or one that opens a prompt. */
const sbtPrompts = (args: Words): boolean => {
  const tasks = operandsOf(args)
    .flatMap((one) => one.split(";"))
    .flatMap((one) => one.trim().split(/\s+/))
  return !tasks.some((task) => /^[a-z~+]/i.test(task)) || tasks.some((task) => promptName.test(task))
}

const swiftPrompts = (args: Words): boolean =>
  args.includes("-repl") ||
  operandsOf(args.filter((_, at) => !/^-[DFILl]$/.test(args[at - 1] ?? ""))).every((one) => one === "repl")

/** Whether a container takes what is typed, in another way of saying so than `-i`. */
const isAttached = (args: Words): boolean =>
  args.some(
    (arg, at) =>
      /^--interactive=(?!false)|^(?:-a|--attach=)stdin$/i.test(arg) ||
      (/^(?:-a|--attach)$/.test(args[at - 1] ?? "") && /^stdin$/i.test(arg))
  )

const profileShown =
  /^--?(?:http|top|text|list|weblist|web|png|svg|gif|pdf|ps|dot|raw|traces|tree|peek|proto|topproto|tags|comments|callgrind|disasm)(?:=|$)/

const goPrompts = (args: Words): boolean =>
  args[0] === "tool" && args[1] === "pprof" && !args.some((arg) => profileShown.test(arg))

/** Whether git opens an editor for the message of a tag, or shows a page of its manual. */
const gitPrompts = (args: Words): boolean => {
  const at = operandsOf(args)[0] === undefined ? -1 : args.indexOf(operandsOf(args)[0]!)
  const rest = args.slice(at + 1)
  if (args[at] === "help") return operandsOf(rest).length > 0
  const annotates = rest.some((arg) => /^(?:-[a-z]*[asu]|--(?:annotate|sign|local-user(?:=.*)?))$/.test(arg))
  return (
    args[at] === "tag" && annotates && !rest.some((arg) => /^(?:-[a-zA-Z]*[mF]|--(?:message|file)(?:=|$))/.test(arg))
  )
}

/** Programs by which a prompt opens, by what they are told. */
const programs: ReadonlyMap<string, (args: Words) => boolean> = new Map([
  ["rails", first(/^(?:c|console|db|dbconsole)$/)],
  ["artisan", first(/^(?:tinker|db)$/)],
  ["sail", first(/^(?:tinker|(?:root-)?(?:shell|bash)|psql|mysql|mariadb|redis|mongodb)$/)],
  ["console", (args) => operandsOf(args).length === 0],
  ["bun", first(/^repl$/)],
  ["swift", swiftPrompts],
  ["kotlinc", kotlinPrompts],
  ["sbt", sbtPrompts],
  ["ghc", among(/^--interactive$/)],
  ["node", first(/^inspect$/)],
  ["npm", first(/^help$/)],
  ["docker", isAttached],
  ["podman", isAttached],
  ["go", goPrompts],
  ["git", gitPrompts],
  ["pytest", among(/^--trace$/)],
  ["py.test", among(/^--trace$/)]
])

/** Words before the name of a script. */
const runsScript = /^(?:run|run-script|exec|x)$/

/** Which of the words say what a program does, where the program is one that runs a thing of the project. */
const namesIn = (program: string, name: string, args: Words): Words => {
  const operands = operandsOf(args)
  if (builders.has(name)) return operands
  if (isInterpreter(name)) return operands.slice(1, 3)
  const script = operands.findIndex((one) => runsScript.test(one)) + 1
  if (managers.has(name)) return operands.slice(script, script + 1)
  return /^(?!\/(?:usr\/)?s?bin\/).*\//.test(program) ? operands.slice(0, 1) : []
}

/** A program that another of these runs by its name as a file. */
const scriptIn = (name: string, args: Words): number =>
  isInterpreter(name) || name === "sail" || name === "spring"
    ? args.slice(0, 4).findIndex((arg) => programs.has(commandName(arg)))
    : -1

/** Whether a debugger opens where a test fails, or at once. */
const debugs = (name: string, args: Words): boolean =>
  (args.includes("--pdb") && !matchers.has(name) && !printers.has(name)) ||
  (name === "coverage" && args.some((arg, at) => args[at - 1] === "-m" && /^(?:i?pdb|IPython|code)$/.test(arg)))

/** Whether a program that agents run without being asked opens a prompt, by its own words. */
export const opensOwn = (program: string, args: Words): boolean => {
  const name = commandName(program)
  const script = scriptIn(name, args)
  return (
    always.has(name) ||
    debugs(name, args) ||
    programs.get(name)?.(args) === true ||
    namesIn(program, name, args).some((one) => promptName.test(one)) ||
    (script >= 0 && programs.get(commandName(args[script] ?? ""))?.(args.slice(script + 1)) === true)
  )
}
