import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import * as path from "node:path"
import { isData } from "../../src/hook/ForeignCall.ts"
import { agent, payload, payloadFiles, shellPayload, stage } from "./support.ts"

const stops = ["ask", "deny"]
const inputOf = (sent: Record<string, unknown>): string =>
  ["tool_input", "toolArgs", "toolInput", "args"].find((key) => key in sent) ?? ""

const called = (workspace: string, name: string, tool: string, input: object): Record<string, unknown> => {
  const sent = shellPayload(name, "x", workspace)
  const named = ["tool_name", "toolName", "tool"].find((key) => key in sent) ?? ""
  return { ...sent, [named]: tool, [inputOf(sent)]: input }
}

const judged = payloadFiles.filter((file) => !/permissionrequest|mcp/.test(file))

describe("the parameters of another agent's tools", () => {
  it.scoped.prop(
    "are all known, or the call is asked about (X5)",
    {
      file: FastCheck.constantFrom(...judged),
      name: FastCheck.oneof(
        FastCheck.constantFrom(
          "env",
          "cwd",
          "shell",
          "filePath",
          "absolute_path",
          "path2",
          "stdin",
          "__proto__",
          "edits"
        ),
        FastCheck.stringMatching(/^[a-z]{5,12}_zz$/)
      ),
      value: FastCheck.constantFrom<unknown>("/etc/passwd", { PATH: "." }, ["x"], true, 1, { file_path: "/etc/x" })
    },
    ({ file, name, value }) =>
      Effect.gen(function* () {
        const { answer, workspace } = yield* stage
        const [who = ""] = file.split("-")
        const sent = payload(file, workspace)
        const key = inputOf(sent)
        const { [key]: input } = sent
        const given = typeof input === "string" ? JSON.parse(input) : input
        if (!isData(given) || (name !== "__proto__" && name in given)) return
        const more = JSON.parse(
          JSON.stringify(given).replace(/^\{/, `{${JSON.stringify(name)}:${JSON.stringify(value)},`)
        )
        const { said } = yield* answer(agent(who), { ...sent, [key]: more })
        assert.include(stops, said, `${file} ${name}`)
      }),
    { fastCheck: { numRuns: 120 } }
  )

  it.scoped.prop(
    "have the type that the tool takes, or the call is asked about (X5)",
    {
      file: FastCheck.constantFrom(...judged),
      pick: FastCheck.nat(),
      value: FastCheck.constantFrom<unknown>({}, { a: 1 }, [1], [{}], 7)
    },
    ({ file, pick, value }) =>
      Effect.gen(function* () {
        const { answer, workspace } = yield* stage
        const [who = ""] = file.split("-")
        const sent = payload(file, workspace)
        const key = inputOf(sent)
        const { [key]: input } = sent
        const given = typeof input === "string" ? JSON.parse(input) : input
        const names = Object.keys(given)
        const name = names[pick % names.length] ?? ""
        const { said } = yield* answer(agent(who), { ...sent, [key]: { ...given, [name]: value } })
        assert.include(stops, said, `${file} ${name}`)
      }),
    { fastCheck: { numRuns: 80 } }
  )

  it.scoped("are asked about one by one where they say another thing (X5)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const cases: ReadonlyArray<readonly [name: string, tool: string, input: object]> = [
        ["claude", "Bash", { command: "ls", env: { LD_PRELOAD: "./x.so" } }],
        ["claude", "Bash", { command: "ls", cwd: "/etc" }],
        ["claude", "Bash", { command: "ls", run_in_background: "yes" }],
        ["claude", "Bash", { command: "ls", dangerouslyDisableSandbox: true }],
        ["claude", "Write", { file_path: `${workspace}/a`, filePath: "/etc/x", content: "" }],
        [
          "claude",
          "MultiEdit",
          { file_path: `${workspace}/a`, edits: [{ file_path: "/etc/x", old_string: "", new_string: "x" }] }
        ],
        ["gemini", "read_file", { file_path: `${workspace}/a`, absolute_path: "/etc/passwd" }],
        ["gemini", "read_file", { absolute_path: "/etc/passwd" }],
        ["codex", "exec_command", { cmd: "ls", shell: "/tmp/x" }],
        ["codex", "shell", { command: ["cat", "passwd"], workdir: "/etc" }],
        ["codex", "shell", { command: ["cat", "../../etc/passwd"], workdir: "src" }],
        ["codex", "shell", { command: ["npm", "test"], workdir: "/srv" }],
        ["codex", "shell", { command: ["bash", "-c", "ls", "x"] }],
        ["codex", "shell", { command: ["bash", "-ic", "ls"] }],
        ["codex", "shell", { command: ["bash", "-lc", "cat passwd"], workdir: "/etc" }],
        ["opencode", "bash", { command: "cat passwd", workdir: "/etc" }],
        ["gemini", "run_shell_command", { command: "cat passwd", dir_path: "/etc" }],
        ["qwen", "run_shell_command", { command: "cat passwd", directory: "/etc" }],
        ["gemini", "read_many_files", { include: [`src${"\\..".repeat(9)}\\etc\\passwd`] }],
        ["gemini", "read_many_files", { include: ["{/etc/passwd,a}"] }],
        ["claude", "Glob", { pattern: "{/etc,src}/*" }],
        ["gemini", "web_fetch", { prompt: 'get http://a"@169.254.169.254/x' }],
        ["gemini", "web_fetch", { prompt: "get http://169.254.169.254/x", url: "https://example.com" }]
      ]
      for (const [name, tool, input] of cases) {
        const { said } = yield* answer(agent(name), called(workspace, name, tool, input))
        assert.include(stops, said, JSON.stringify([name, tool, input]))
      }
      const fetched = yield* answer(agent("cursor"), {
        ...shellPayload("cursor", "x", workspace),
        hook_event_name: "preToolUse",
        tool_name: "WebFetch",
        tool_input: { url: "http://169.254.169.254/x" }
      })
      assert.include(stops, fetched.said, "cursor WebFetch")
      const { said } = yield* answer(
        agent("codex"),
        called(workspace, "codex", "shell", { command: ["npm", "test"], workdir: "." })
      )
      assert.strictEqual(said, "nothing")
    })
  )

  it.scoped("that name a shell of the project run a program of it, which no rule for the text is about (X5, A6)", () =>
    Effect.gen(function* () {
      const { answer, config, workspace } = yield* stage
      config({ approvals: { rules: [{ id: "l", tool: "run_shell", decision: "allow", argv: ["ls"] }] } })
      for (const [shell, expected] of [
        ["bash", "allow"],
        ["/usr/bin/bash", "allow"],
        [`${workspace}/bin/bash`, "nothing"],
        ["/tmp/bash", "nothing"]
      ] as const) {
        const sent = called(workspace, "codex", "shell", { command: [shell, "-lc", "ls"] })
        const { said } = yield* answer(agent("codex"), { ...sent, hook_event_name: "PermissionRequest" })
        assert.strictEqual(said, expected, shell)
      }
    })
  )

  it.scoped("that leave the sandbox of the agent are asked about for that, and what is denied stays denied (X5)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const said = (command: string, dangerouslyDisableSandbox: boolean) =>
        answer(agent("claude"), called(workspace, "claude", "Bash", { command, dangerouslyDisableSandbox }))
      const outside = yield* said("npm test", true)
      assert.strictEqual(outside.said, "ask")
      assert.include(outside.reason, "It asks to run outside of the agent's sandbox.")
      assert.strictEqual((yield* said("rm -rf ~", true)).said, "deny")
      assert.strictEqual((yield* said("npm test", false)).said, "nothing")
    })
  )

  it.scoped("that come as text are asked about where a name stands in it twice, however far its colon is (X5)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const sent = shellPayload("copilot", "npm test", workspace)
      const once = yield* answer(agent("copilot"), { ...sent, toolArgs: '{"command" : "npm test"}' })
      assert.notInclude(stops, once.said, once.reason)
      for (const gap of ["", " ".repeat(100)]) {
        const toolArgs = `{"command":"rm -rf src","command"${gap}:"npm test"}`
        const { said } = yield* answer(agent("copilot"), { ...sent, toolArgs })
        assert.include(stops, said, toolArgs)
      }
    })
  )

  it.scoped("that come twice, or run in a place that is none, are asked about (X5)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const sent = shellPayload("copilot", "npm test", workspace)
      const other = { command: "rm -rf src" }
      for (const more of [{ toolInput: other }, { tool_input: other }, { tool_name: "bash", tool_input: other }]) {
        assert.include(stops, (yield* answer(agent("copilot"), { ...sent, ...more })).said, JSON.stringify(more))
      }
      const shell = shellPayload("cursor", "npm test", workspace)
      for (const cwd of [undefined, null, ""]) {
        assert.notInclude(stops, (yield* answer(agent("cursor"), { ...shell, cwd })).said, String(cwd))
      }
      for (const cwd of [5, true, false, {}, [workspace], "src", `./${workspace}`]) {
        assert.include(stops, (yield* answer(agent("cursor"), { ...shell, cwd })).said, String(cwd))
      }
    })
  )

  it.scoped("of a search are asked about where it would open protected files (X5, S2)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      fs.mkdirSync(path.join(workspace, "src"))
      fs.mkdirSync(path.join(workspace, "node_modules/x"), { recursive: true })
      fs.writeFileSync(path.join(workspace, "src/a.ts"), "")
      fs.writeFileSync(path.join(workspace, "node_modules/x/.env"), "")
      const searches = (asked: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const cases: ReadonlyArray<readonly [name: string, tool: string, input: object]> = [
            ["claude", "Grep", { pattern: "x", glob: ".env*" }],
            ["claude", "Grep", { pattern: "x", glob: "**/.env" }],
            ["claude", "Grep", { pattern: "x", path: "." }],
            ["claude", "Grep", { pattern: "x" }],
            ["claude", "Grep", { pattern: "x", glob: "" }],
            ["claude", "Grep", { pattern: "x", glob: "*.ts .env" }],
            ["claude", "Grep", { pattern: "x", glob: ".env,*.ts" }],
            ["claude", "Grep", { pattern: "x", path: "..", glob: "*.ts" }],
            ["claude", "Grep", { pattern: "x", type: "frobnicate" }],
            ["gemini", "search_file_content", { pattern: "x", include: "**/.env" }],
            ["gemini", "grep_search", { pattern: "x", include: ".e*" }],
            ["gemini", "grep_search", { pattern: "x", include: ":(top).env" }],
            ["gemini", "grep_search", { pattern: "x", include: ":!a" }],
            ["gemini", "read_many_files", { include: ["**/.env"] }],
            ["gemini", "read_many_files", { include: ["@(.env)"] }],
            ["gemini", "read_many_files", { include: ["src/*.ts", "**/+(.)env"] }],
            ["gemini", "read_many_files", { include: ["src/*.ts", "*"] }],
            ["qwen", "grep_search", { pattern: "x", glob: "*.{env,ts}" }],
            ["copilot", "grep", { pattern: "x", path: workspace }],
            ["opencode", "grep", { pattern: "x", include: "{.env,b}" }],
            ["cursor", "Grep", { pattern: "x", path: workspace }]
          ]
          for (const [index, [name, tool, input]] of cases.entries()) {
            const sent =
              name === "cursor"
                ? {
                    conversation_id: "c",
                    hook_event_name: "preToolUse",
                    workspace_roots: [workspace],
                    cwd: workspace,
                    tool_name: tool,
                    tool_input: input
                  }
                : called(workspace, name, tool, input)
            const { reason, said } = yield* answer(agent(name), sent)
            const always = "path" in input && input.path === ".."
            if (always || asked.includes("all"))
              assert.include(stops, said, `${index} ${JSON.stringify(input)} ${reason}`)
            else assert.notInclude(stops, said, `${index} ${JSON.stringify(input)} ${reason}`)
          }
        })
      yield* searches([])
      fs.writeFileSync(path.join(workspace, ".env"), "")
      yield* searches(["all"])
      for (const input of [
        { pattern: "x", path: "src" },
        { pattern: "x", glob: "*.ts" },
        { pattern: "x", glob: "*.{ts,tsx}, src/**/*.js" },
        { pattern: "x", type: "ts" },
        { pattern: "x", type: "ruby" }
      ]) {
        const { said } = yield* answer(agent("claude"), called(workspace, "claude", "Grep", input))
        assert.include(["allow", "nothing"], said, JSON.stringify(input))
      }
    })
  )
})
