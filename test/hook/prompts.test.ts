import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { claude } from "../../src/hook/agent/claude.ts"
import { codex } from "../../src/hook/agent/codex.ts"
import { agent, outcomeIn, payload, stage } from "./support.ts"

const of = outcomeIn("/w", codex)

const typing = (tool: string, input: object) => (workspace: string) => ({
  ...payload("codex-bash", workspace),
  tool_name: tool,
  tool_input: input
})

describe("a prompt that a command of Codex opens", () => {
  it.each([
    "poetry shell",
    "pipenv shell",
    "docker compose exec a sh",
    "docker-compose exec a sh",
    "docker compose run a",
    "docker compose run a sh",
    "docker compose -f x.yml -p y exec -u root a bash",
    "docker compose exec -it a python3",
    "docker compose exec -T a psql -U x",
    "docker compose exec a rails c",
    "docker compose run --entrypoint sh a",
    "docker-compose attach x",
    "docker-compose run a",
    "docker exec --interactive=true x sh",
    "docker run --interactive=true x",
    "docker run -a stdin x",
    "podman compose exec a sh",
    "rails console",
    "rails c",
    "rails c --sandbox",
    "RAILS_ENV=test rails c",
    "env RAILS_ENV=test bin/rails c",
    "rails dbconsole",
    "rails db",
    "bin/rails c",
    "bin/rails console",
    "ruby bin/rails c",
    "bundle exec rails c",
    "bundle exec rails console",
    "bundle exec bin/rails c",
    "bin/spring rails c",
    "bundle console",
    "bundle exec pry",
    "php artisan tinker",
    "php -d memory_limit=-1 artisan tinker",
    "php artisan db",
    "./artisan tinker",
    "./vendor/bin/sail artisan tinker",
    "./vendor/bin/sail shell",
    "./vendor/bin/psysh",
    "composer exec psysh",
    "php please tinker",
    "php spark shell",
    "iex",
    "iex -S mix",
    "iex -S mix phx.server",
    "sbt",
    "sbt -mem 2048",
    "sbt console",
    "sbt Test/console",
    "sbt core/console",
    "sbt shell",
    "bun repl",
    "swift",
    "swift repl",
    "swift -repl",
    "swift -I x",
    "kotlinc",
    "kotlinc -Xrepl",
    "kotlinc -cp x.jar",
    "node inspect a.js",
    "ghc --interactive",
    "rake console",
    "bin/console",
    "./manage.py dbshell",
    "./manage.py shell",
    "./venv/bin/flask shell",
    "./venv/bin/scrapy shell",
    "./node_modules/.bin/hardhat console",
    "./venv/bin/pgcli",
    "node ace repl",
    "pytest --pdb",
    "pytest --trace",
    "python -m pytest --pdb",
    "uv run pytest --pdb",
    "tox -- --pdb",
    "coverage run -m pdb",
    "yarn node",
    "pnpm node",
    "yarn repl",
    "pnpm repl",
    "npm run console",
    "make shell",
    "make console",
    "just shell",
    "gradle jshell",
    "./gradlew jshell",
    "./gradlew kotlinRepl",
    "./mill -i foo.console",
    "go tool pprof x",
    "git tag -a v1",
    "git tag -s v1",
    "git help log",
    "npm help install",
    "bash -c 'poetry shell'",
    "cd src && poetry shell",
    "npm test; iex",
    "(rails c)",
    "x=$(iex)",
    "timeout 5 rails c",
    "kubectl exec x -- sh; bundle console"
  ])("is one that nobody sees: %s (X5, A16)", (command) => {
    const { by, decision, reason } = of(command)
    assert.include(["ask", "deny"], decision, `${by} ${reason}`)
  })

  it.each([
    "npm test",
    "npm run build",
    "npm install console",
    "npm i shell",
    "yarn test",
    "yarn build",
    "pnpm test",
    "pnpm add repl",
    "make",
    "make all test",
    "make -j4",
    "rails test",
    "rails db:migrate",
    "bin/rails test test/c",
    "bundle exec rspec",
    "bundle install",
    "php artisan test",
    "php artisan migrate",
    "php artisan db:show",
    "iex --version",
    "sbt test",
    "sbt -mem 2048 test",
    "bun test",
    "bun run build",
    "swift build",
    "swift test",
    "swift package describe",
    "swift --version",
    "kotlinc a.kt",
    "kotlinc src -d out.jar",
    "kotlinc -cp x.jar a.kt",
    "docker compose up -d",
    "docker compose exec -T a npm test",
    "docker compose exec a npm test",
    "docker compose run --rm a npm test",
    "docker compose -f a.yml run --rm -e A=b a pytest -x",
    "docker compose run -d a sh",
    "docker compose ps",
    "docker compose logs a",
    "docker build .",
    "poetry run pytest",
    "poetry install",
    "pipenv run python a.py",
    "node a.js",
    "node build.js",
    "git log",
    "git tag v1",
    "git tag -l",
    "git commit -m x",
    "git help",
    "go test ./...",
    "go tool pprof -top x",
    "python3 -m pytest",
    "python3 build.py",
    "gradle build",
    "./gradlew test",
    "mix test",
    "dotnet test",
    "./bin/setup",
    "./build.sh",
    "./scripts/console.sh",
    "grep -rn console src",
    "ls shell",
    "cat console",
    "mkdir repl",
    "git checkout console",
    "rake test",
    "cargo test",
    "bash build.sh",
    "bash -c 'npm test'"
  ])("is not seen where there is none: %s (X5)", (command) => {
    const { by, decision, reason } = of(command)
    assert.include(["allow", "defer"], decision, `${by} ${reason}`)
  })

  it("is none where a file or a pipe brings what is typed (X5)", () => {
    for (const command of ["rails c < a.rb", "iex < a.exs", "bundle console < /dev/null"])
      assert.notStrictEqual(of(command).by, "shell/prompt", command)
  })

  it("matters to no agent whose typing is judged (X5)", () => {
    for (const command of ["poetry shell", "rails c", "iex"])
      assert.strictEqual(outcomeIn("/w", claude)(command).decision, "defer", command)
  })

  it.scoped.prop(
    "is denied whatever is typed into it, but for keys that end it (X5, A16)",
    {
      keys: FastCheck.oneof(
        FastCheck.string(),
        FastCheck.constantFrom("rm -rf /\n", "y\r", "\u0010\r", "\u001b[A", " ")
      )
    },
    ({ keys }) =>
      Effect.gen(function* () {
        const { answer, workspace } = yield* stage
        const typed = (input: object) => answer(codex, typing("write_stdin", input)(workspace))
        const ends = [...keys].every((key) => "\u0003\u0004\u001a\u001c".includes(key))
        assert.strictEqual((yield* typed({ session_id: 1, chars: keys })).said, ends ? "nothing" : "deny", keys)
        assert.strictEqual((yield* typed({ session_id: 1, chars: `ls\n${keys}` })).said, "deny", keys)
      }),
    { fastCheck: { numRuns: 20 } }
  )

  it.scoped("is left alone where it is looked at or ended (X5)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const typed = (input: object) => answer(codex, typing("write_stdin", input)(workspace))
      for (const chars of [undefined, null, "", "\u0003", "\u0003\u0003", "\u0004"])
        assert.strictEqual((yield* typed({ session_id: 1, chars, yield_time_ms: 250 })).said, "nothing", String(chars))
      for (const input of [{ chars: 1 }, { chars: ["ls"] }, { session_id: 1, input: "ls" }])
        assert.strictEqual((yield* typed(input)).said, "deny", JSON.stringify(input))
      const poetry = typing("exec_command", { cmd: "poetry shell", tty: true })(workspace)
      const { reason, said } = yield* answer(codex, poetry)
      assert.strictEqual(said, "deny")
      assert.match(reason, /`poetry shell` opens a prompt/)
    })
  )

  it.scoped("is asked about where the agent can ask, as are the keys of Copilot CLI (X5)", () =>
    Effect.gen(function* () {
      const { answer, workspace } = yield* stage
      const sent = {
        ...payload("copilot-bash", workspace),
        toolName: "write_bash",
        toolArgs: { sessionId: "1", input: "rm -rf /{enter}" }
      }
      assert.strictEqual((yield* answer(agent("copilot"), sent)).said, "ask")
    })
  )
})
