import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Redactor } from "../../redaction/Redactor.ts"
import type { Git } from "./Git.ts"
import { GitRefused } from "./GitError.ts"
import { helpers } from "./hardening.ts"
import { isForeign, type Setting } from "./Setting.ts"

/** What would be sent where. */
export interface PushPlan {
  readonly remote: string
  readonly branch: string
  readonly commit: string
  /** Commits that the remote is not known to have; undefined where nothing is known of the branch there. */
  readonly ahead: number | undefined
  /** Without secrets. */
  readonly urls: ReadonlyArray<string>
  readonly protocol: Protocol
  /** Git directories of this machine that it goes to. */
  readonly receiving: ReadonlyArray<string>
}

export type Protocol = "https" | "ssh" | "file"

const protocolOf = (url: string): Protocol | undefined => {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  if (scheme === "https" || scheme === "ssh" || scheme === "file") return scheme
  if (scheme !== undefined || url.includes("::") || url.startsWith("-")) return undefined
  return url.startsWith("/") ? "file" : /^[\w.@-]+:/.test(url) ? "ssh" : undefined
}

/** The git directory that git takes a local path for, if there is one. */
const directoryOf = (url: string): ReadonlyArray<string> => {
  const place = url.startsWith("/") ? url : fileURLToPath(url)
  const found = [`${place}/.git`, place, `${place}.git/.git`, `${place}.git`].find(
    (directory) =>
      fs.existsSync(`${directory}/HEAD`) && fs.existsSync(`${directory}/objects`) && fs.existsSync(`${directory}/refs`)
  )
  return found === undefined ? [] : [fs.realpathSync(found)]
}

/** Settings of the repository that would send credentials past the user's own. */
const steering = /^(?:http\.|remote\..*\.(?:proxy|proxyauthmethod|vcs)$)/

const refused = (reason: string) => new GitRefused({ reason })

export const pushPlan = Effect.fnUntraced(function* (git: Git, wanted: { remote?: string; branch?: string }) {
  const line = (args: ReadonlyArray<string>, accept: ReadonlyArray<number> = []) =>
    Effect.map(git.run(args, { accept }), ({ stdout }) => stdout.trim())
  const redactor = yield* Redactor
  const remote = wanted.remote ?? "origin"
  const remotes = (yield* line(["remote"])).split("\n")
  if (!remotes.includes(remote)) return yield* refused(`unknown remote ${JSON.stringify(remote)}`)
  const branch = wanted.branch ?? (yield* line(["symbolic-ref", "--quiet", "--short", "HEAD"], [1]))
  if (branch === "") return yield* refused("HEAD is on no branch; name the branch")
  const found = git.settings.filter((entry) => isForeign(entry) && steering.test(entry.name))
  if (found.length > 0) {
    const names = found
      .slice(0, 5)
      .map(({ name }) => name)
      .join(", ")
    return yield* refused(`the repository configures its own connection (${names}); to use it, push from a terminal`)
  }
  const urls = (yield* line(["remote", "get-url", "--push", "--all", remote])).split("\n")
  const protocols = new Set(urls.map(protocolOf))
  const [protocol] = protocols
  if (protocols.size !== 1 || protocol === undefined) {
    return yield* refused(
      `${remote} leads to ${urls.map(redactor.text).join(", ")}; only https, ssh and local paths are supported`
    )
  }
  const commit = yield* line(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`], [1])
  if (commit === "") return yield* refused(`unknown branch ${JSON.stringify(branch)}`)
  const tracked = `refs/remotes/${remote}/${branch}`
  const known = yield* line(["rev-parse", "--verify", "--quiet", `${tracked}^{commit}`], [1])
  const ahead = known === "" ? undefined : Number(yield* line(["rev-list", "--count", `${known}..${commit}`]))
  const receiving =
    protocol === "file"
      ? yield* Effect.try({
          try: () => urls.flatMap(directoryOf),
          catch: (error) => refused(`its remote cannot be read: ${String(error)}`)
        })
      : []
  return { remote, branch, commit, ahead, urls: urls.map(redactor.text), protocol, receiving } satisfies PushPlan
})

const helperName = /^credential\.(?:.*\.)?helper$/

const own = (configured: ReadonlyArray<Setting>) =>
  configured
    .filter((entry) => !isForeign(entry) && helperName.test(entry.name))
    .map(({ name, value }) => [name, value] as const)

/** A repository on this machine runs its own hooks and filters when it receives into its tree; it does neither for us. */
const receiver: Readonly<Record<Protocol, string>> = {
  file: `git ${[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=true",
    "receive.denyCurrentBranch=refuse",
    "receive.autogc=false",
    "gc.auto=0",
    "maintenance.auto=false"
  ]
    .map((setting) => `-c ${setting}`)
    .join(" ")} receive-pack`,
  https: "git-receive-pack",
  ssh: "git-receive-pack"
}

/** Sends one commit to one branch, never by force. */
export const push = Effect.fnUntraced(function* (git: Git, plan: PushPlan) {
  const users = own(git.settings)
  const { branch, commit, protocol, receiving, remote } = plan
  const quiet = ["--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no"]
  const { stdout } = yield* git.run(
    ["push", ...quiet, `--receive-pack=${receiver[protocol]}`, "--", remote, `${commit}:refs/heads/${branch}`],
    {
      write: true,
      network: protocol !== "file",
      // A sandbox shows no more of this machine than a push that was decided on needs.
      receiving,
      time: "10 minutes",
      protocols: [protocol],
      settings: [["protocol.allow", "never"], [`protocol.${protocol}.allow`, "always"], ...helpers(users)]
    }
  )
  return stdout
})
