import { assert, describe, it } from "@effect/vitest"
import type { ProcessCommand } from "../../src/process/ProcessCommand.ts"
import { bubblewrap } from "../../src/sandbox/bubblewrap.ts"
import { limited } from "../../src/sandbox/processLimit.ts"
import { container, removal } from "../../src/sandbox/container.ts"
import type { Plan } from "../../src/sandbox/Plan.ts"
import { sandboxExec } from "../../src/sandbox/sandboxExec.ts"
import { ssh } from "../../src/sandbox/ssh.ts"

const command: ProcessCommand = {
  file: "grep",
  args: ["-r", "a b"],
  cwd: "/ws/src",
  env: { PATH: "/usr/bin", HOME: "/home/ada", LANG: "C", "odd name": "x" },
  grace: "1 second"
}

const plan: Plan = {
  writable: ["/ws"],
  pinned: ["/ws/a"],
  readOnly: ["/ws/.git", "/ws/a/key"],
  absent: [],
  hidden: [
    { path: "/home/ada/.ssh", kind: "directory" },
    { path: "/home/ada/.netrc", kind: "file" }
  ],
  cwd: "/ws"
}

const tmp: Plan = { writable: [], pinned: [], readOnly: [], absent: [], hidden: [], cwd: "/tmp/ws" }

describe("the arguments of a sandbox", () => {
  it("are these for bubblewrap (R13)", () => {
    const { args, ...rest } = bubblewrap("/usr/bin/bwrap", command, plan, false, 2000)
    assert.deepStrictEqual(
      args.join(" "),
      "--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /run " +
        "--ro-bind-try /run/current-system /run/current-system " +
        "--bind /ws /ws --bind /ws/a /ws/a --ro-bind /ws/.git /ws/.git --ro-bind /ws/a/key /ws/a/key " +
        "--tmpfs /home/ada/.ssh --remount-ro /home/ada/.ssh --ro-bind /dev/null /home/ada/.netrc " +
        "--unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net " +
        "--cap-drop ALL --die-with-parent --new-session --chdir /ws/src -- " +
        `${limited(2000).join(" ")} grep -r a b`
    )
    assert.deepStrictEqual(args.slice(-3), ["grep", "-r", "a b"])
    assert.deepStrictEqual(rest, {
      file: "/usr/bin/bwrap",
      cwd: "/",
      env: { ...command.env, TMPDIR: "/tmp" },
      grace: "1 second",
      supervised: true,
      tells: true
    })
  })

  it("show bubblewrap a directory below its fresh ones, read-only, and the network where it is allowed (R13)", () => {
    const { args } = bubblewrap("bwrap", command, tmp, true, 2000)
    assert.deepStrictEqual(
      args.slice(14, 21).join(" "),
      "--ro-bind-try /run/systemd/resolve /run/systemd/resolve --ro-bind /tmp/ws /tmp/ws --unshare-user-try"
    )
    assert.notInclude(args, "--unshare-net")
  })

  const run = { program: "/usr/bin/docker", name: "tollgate-1", user: "1000:1000" }

  it("are these for docker, without the values of the environment (R13)", () => {
    const docker = container({ engine: "docker", image: "node:20" }, run, command, plan, false)
    assert.deepStrictEqual(
      docker.args.join(" "),
      "run --rm --init --name tollgate-1 --network none --read-only --tmpfs /tmp --cap-drop ALL " +
        "--security-opt no-new-privileges --pids-limit 1024 --user 1000:1000 " +
        "--mount type=bind,source=/ws,target=/ws --mount type=bind,source=/ws/a,target=/ws/a " +
        "--mount type=bind,source=/ws/.git,target=/ws/.git,readonly " +
        "--mount type=bind,source=/ws/a/key,target=/ws/a/key,readonly " +
        "--mount type=tmpfs,target=/home/ada/.ssh,readonly " +
        "--mount type=bind,source=/dev/null,target=/home/ada/.netrc,readonly " +
        "--env LANG --env odd name --workdir /ws/src --entrypoint grep node:20 -r a b"
    )
    assert.deepInclude(docker, { file: "/usr/bin/docker", cwd: "/", env: command.env })
    assert.deepStrictEqual(removal(run, command).args, ["rm", "--force", "tollgate-1"])
  })

  it("are these for podman, with input and network (R13)", () => {
    const given = { ...command, stdin: { text: "x" } }
    const { args } = container({ engine: "podman", image: "alpine" }, run, given, { ...tmp, cwd: '/a,"b' }, true)
    assert.deepStrictEqual(
      args.join(" "),
      "run --rm --init --name tollgate-1 --interactive --read-only --tmpfs /tmp --cap-drop ALL " +
        "--security-opt no-new-privileges --pids-limit 1024 --userns keep-id " +
        '--mount type=bind,"source=/a,""b","target=/a,""b",readonly ' +
        "--env LANG --env odd name --workdir /ws/src --entrypoint grep alpine -r a b"
    )
  })

  it("are these for sandbox-exec, with every path as a parameter (R13)", () => {
    const { args, file, cwd } = sandboxExec(command, plan, false)
    const [option, text = "", ...rest] = args
    assert.deepStrictEqual([file, cwd, option], ["/usr/bin/sandbox-exec", "/ws/src", "-p"])
    assert.deepStrictEqual(text.split("\n").slice(0, 2), ["(version 1)", "(deny default)"])
    assert.deepStrictEqual(text.split("\n").slice(-4), [
      '(allow file-write* (subpath (param "WRITABLE0")))',
      '(deny file-write* (subpath (param "PROTECTED0")) (subpath (param "PROTECTED1")))',
      '(deny file-write-unlink (literal (param "ABOVE0")) (literal (param "ABOVE1")))',
      '(deny file-read* file-write* (subpath (param "HIDDEN0")) (subpath (param "HIDDEN1")))'
    ])
    assert.notMatch(text, /network/)
    assert.deepStrictEqual(
      rest.join(" "),
      "-D WRITABLE0=/ws -D PROTECTED0=/ws/.git -D PROTECTED1=/ws/a/key -D ABOVE0=/ws -D ABOVE1=/ws/a " +
        "-D HIDDEN0=/home/ada/.ssh -D HIDDEN1=/home/ada/.netrc -- grep -r a b"
    )
    assert.match(sandboxExec(command, tmp, true).args[1] ?? "", /^\(allow network\*\)$/m)
  })

  it("are these for ssh, as one text for the other machine's shell (R13)", () => {
    const { args, file, cwd } = ssh("/usr/bin/ssh", "ada@example.org", command)
    assert.deepStrictEqual([file, cwd, args[0]], ["/usr/bin/ssh", "/", "-T"])
    assert.includeMembers([...args], ["BatchMode=yes", "ForwardAgent=no", "ClearAllForwardings=yes"])
    assert.deepStrictEqual(args.slice(-3), [
      "--",
      "ada@example.org",
      "cd -- '/ws/src' && export LANG='C' && exec 'grep' '-r' 'a b'"
    ])
  })
})
