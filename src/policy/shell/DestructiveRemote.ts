import { type Destroys, isUnknown, verbsOf } from "./Destruction.ts"

interface Act {
  /** What the first operands have to hold, each with a blank before and behind. */
  readonly verbs: RegExp
  /** Only with such an option. */
  readonly option?: RegExp
  readonly does: string
}

const act = (verbs: RegExp, does: string, option?: RegExp): Act => ({
  verbs,
  does,
  ...(option === undefined ? {} : { option })
})

/** Operands behind these are another command, or text. */
const handsOn = new Set("run run-script exec x dlx start create build".split(" "))
/** Operands that may select what a program does, those of its options included. */
const maximumVerbs = 6
const rehearses = /^(?:--dry-?run(?:=(?:client|server|true))?|--dryrun)$/

const publishes = "Publishes a package or an image"
const removesContainers = "Deletes containers, images or their data"
const removesCluster = "Deletes or disrupts workloads in a cluster"
const destroysInfrastructure = "Destroys or replaces infrastructure"
const removesCloud = "Deletes or stops resources in a cloud"
const releases = "Publishes to a server that others use"
const runsPublishing = "Runs a script that is called as if it published something"

const containers = [
  act(/ (?:prune|rm|rmi|remove) /, removesContainers),
  act(/ compose(?: \S+)* down /, removesContainers, /^(?:-v|--volumes|--rmi(?:=.*)?)$/),
  act(/ down /, removesContainers, /^(?:-v|--volumes|--rmi(?:=.*)?)$/),
  act(/ (?:stack|service|swarm|volume|network|machine|system) (?:rm|leave|down|reset|destroy) /, removesContainers),
  act(/ push /, publishes),
  act(/ buildx? /, publishes, /^--push$|\btype=registry\b|\bpush=true\b/)
]
const infrastructure = [
  act(/ (?:destroy|force-unlock|taint|untaint) /, destroysInfrastructure),
  act(/ (?:state|workspace|stack|env|config) (?:rm|delete|remove) /, destroysInfrastructure),
  act(
    / (?:apply|up|update|deploy|run-all) /,
    destroysInfrastructure,
    /^(?:--?destroy|--?auto-approve(?:=true)?|-y|--yes|-f|--skip-preview|--require-approval=?(?:never)?|--terragrunt-non-interactive)$/
  )
]
const registry = [act(/ (?:publish|unpublish|deprecate|yank|owner|push|upload|release|dist-tag|access) /, publishes)]
const clouds = [
  act(
    / (?:delete|destroy|remove|rm|rb|purge|del|terminate|undelete|deallocate|stop|disable|reset|rollback|unset|wipe|nuke) /,
    removesCloud
  ),
  act(/ [\w:.-]*(?::destroy|:reset|:delete|:remove) /, removesCloud),
  act(/ (?:deploy|publish|up|promote) /, releases),
  act(/ (?:sync|mirror|copy) /, removesCloud, /^--?(?:delete(?:-.*)?|delete-destination.*|d)$/)
]

