// Runs real agents from the registry against a model on the loopback, with the hook installed, and says what became of their calls:
// `npm run build && node scripts/agents.mjs`. It downloads the agents into a temporary folder, or takes them from AGENTS, a folder with
// their `node_modules`. Nothing leaves the machine while they run.
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const launcher = path.join(path.dirname(fileURLToPath(import.meta.url)), "../dist/tollgate.cjs")
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-agents-")))
const packages = ["@google/gemini-cli@0.61.0", "@openai/codex@0.169.0"]
const installed = process.env.AGENTS ?? folder
if (process.env.AGENTS === undefined) {
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, ...packages], {
    stdio: "inherit"
  })
}
const bin = (name) => path.join(installed, "node_modules/.bin", name)

/** What is called, and what the answer of the hook comes to for an agent that cannot be asked. */
const calls = [
  { kind: "allowed", command: "cat a.txt", runs: true },
  { kind: "ordinary", command: "mkdir made", runs: true },
  { kind: "asked about", command: "git reset --hard", runs: false },
  { kind: "denied", command: "cp a.txt .git/hooks/pre-commit", runs: false }
]

const sse = (response, events) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const [name, data] of events)
    response.write(`${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
  response.end()
}

/** One call for the first request of a model, the end for the next; what came back is kept. */
const model = (command, heard) =>
  http.createServer((request, response) => {
    let body = ""
    request.on("data", (piece) => (body += piece))
    request.on("end", () => {
      const isLater = /"functionResponse"|"function_call_output"/.test(body)
      if (isLater) heard.push(body)
      if (request.url.includes(":streamGenerateContent") || request.url.includes(":generateContent")) {
        const part = isLater
          ? { text: "done" }
          : { functionCall: { name: "run_shell_command", args: { command, description: "d" } } }
        const data = {
          candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
        }
        if (request.url.includes(":streamGenerateContent")) return sse(response, [["", data]])
        response.writeHead(200, { "content-type": "application/json" })
        return response.end(JSON.stringify(data))
      }
      if (request.url.includes("/responses")) {
        const item = isLater
          ? { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "done" }] }
          : {
              type: "function_call",
              id: "f",
              call_id: "c",
              name: "exec_command",
              arguments: JSON.stringify({ cmd: command })
            }
        const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
        return sse(response, [
          ["response.created", { type: "response.created", response: { id: "r" } }],
          ["response.output_item.done", { type: "response.output_item.done", item }],
          ["response.completed", { type: "response.completed", response: { id: "r", usage } }]
        ])
      }
      response.writeHead(404)
      response.end("{}")
    })
  })

const agents = {
  gemini: (url) => ({
    program: bin("gemini"),
    args: ["--yolo", "--skip-trust", "-p", "go"],
    env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }
  }),
  codex: (url) => ({
    program: bin("codex"),
    args: [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-hook-trust",
      "-s",
      "danger-full-access",
      "-c",
      'model_provider="local"',
      "-c",
      'model="gpt-5"',
      "-c",
      'model_providers.local.name="local"',
      "-c",
      `model_providers.local.base_url="${url}/v1"`,
      "-c",
      'model_providers.local.wire_api="responses"',
      "go"
    ],
    env: {}
  })
}

const run = (program, args, options) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    const late = setTimeout(() => child.kill("SIGKILL"), 90_000)
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece))
    child.on("close", (code) => {
      clearTimeout(late)
      resolve({ code, text })
    })
  })

let wrong = 0
for (const [name, of] of Object.entries(agents)) {
  for (const { command, kind, runs } of calls) {
    const home = fs.mkdtempSync(path.join(folder, "home-"))
    const work = path.join(home, "work")
    fs.mkdirSync(work)
    execFileSync("git", ["init", "-q", work])
    fs.rmSync(path.join(work, ".git/hooks"), { recursive: true, force: true })
    fs.mkdirSync(path.join(work, ".git/hooks"))
    fs.writeFileSync(path.join(work, "a.txt"), "the text of a\n")
    fs.mkdirSync(path.join(home, ".gemini"))
    const auth = { security: { auth: { selectedType: "gemini-api-key" } } }
    fs.writeFileSync(path.join(home, ".gemini/settings.json"), JSON.stringify(auth))
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      TOLLGATE_HOME: path.join(home, "tollgate"),
      TERM: "dumb",
      NO_COLOR: "1"
    }
    execFileSync(process.execPath, [launcher, "hook", "install", name, "--yes"], { cwd: work, env })
    const heard = []
    const server = model(command, heard)
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { args, env: more, program } = of(`http://127.0.0.1:${server.address().port}`)
    const { code, text } = await run(program, args, { cwd: work, env: { ...env, ...more } })
    server.closeAllConnections()
    server.close()
    const told = /Tollgate[^"\\]{0,160}/.exec(heard.join("\n"))?.[0] ?? ""
    const audit = execFileSync(process.execPath, [launcher, "approvals", "audit", "--json"], {
      cwd: work,
      env,
      encoding: "utf8"
    })
    const outcome = /"outcome":"([^"]*)"/.exec(audit)?.[1] ?? "nothing in the audit"
    const isGood = heard.length > 0 && (told === "") === runs
    if (!isGood) wrong++
    process.stdout.write(
      `${isGood ? "ok " : "BAD"} ${name}, ${kind}: ${command}: ${outcome}${told === "" ? "" : `; ${told}`}\n`
    )
    if (!isGood) process.stdout.write(`${code} ${text.slice(-1500)}\n`)
  }
}
fs.rmSync(folder, { recursive: true, force: true })
process.exitCode = wrong === 0 ? 0 : 1
