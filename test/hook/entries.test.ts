import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import * as path from "node:path"
import { commandOf, isOwn } from "../../src/hook/install/Entry.ts"
import { installing, stateOf, uninstalling } from "../../src/hook/install/Installation.ts"
import { setups } from "../../src/hook/install/Setup.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const argv = (agent: string) => ["/usr/bin/node", "/opt/it's here/tollgate.cjs", "hook", agent]
const ours = (agent: string) => commandOf(argv(agent))
const inFiles = setups.filter(({ entries }) => entries !== undefined)

/** Commands that hold one of ours, or look like one, and do something else or nothing. */
const foreign: ReadonlyArray<(own: string, agent: string) => string> = [
  (own) => `# ${own}`,
  (own) => `true || ${own}`,
  (own) => `/opt/audit.sh && ${own}`,
  (own) => `${own}; /opt/audit.sh`,
  (own) => `${own} | tee log`,
  (own) => `echo ${own}`,
  (own) => `env -i ${own}`,
  (own) => `A=b ${own}`,
  (own) => `\n${own}`,
  (own) => `$(${own})`,
  (_, agent) => `echo tollgate hook ${agent}`,
  (_, agent) => `/opt/audit.sh && tollgate hook ${agent}`,
  (_, agent) => `tollgate hook ${agent} || true`,
  (_, agent) => `tollgate hook ${agent} > /dev/null`,
  (_, agent) => `tollgate hook ${agent} &`,
  (_, agent) => `tollgate hook ${agent}#x`,
  (_, agent) => `tollgate hook ${agent} --more`,
  (_, agent) => `npx tollgate hook ${agent}`,
  (_, agent) => `node -e 1 tollgate hook ${agent}`,
  (_, agent) => `"$HOME/tollgate" hook ${agent}`
]

/** As they are written by install, by whatever path, and as a person types them. */
const own: ReadonlyArray<(agent: string) => string> = [
  ours,
  (agent) => commandOf(["env", "TOLLGATE_HOME=/a b", ...argv(agent)]),
  (agent) => commandOf(["env", "XDG_CONFIG_HOME=/a", "XDG_DATA_HOME=/it's", ...argv(agent)]),
  (agent) => commandOf([process.execPath, "/x/tollgate", "hook", agent]),
  (agent) => `'/old/node' '/old/tollgate.cjs' hook ${agent}`,
  (agent) => `tollgate hook ${agent}`,
  (agent) => `/usr/local/bin/tollgate hook ${agent}`,
  (agent) => `env TOLLGATE_HOME=/x node "/a b/tollgate.mjs" hook ${agent}`
]

const entered = (command: string) =>
  Effect.map(temporaryDirectory, (state) => {
    const file = path.join(state, "settings.json")
    const hook = { hooks: { Other: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] } }
    fs.writeFileSync(file, JSON.stringify(hook, null, 2))
    return { file, state, text: JSON.stringify(hook, null, 2) }
  })

describe("an entry in the configuration of an agent", () => {
  it("is Tollgate's own where it runs the hook of that agent and nothing else (X5)", () => {
    for (const { agent } of setups) {
      for (const command of own) {
        assert.isTrue(isOwn(agent, command(agent)), command(agent))
        assert.isFalse(isOwn("other", command(agent)), command(agent))
      }
      for (const command of foreign)
        assert.isFalse(isOwn(agent, command(ours(agent), agent)), command(ours(agent), agent))
    }
  })

  it.scoped.prop(
    "of the user that runs the hook among others stays as it is, and is called what it is (X5)",
    { setup: FastCheck.constantFrom(...inFiles), command: FastCheck.constantFrom(...foreign) },
    ({ command: of, setup }) =>
      Effect.gen(function* () {
        const command = of(ours(setup.agent), setup.agent)
        const { file, state, text } = yield* entered(command)
        const before = yield* stateOf(setup, file, argv(setup.agent))
        assert.include(["Foreign", "Absent"], before._tag)
        if (/tollgate\S* hook/.test(command)) {
          assert.deepStrictEqual(before, { _tag: "Foreign", command })
        }
        assert.strictEqual((yield* uninstalling(setup, file, state)).after, text)
        const { after = "" } = yield* installing(setup, file, argv(setup.agent))
        assert.include(after, JSON.stringify(command))
        fs.writeFileSync(file, after)
        assert.strictEqual((yield* stateOf(setup, file, argv(setup.agent)))._tag, "Installed")
        const left = yield* uninstalling(setup, file, state)
        assert.include(left.after, JSON.stringify(command))
        assert.notInclude(left.after, JSON.stringify(ours(setup.agent)))
      }),
    { fastCheck: { numRuns: 60 } }
  )

  it.scoped("of our own is replaced, and taken away, by whatever path it runs (X5)", () =>
    Effect.gen(function* () {
      for (const setup of inFiles) {
        for (const command of own) {
          const { file, state } = yield* entered(command(setup.agent))
          const { after } = yield* installing(setup, file, argv(setup.agent))
          assert.strictEqual(after?.includes("Other"), false, command(setup.agent))
          assert.notInclude((yield* uninstalling(setup, file, state)).after, "hook")
        }
      }
    })
  )

  it.scoped("of the user in a file of our own keeps the file (X5)", () =>
    Effect.gen(function* () {
      for (const setup of setups.filter(({ whole }) => whole !== undefined)) {
        const state = yield* temporaryDirectory
        const file = path.join(state, "tollgate")
        const own = setup.whole!(argv(setup.agent), ours(setup.agent))
        const program = JSON.stringify(argv(setup.agent)[0])
        const changed =
          setup.agent === "copilot"
            ? own.replace('"bash": "', '"bash": "/opt/audit.sh && ')
            : own.replace(program, '"/opt/audit.sh"')
        assert.notStrictEqual(changed, own)
        fs.writeFileSync(file, changed)
        const found = yield* stateOf(setup, file, argv(setup.agent))
        assert.match(found._tag === "Foreign" ? found.command : found._tag, /audit\.sh/)
        assert.include((yield* Effect.flip(installing(setup, file, argv(setup.agent)))).message, "not Tollgate's")
        assert.strictEqual((yield* uninstalling(setup, file, state)).after, changed)
        fs.writeFileSync(
          file,
          setup.whole!(["/old/node", "/old/tollgate.cjs", "hook", setup.agent], "tollgate hook copilot")
        )
        assert.strictEqual((yield* stateOf(setup, file, argv(setup.agent)))._tag, "Other")
        assert.strictEqual((yield* installing(setup, file, argv(setup.agent))).after, own)
        assert.isUndefined((yield* uninstalling(setup, file, state)).after)
      }
    })
  )
})
