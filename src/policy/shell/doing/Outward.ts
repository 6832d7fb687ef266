import { mayHoldSecret } from "../../../redaction/Assigned.ts"
import { verbsOf } from "../Destruction.ts"
import { repositoryName } from "./repositoryName.ts"

interface Effect {
  /** What the first operands have to hold, each with a blank before and behind. */
  readonly verbs: RegExp
  /** Only with such a word. */
  readonly word?: RegExp
  /** Not with such a word. */
  readonly unless?: RegExp
  readonly reason: string
}

const othersSee = "it changes what others see, or tells them something"
const showsSecrets = "what it shows can hold secrets"

/** Of a server that others use, only what is looked at or fetched. */
const hub: ReadonlyArray<Effect> = [
  { verbs: /^/, word: /^(?:-R|--repo(?:=|$))/, reason: "it is about another repository" },
  { verbs: /^ label clone /, reason: othersSee },
  {
    verbs:
      /^ (?:pr|issue|run|repo|release|workflow|label|cache) (?!(?:list|ls|view|status|checks|diff|checkout|co|watch|download|clone|verify|verify-asset) )(?! *$)/,
    unless: /^--help$/,
    reason: othersSee
  }
]

const containers: ReadonlyArray<Effect> = [
  { verbs: /^ (?:container )?inspect /, word: /Env|json \.Config/, reason: showsSecrets },
  { verbs: /^ (?:container )?inspect /, unless: /^(?:-f|--format)/, reason: showsSecrets },
  { verbs: /^ (?:[^ ]+ )*(?:exec|run) (?:[^ ]+ )+(?:\/usr\/bin\/)?(?:env|printenv|set) /, reason: showsSecrets },
  { verbs: /^ context (?:use|create|update|rm|import) /, reason: "it changes where containers run" },
  { verbs: /^ buildx imagetools create /, reason: othersSee },
  {
    verbs: /^ (?:compose(?: [^ ]+)* )?config /,
    unless: /^(?:-q|--quiet|--services|--images|--volumes|--profiles)$/,
    reason: showsSecrets
  }
]

const infrastructure: ReadonlyArray<Effect> = [
  { verbs: /^ (?:output|show) /, word: /^--?(?:raw|json)(?:=|$)/, reason: showsSecrets },
  { verbs: /^ output [^ ]/, reason: showsSecrets },
  { verbs: /^ state (?!(?:list|show) )/, reason: "it changes or shows the whole state" }
]

const outsideOfProject = "it changes what is installed outside of the project"

const globally = /^(?:-g|--global(?:=|$)|--location(?:=|$))/

/** Python packages go where the environment of the project is, unless they are told otherwise. */
const ofPython: ReadonlyArray<Effect> = [
  {
    verbs: /^ (?:install|uninstall) /,
    word: /^--(?:user|break-system-packages)$/,
    reason: outsideOfProject
  }
]

/** What package managers show of the environment and of how they sign in. */
const ofPackages: ReadonlyArray<Effect> = [
  { verbs: /^ (?:run )?env /, reason: showsSecrets },
  { verbs: /^ config /, reason: "it shows or changes how it signs in, and where" }
]

