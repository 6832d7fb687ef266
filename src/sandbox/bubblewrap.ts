import type { ProcessCommand } from "../process/ProcessCommand.ts"
import type { Plan } from "./Plan.ts"
import { within } from "./Plan.ts"
import { limited } from "./processLimit.ts"

const bind = (option: string, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => [option, path, path])

const fresh = ["/tmp", "/run"]

const isCovered = (path: string): boolean => fresh.some((place) => within(place, path))

/**
 * The system read-only and without its sockets (`/run` and `/tmp` are fresh: a read-only socket can still be written to, and
 * some of those behind them are as good as root), no capability, no more than so many processes, and namespaces of its own, so that nothing outlives it.
 */
export const bubblewrap = (
  program: string,
  command: ProcessCommand,
  plan: Plan,
  network: boolean,
  processes: number
): ProcessCommand => ({
  ...command,
  file: program,
  cwd: "/",
  env: { ...command.env, TMPDIR: "/tmp" },
  supervised: true,
  tells: true,
  args: [
    ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"],
    ["--ro-bind-try", "/run/current-system", "/run/current-system"],
    network ? ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"] : [],
    bind("--ro-bind", [...(plan.cwd === undefined ? [] : [plan.cwd]), ...(plan.readable ?? [])].filter(isCovered)),
    bind("--bind", plan.writable),
    bind("--bind", plan.pinned),
    bind("--ro-bind", plan.readOnly),
    plan.hidden.flatMap(({ path, kind }) =>
      kind === "directory" ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path]
    ),
    ["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    network ? [] : ["--unshare-net"],
    ["--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    ["--chdir", command.cwd, "--", ...limited(processes), command.file, ...command.args]
  ].flat()
})
