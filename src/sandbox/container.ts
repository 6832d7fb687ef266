import type { ProcessCommand } from "../process/ProcessCommand.ts"
import { elsewhere } from "./elsewhere.ts"
import type { Plan } from "./Plan.ts"
import { spareProcesses } from "./processLimit.ts"

export interface ContainerOptions {
  readonly engine: "docker" | "podman"
  readonly image: string
}

export interface ContainerRun {
  /** The engine's client. */
  readonly program: string
  /** Of the container. */
  readonly name: string
  /** `uid:gid`: written files belong to the user. */
  readonly user: string | undefined
}

/** One field of the comma-separated list that `--mount` takes. */
const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const mount = (...fields: ReadonlyArray<string>): ReadonlyArray<string> => ["--mount", fields.map(field).join(",")]

const bind = (path: string, access: "read" | "write"): ReadonlyArray<string> =>
  mount("type=bind", `source=${path}`, `target=${path}`, ...(access === "read" ? ["readonly"] : []))

/**
 * A new container of an image, with the policy's directories at their own paths. Of the environment only the names are on the
 * command line; the engine takes the values from its own.
 */
export const container = (
  { engine, image }: ContainerOptions,
  { program, name, user }: ContainerRun,
  command: ProcessCommand,
  plan: Plan,
  network: boolean
): ProcessCommand => ({
  ...command,
  file: program,
  cwd: "/",
  args: [
    ["run", "--rm", "--init", "--name", name],
    command.stdin === undefined || command.stdin === "closed" ? [] : ["--interactive"],
    network ? [] : ["--network", "none"],
    ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ["--pids-limit", String(spareProcesses)],
    engine === "podman" ? ["--userns", "keep-id"] : user === undefined ? [] : ["--user", user],
    plan.cwd === undefined || plan.writable.includes(plan.cwd) ? [] : bind(plan.cwd, "read"),
    (plan.readable ?? []).flatMap((path) => bind(path, "read")),
    plan.writable.flatMap((path) => bind(path, "write")),
    plan.pinned.flatMap((path) => bind(path, "write")),
    plan.readOnly.flatMap((path) => bind(path, "read")),
    plan.hidden.flatMap(({ path, kind }) =>
      kind === "directory"
        ? mount("type=tmpfs", `target=${path}`, "readonly")
        : mount("type=bind", "source=/dev/null", `target=${path}`, "readonly")
    ),
    Object.keys(elsewhere(command.env)).flatMap((variable) => ["--env", variable]),
    ["--workdir", command.cwd, "--entrypoint", command.file, image, ...command.args]
  ].flat()
})

/** Ends a container whose client was killed before it could. */
export const removal = ({ program, name }: ContainerRun, { env }: ProcessCommand): ProcessCommand => ({
  file: program,
  args: ["rm", "--force", name],
  cwd: "/",
  env
})
