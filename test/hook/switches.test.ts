import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { setups } from "../../src/hook/install/Setup.ts"
import { switchesOf } from "../../src/hook/install/Switches.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

/** `~` is the home of the user, `.` the project. */
interface Case {
  readonly agent: string
  readonly files: Readonly<Record<string, string>>
  readonly off: ReadonlyArray<string>
}

const on: ReadonlyArray<Case> = setups.map(({ agent }) => ({ agent, files: {}, off: [] }))
const cases: ReadonlyArray<Case> = [
  ...on,
  {
    agent: "claude",
    files: { "~/.claude/settings.json": `{"disableAllHooks": true}` },
    off: ["~/.claude/settings.json"]
  },
  { agent: "claude", files: { "~/.claude/settings.json": `{"disableAllHooks": false}` }, off: [] },
  { agent: "claude", files: { "~/.claude/settings.json": `{"disableAllHooks": "true"}` }, off: [] },
  { agent: "claude", files: { "~/.claude/settings.json": `{` }, off: [] },
  {
    agent: "claude",
    files: { "./.claude/settings.json": `// mine\n{"disableAllHooks": true,}` },
    off: ["./.claude/settings.json"]
  },
  {
    agent: "claude",
    files: { "./.claude/settings.local.json": `{"disableAllHooks": true}` },
    off: ["./.claude/settings.local.json"]
  },
  {
    agent: "claude",
    files: {
      "./.claude/settings.json": `{"disableAllHooks": false}`,
      "~/.claude/settings.json": `{"disableAllHooks": true}`
    },
    off: []
  },
  {
    agent: "codex",
    files: { "~/.codex/config.toml": `model = "x"\n[features]\nhooks = false # no\n` },
    off: ["~/.codex/config.toml"]
  },
  {
    agent: "codex",
    files: { "~/.codex/config.toml": `[features]\nweb = true\ncodex_hooks = false\n[x]\n` },
    off: ["~/.codex/config.toml"]
  },
  { agent: "codex", files: { "./.codex/config.toml": `features.hooks = false` }, off: ["./.codex/config.toml"] },
  { agent: "codex", files: { "~/.codex/config.toml": `features = { hooks = false }` }, off: ["~/.codex/config.toml"] },
  { agent: "codex", files: { "~/.codex/config.toml": `[features]\nhooks = true\n[other]\nhooks = false\n` }, off: [] },
  {
    agent: "gemini",
    files: { "~/.gemini/settings.json": `{"hooksConfig": {"enabled": false}}` },
    off: ["~/.gemini/settings.json"]
  },
  {
    agent: "gemini",
    files: { "./.gemini/settings.json": `{"hooksConfig": {"disabled": ["tollgate"]}}` },
    off: ["./.gemini/settings.json"]
  },
  { agent: "gemini", files: { "~/.gemini/settings.json": `{"hooksConfig": {"disabled": ["lint"]}}` }, off: [] },
  {
    agent: "gemini",
    files: { "~/.gemini/settings.json": `{"tools": {"enableHooks": false}}` },
    off: ["~/.gemini/settings.json"]
  },
  { agent: "qwen", files: { "~/.qwen/settings.json": `{"disableAllHooks": true}` }, off: ["~/.qwen/settings.json"] },
  {
    agent: "copilot",
    files: { "~/.copilot/config.json": `{"disableAllHooks": true}` },
    off: ["~/.copilot/config.json"]
  },
  {
    agent: "copilot",
    files: { "./.github/copilot/settings.json": `{"disableAllHooks": true}` },
    off: ["./.github/copilot/settings.json"]
  }
]

describe("a setting by which an agent runs no hooks", () => {
  for (const { agent, files, off } of cases) {
    const where = Object.entries(files).map(([file, text]) => `${file} ${JSON.stringify(text)}`)
    it.scoped(`is ${off.length > 0 ? "found" : "not there"}: ${agent} ${where.join(", ")} (X5)`, () =>
      Effect.gen(function* () {
        const base = yield* temporaryDirectory
        const [home, project] = [path.join(base, "home"), path.join(base, "ws")]
        const real = (file: string) => file.replace(/^~/, home).replace(/^\./, project)
        for (const [file, text] of Object.entries(files)) {
          fs.mkdirSync(path.dirname(real(file)), { recursive: true })
          fs.writeFileSync(real(file), text)
        }
        const setup = setups.find((one) => one.agent === agent)!
        const found = yield* switchesOf(setup, setup.user(home, {}), project)
        assert.deepStrictEqual(
          found.map(({ file }) => file),
          off.map(real)
        )
      })
    )
  }
})
