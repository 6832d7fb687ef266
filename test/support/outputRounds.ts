import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Processes } from "../../src/process/Processes.ts"
import { now, pause } from "../../src/process/RealClock.ts"
import { toHook } from "../../src/tool/CommandHook.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as HookProcesses from "../../src/tool/HookProcesses.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Echo, request } from "../tool/support.ts"
import { call, world, type World } from "../tools/support.ts"

/** Takes the event loop again and again, as a machine does that is too busy. */
const busy = Effect.forkScoped(
  Effect.forever(
    Effect.suspend(() => {
      const until = now() + 60
      while (now() < until);
      return pause("2 millis")
    })
  )
)

const hostile = (here: World): void => {
  here.git("init", "--quiet", "--initial-branch=main")
  here.write("a.txt", "one\n")
  here.git("add", "a.txt")
  here.git("commit", "--quiet", "--message=first")
  here.write(".gitattributes", "* filter=evil\n")
  const payload = `touch ${here.base}/PWNED; cat`
  here.git("config", "filter.evil.clean", payload)
  here.git("config", "filter.evil.process", payload)
  here.git("config", "core.fsmonitor", payload)
  here.write("a.txt", "two\n")
}

const hook = (script: string) =>
  toHook({
    event: "pre",
    tool: "*",
    command: ["/bin/sh", "-c", script],
    name: "sh",
    timeout: "1 minute",
    onFailure: "fail"
  })

const heard = (script: string) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.make([Echo], {
      middleware: DefaultStack.make({ hooks: [hook(script)] }),
      gate: Gate.unguarded("unit test")
    })
    const ended = yield* Effect.either(toolset.call(request("echo", { text: "ran" })))
    return Either.isRight(ended) ? ended.right.text : ended.left.message
  })

/** Rounds of hooks that abort, agree and say nothing, and of git in a hostile repository, so many at once; tells what went wrong. */
export const outputRounds = (rounds: number, atOnce: number) =>
  Effect.gen(function* () {
    const here = yield* world
    hostile(here)
    const faults: Array<string> = []
    const tell = (what: string, said: string, holds: boolean): void => {
      if (!holds) faults.push(`${what}: ${said.slice(0, 200)}`)
    }
    const git = (name: "git_status" | "git_diff") => Effect.provide(call(name, {}), here.layer())
    const kinds = [
      () =>
        Effect.map(heard(`cat >/dev/null; echo '{"decision":"abort","reason":"frozen"}'`), (said) =>
          tell("abort", said, said.includes("frozen"))
        ),
      () =>
        Effect.map(heard(`cat >/dev/null; echo '{"decision":"continue"}'`), (said) =>
          tell("continue", said, said === "ran")
        ),
      () => Effect.map(heard("cat >/dev/null"), (said) => tell("silence", said, said.includes("answered nothing"))),
      () => Effect.map(git("git_status"), ({ text }) => tell("status", text, text.includes(" M a.txt"))),
      () => Effect.map(git("git_diff"), ({ text }) => tell("diff", text, text.includes("-one\n+two")))
    ]
    yield* busy
    const from = now()
    yield* Effect.forEach(
      Array.from({ length: rounds }, (_, round) => kinds[round % kinds.length]!),
      (round) => round(),
      { concurrency: atOnce, discard: true }
    )
    if (here.pwned().length > 0) faults.push("a program of the repository ran")
    return { rounds, atOnce, seconds: Math.round((now() - from) / 1000), faults }
  }).pipe(
    Effect.scoped,
    Effect.provide(
      HookProcesses.layer({ cwd: "/", env: { PATH: "/usr/bin:/bin" } }).pipe(Layer.provideMerge(Processes.layer))
    )
  )
