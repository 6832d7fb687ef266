import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { outcomeIn } from "./support.ts"

const of = outcomeIn("/w")

/** What only says with which of its things a program does what the other words say, before or behind them. */
const scopes: Readonly<Record<string, ReadonlyArray<string>>> = {
  kubectl: ["-n web", "--namespace web", "--namespace=web"],
  helm: ["-n web", "--namespace=web"],
  npm: ["-w a", "--workspace packages/a", "--workspace=@x/a"],
  gh: ["-R a/b", "--repo a/b"],
  cargo: ["+nightly", "+1.90.0"]
}

const harmless: Readonly<Record<string, ReadonlyArray<string>>> = {
  kubectl: ["get pods", "describe pod x", "logs x"],
  helm: ["list", "status x"],
  npm: ["test", "run build", "ls"],
  gh: ["pr list", "issue view 3 --json title -q .title", "run view 7 --jq '.jobs[].name'"],
  cargo: ["test", "fmt --all", "check"]
}
const grave: Readonly<Record<string, ReadonlyArray<string>>> = {
  kubectl: ["delete pod x", "apply -f a.yaml", "get secret x", "exec x -- env", "config use-context y"],
  helm: ["get values x", "uninstall x", "upgrade x ./y"],
  npm: ["publish", "exec cowsay", "x cowsay", "login", "config set registry x"],
  gh: ["pr create", "release download", "repo clone a/b", "api /user", "pr view --json a -q env.TOKEN"],
  cargo: ["publish", "login", "run --config a=b", "install --git https://x.example/y"]
}

const told = (table: Readonly<Record<string, ReadonlyArray<string>>>) =>
  FastCheck.constantFrom(...Object.keys(scopes)).chain((name) =>
    FastCheck.record({
      name: FastCheck.constant(name),
      scope: FastCheck.constantFrom(...scopes[name]!),
      rest: FastCheck.constantFrom(...table[name]!),
      isBehind: name === "cargo" ? FastCheck.constant(false) : FastCheck.boolean()
    }).map(({ isBehind, rest, scope }) => [name, ...(isBehind ? [rest, scope] : [scope, rest])].join(" "))
  )

describe("a command that is about one of a program's things", () => {
  it.prop("is left to the agent where the same without that is (X5)", [told(harmless)], ([command]) =>
    assert.include(["allow", "defer"], of(command).decision, command)
  )

  it.prop("is asked about where the same without that is (X5, S3)", [told(grave)], ([command]) =>
    assert.include(["ask", "deny"], of(command).decision, command)
  )

  it("is asked about where what it names could be something else (X5, S2, S3)", () => {
    for (const command of [
      "cargo +/tmp/x test",
      "cargo +../x test",
      "cargo test +nightly=x",
      "npm -w ../a test",
      "npm -w /srv/a test",
      "kubectl -n $X get pods",
      "kubectl -n delete pod x",
      "kubectl -n x -n delete pod y",
      "gh pr list -R ../x",
      "gh pr checkout 3 -R a/b",
      "gh run download 7 --repo=a/b"
    ])
      assert.include(["ask", "deny"], of(command).decision, command)
  })

  it("tells builds and checks from what they look like (X5)", () => {
    for (const command of [
      "GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build ./...",
      "pip install -e .",
      "bash -n a.sh",
      "bazel test //src/...",
      "mvn -q -DskipTests package",
      "lsof -nP -iTCP:3000 -sTCP:LISTEN"
    ])
      assert.include(["allow", "defer"], of(command).decision, command)
    for (const command of [
      "GOFLAGS=-toolexec=x go build",
      "pip install -e git+https://x.example/y",
      "pip install -e ../x",
      "bash -n -c 'touch x'",
      "bazel run //a -- /etc/x",
      "bazel build /etc/x",
      "mvn -DskipTests -Dexec.executable=x package",
      "gh pr view --json title -q env.GH_TOKEN",
      "gh pr view --json title --jq='$ENV.GH_TOKEN'",
      "gh pr view --json title -qenv.GH_TOKEN"
    ])
      assert.include(["ask", "deny"], of(command).decision, command)
  })
})