const table: ReadonlyArray<readonly [names: string, acts: ReadonlyArray<Act>]> = [
  ["docker podman nerdctl docker-compose podman-compose buildah ctr crictl colima lima limactl", containers],
  ["skopeo crane oras regctl", [act(/ (?:copy|push|delete|sync|tag) /, publishes)]],
  [
    "kubectl oc k3s k9s microk8s kubecolor",
    [
      act(/ (?:delete|drain|replace|evict|uncordon|cordon|taint) /, removesCluster),
      act(/ (?:scale|apply|rollout) /, removesCluster, /^--(?:replicas=0|prune|force)$/)
    ]
  ],
  ["helm helmfile", [act(/ (?:uninstall|delete|del|un|destroy|rollback) /, removesCluster), act(/ push /, publishes)]],
  [
    "argocd flux istioctl eksctl kind k3d minikube kops kubeadm",
    [act(/ (?:delete|uninstall|reset|suspend|purge) /, removesCluster)]
  ],
  [
    "terraform tofu terragrunt pulumi cdk cdktf sst sls serverless sam copilot vagrant packer nomad ansible-pull",
    [...infrastructure, act(/ (?:remove|delete|deploy|publish) /, destroysInfrastructure)]
  ],
  [
    "npm pnpm yarn bun lerna changeset jsr deno vsce ovsx cargo gem twine poetry uv flit hatch pdm maturin setup.py hex goreleaser snapcraft luarocks cabal stack conda anaconda pod melos dart flutter nuget cr",
    registry
  ],
  ["nx turbo", []],
  [
    "make gmake just task rake mage inv invoke gulp grunt",
    [act(/ (?:\S+:)?(?:deploy|publish)(?::\S*)? | release(?::\S*)? /, runsPublishing)]
  ],
  ["semantic-release release-it np gh-pages surge", [act(/^/, publishes)]],
  ["dotnet", [act(/ nuget (?:push|delete) /, publishes)]],
  ["mvn mvnw", [act(/ (?:deploy|release:perform|release:clean) /, publishes)]],
  ["gradle gradlew sbt mill", [act(/ (?:[\w:]*publish\w*|\+?publish\w*|upload\w*|release) /, publishes)]],
  ["mix", [act(/ (?:hex\.publish|hex\.retire) /, publishes)]],
  [
    "gh glab hub tea",
    [
      act(
        / (?:release|repo|secret|variable|cache|run|gist|label|issue|pr|mr|project|workflow|codespace|ssh-key|gpg-key|ruleset|environment) (?:create-release|upload|edit-release|delete|delete-asset|archive|rename|disable|transfer|merge|remove) /,
        "Deletes, merges or archives on a server that others use"
      ),
      act(/ release create /, releases)
    ]
  ],
  [
    "aws",
    [
      act(/ s3 (?:rm|rb) /, removesCloud),
      act(/ s3 sync /, removesCloud, /^--delete$/),
      act(
        / (?:delete|terminate|remove|deregister|destroy|purge|revoke|disable|stop|reset|cancel|detach|release|schedule-key-deletion|put-bucket)[\w-]* /,
        removesCloud
      )
    ]
  ],
  [
    "gcloud az gsutil doctl heroku fly flyctl vercel netlify ibmcloud oci aliyun linode-cli hcloud scw wrangler firebase railway render s3cmd s4cmd s5cmd mc azcopy bq gcsfuse exo vultr-cli cf b2 now amplify eb",
    clouds
  ],
  ["rclone", [act(/ (?:delete|purge|sync|deletefile|cleanup|rmdirs?|move|moveto) /, removesCloud)]]
]

/** `-X DELETE` and its like, in one word or two. */
const method = (args: ReadonlyArray<string>): string | undefined =>
  args
    .map((arg, index) =>
      /^(?:-X|--request|--method)$/.test(arg)
        ? (args[index + 1] ?? "")
        : (/^(?:-X|--(?:request|method)=)(.+)$/.exec(arg)?.[1] ?? "")
    )
    .find((found) => found !== "")

const requests: Destroys = ({ args }) =>
  method(args)?.toUpperCase() === "DELETE" || args.includes("DELETE") ? "Sends a request that deletes" : undefined

/** What may be the value of an option, or the name of a workspace, stands behind this. */
const leads = /^(?:-[^=]*|workspace)$/

/** Where the operands of a program become another command, or text. */
const endOf = (args: ReadonlyArray<string>): number =>
  args.findIndex((word, index) => handsOn.has(word) && !leads.test(args[index - 1] ?? ""))

const runsScripts = /^(?:npm|pnpm|yarn|bun|nx|turbo)$/
/** Every word of these is something that they run. */
const runsTargets = /^(?:g?make|just|task|rake|mage|inv|invoke|gulp|grunt)$/
/** These run a script by its name alone. */
const runsByName = /^(?:yarn|bun|nx|turbo)$/
const publishing = /^(?:deploy|publish|release)(?::|$)|:(?:deploy|publish)$/

const judged =
  (acts: ReadonlyArray<Act>): Destroys =>
  ({ args, name }, scene) => {
    if (name !== "yarn" && args.some((arg, index) => rehearses.test(arg) && !args[index - 1]?.startsWith("-")))
      return undefined
    const operands = verbsOf(args).slice(0, maximumVerbs)
    const end = runsTargets.test(name) ? -1 : endOf(args)
    const own = end < 0 ? operands : verbsOf(args.slice(0, end + 1)).slice(0, maximumVerbs)
    const verbs = ` ${own.join(" ")} `
    if (isUnknown(operands[0] ?? "")) return `Runs a ${name} subcommand that is known only at run time`
    if (name === "gh" && operands.includes("api")) return requests({ args, name }, scene)
    const script = runsScripts.test(name) ? args.slice(end + 1).find((arg) => !arg.startsWith("-")) : undefined
    if (end >= 0 && /^run(?:-script)?$/.test(args[end] ?? "") && publishing.test(script ?? "")) return runsPublishing
    if (runsByName.test(name) && publishing.test(operands[0] ?? "")) return runsPublishing
    return acts.find(
      (one) => one.verbs.test(verbs) && (one.option === undefined || args.some((arg) => one.option?.test(arg)))
    )?.does
  }

/** Programs that delete from, stop or publish to places that others use. */
export const destructiveRemote: ReadonlyArray<readonly [names: string, destroys: Destroys]> = [
  ...table.map(([names, acts]) => [names, judged(acts)] as const),
  ["curl wget http https xh httpie curlie", requests]
]
