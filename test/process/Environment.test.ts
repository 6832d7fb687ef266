import { assert, describe, it } from "@effect/vitest"
import { environment, systemPath } from "../../src/process/Environment.ts"

const parent = {
  HOME: "/home/ada",
  USER: "ada",
  LANG: "de_DE.UTF-8",
  LC_TIME: "C",
  TMPDIR: "/scratch",
  PATH: "/home/ada/project/node_modules/.bin:/usr/bin",
  TERM: "xterm-256color",
  PAGER: "less",
  ANTHROPIC_API_KEY: "secret",
  AWS_SECRET_ACCESS_KEY: "secret",
  GITHUB_TOKEN: "secret",
  SSH_AUTH_SOCK: "/run/agent",
  LC_API_TOKEN: "secret",
  LD_PRELOAD: "/tmp/x.so",
  BASH_ENV: "/tmp/x.sh",
  "BASH_FUNC_ls%%": "() { :; }",
  NODE_OPTIONS: "--require /tmp/x.js",
  XDG_RUNTIME_DIR: undefined
}

describe("environment", () => {
  it("hands on what programs need and leaves everything else behind (S3)", () => {
    const child = environment(parent)
    assert.deepInclude(child, {
      HOME: "/home/ada",
      USER: "ada",
      LANG: "de_DE.UTF-8",
      LC_TIME: "C",
      TMPDIR: "/scratch",
      PATH: systemPath,
      TERM: "dumb"
    })
    assert.notInclude(Object.values(child), "secret")
    for (const name of ["SSH_AUTH_SOCK", "LD_PRELOAD", "BASH_ENV", "BASH_FUNC_ls%%", "NODE_OPTIONS", "XDG_RUNTIME_DIR"])
      assert.notProperty(child, name)
  })

  it("keeps programs from asking a person (S3)", () => {
    assert.deepInclude(environment(parent), {
      GIT_TERMINAL_PROMPT: "0",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_EDITOR: "true"
    })
  })

  it("lets the configuration add and replace variables (S3)", () => {
    assert.deepInclude(environment(parent, { PATH: "/opt/bin", CI: "1" }), { PATH: "/opt/bin", CI: "1" })
  })
})