const table: Readonly<Record<string, ReadonlyArray<Effect>>> = {
  gh: hub,
  docker: containers,
  "docker-compose": containers,
  podman: containers,
  kubectl: [
    { verbs: /^ get /, word: /(?:^|[,/])secrets?(?:$|[,./])/i, reason: showsSecrets },
    { verbs: /^ (?:apply|delete|replace) |^ rollout (?:undo|restart|pause|resume) /, reason: othersSee },
    { verbs: /^ config view /, word: /^--(?:raw|flatten)(?:=|$)/, reason: showsSecrets },
    { verbs: /^ config (?!(?:view|current-context|get-\w+) )/, reason: "it changes which cluster is used, or how" }
  ],
  helm: [
    { verbs: /^ get /, reason: showsSecrets },
    { verbs: /^ status /, word: /^(?:-o|--output|--debug)/, reason: showsSecrets }
  ],
  npm: [
    { verbs: /^ (?:run|run-script) env /, reason: showsSecrets },
    {
      verbs: /^ (?!(?:ls|list|la|ll|outdated|view|info|why|explain|root|prefix|bin|version|help) )/,
      word: /^(?:-g|--global(?:=|$)|--location(?:=|$))/,
      reason: outsideOfProject
    }
  ],
  pnpm: [
    ...ofPackages,
    { verbs: /^ (?:add|i|install|remove|rm|update|up) /, word: globally, reason: outsideOfProject }
  ],
  yarn: [...ofPackages, { verbs: /^ global (?!(?:list|bin|dir) )/, reason: outsideOfProject }],
  bun: [...ofPackages, { verbs: /^ (?:add|i|install|remove|rm|update) /, word: globally, reason: outsideOfProject }],
  composer: [
    { verbs: /^ config /, word: /^(?:-l|--list|-g|--global)$/, reason: showsSecrets },
    { verbs: /^ global (?!(?:show|outdated|list) )/, reason: outsideOfProject }
  ],
  poetry: [{ verbs: /^ config /, reason: showsSecrets }],
  uv: [
    { verbs: /^ auth /, reason: showsSecrets },
    { verbs: /^ pip (?:install|uninstall|sync) /, word: /^--(?:system|target|prefix)(?:=|$)/, reason: outsideOfProject }
  ],
  pip: ofPython,
  pip3: ofPython,
  cargo: [{ verbs: /^ (?:install|uninstall) /, unless: /^(?:--root(?:=|$)|--list$)/, reason: outsideOfProject }],
  go: [
    { verbs: /^ install /, reason: outsideOfProject },
    { verbs: /^ env /, word: /^--?[wu]$/, reason: "it changes the settings of go for all projects" }
  ],
  gem: [{ verbs: /^ (?:install|uninstall|update|cleanup) /, reason: outsideOfProject }],
  rustup: [
    {
      verbs: /^ (?!(?:show|which|doc|check|run|toolchain list|(?:target|component) list) )[^ ]/,
      reason: outsideOfProject
    }
  ],
  corepack: [{ verbs: /^ (?:enable|disable|prepare|install) /, reason: outsideOfProject }],
  dotnet: [
    {
      verbs: /^ tool (?:install|update|uninstall) /,
      word: /^(?:-g|--global|--tool-path(?:=|$))/,
      reason: outsideOfProject
    }
  ],
  cabal: [{ verbs: /^ install /, reason: outsideOfProject }],
  stack: [{ verbs: /^ install /, reason: outsideOfProject }],
  cmake: [
    { verbs: /^/, word: /^--install$/, unless: /^--prefix(?:=|$)/, reason: outsideOfProject },
    { verbs: /^ (?:[^ ]+ )*install /, unless: /^--install$/, reason: outsideOfProject }
  ],
  ninja: [{ verbs: /^ (?:[^ ]+ )*install /, reason: outsideOfProject }],
  meson: [{ verbs: /^ install /, unless: /^--destdir(?:=|$)/, reason: outsideOfProject }],
  mkdocs: [{ verbs: /^ gh-deploy /, reason: othersSee }],
  hugo: [{ verbs: /^ deploy /, reason: othersSee }],
  mix: [
    { verbs: /^ (?:[^ ]+ )*(?:ecto\.(?:drop|reset)|hex\.publish) /, reason: "it deletes data, or publishes" },
    { verbs: /^ (?:archive|escript)\.(?:install|uninstall) /, reason: outsideOfProject }
  ],
  "drizzle-kit": [{ verbs: /^ (?:push|drop) /, reason: "it changes a database" }],
  pytest: [{ verbs: /^/, word: /^--basetemp/, reason: "it deletes what is in that directory" }],
  terraform: infrastructure,
  tofu: infrastructure
}

/** Operands that select what a program does. */
const maximumVerbs = 6

const handsOn = /^(?:docker|docker-compose|podman)$/

/** Variables of the environment that a container is given by their names alone. */
const handed = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, index) => {
    const given = /^(?:-e|--env)$/.test(args[index - 1] ?? "") ? arg : /^(?:-e|--env=)(.+)$/.exec(arg)?.[1]
    return given === undefined || given.includes("=") ? [] : [given]
  })

const joinsHost = (args: ReadonlyArray<string>): boolean =>
  args.some(
    (arg, index) =>
      /^(?:host|container:.*)$/.test(arg) && /^--(?:net(?:work)?|ipc|uts|cgroupns)$/.test(args[index - 1] ?? "")
  )

const isClone = (args: ReadonlyArray<string>): boolean => args[0] === "repo" && args[1] === "clone"

/** What `gh repo clone` gives to git, and where it clones to. */
const clones = (args: ReadonlyArray<string>): string | undefined => {
  if (!isClone(args)) return undefined
  const [, , , place] = args.filter((arg) => !arg.startsWith("-"))
  if (args.includes("--")) return "it gives git options of its own"
  return place === undefined || /^[\w][\w.-]*$/.test(place) ? undefined : `it clones to ${place}`
}

/** Whether a program puts another branch into the working tree. */
export const isCheckout = (name: string, args: ReadonlyArray<string>): boolean =>
  name === "gh" && args[0] === "pr" && /^(?:checkout|co)$/.test(args[1] ?? "")

/** The directory that a program fills with a repository: by its name, where no word says another. */
export const clonedBy = (name: string, args: ReadonlyArray<string>): string | undefined => {
  if (name !== "gh" || !isClone(args)) return undefined
  const [, , repository, place] = args.filter((arg) => !arg.startsWith("-"))
  return place ?? repositoryName(repository ?? "")
}

/**
 * Why a command of a program that is known is more than the project's own affair, if so: others see what it does, or it hands on or
 * shows what may be secret.
 */
export const outward = (name: string, args: ReadonlyArray<string>): string | undefined => {
  const effects = Object.hasOwn(table, name) ? table[name]! : []
  const verbs = ` ${verbsOf(args).slice(0, maximumVerbs).join(" ")} `
  const found = effects.find(
    ({ unless, verbs: wanted, word }) =>
      wanted.test(verbs) &&
      (word === undefined || args.some((arg) => word.test(arg))) &&
      (unless === undefined || !args.some((arg) => unless.test(arg)))
  )
  if (found !== undefined) return found.reason
  if (name === "gh") return clones(args)
  if (!handsOn.test(name)) return undefined
  if (joinsHost(args)) return "it is given the network of this machine"
  const secret = handed(args).find(mayHoldSecret)
  return secret === undefined ? undefined : `it is given $${secret} of the environment, which may be a secret`
}
