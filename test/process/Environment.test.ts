import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { environment, inLocale, searchPath, systemPath } from "../../src/process/Environment.ts"

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
      LANG: "C.UTF-8",
      LC_ALL: "C.UTF-8",
      TMPDIR: "/scratch",
      PATH: "/home/ada/project/node_modules/.bin:/usr/bin",
      TERM: "dumb"
    })
    assert.notInclude(Object.values(child), "secret")
    for (const name of [
      "SSH_AUTH_SOCK",
      "LD_PRELOAD",
      "BASH_ENV",
      "BASH_FUNC_ls%%",
      "NODE_OPTIONS",
      "XDG_RUNTIME_DIR",
      "LC_TIME",
      "LC_API_TOKEN"
    ])
      assert.notProperty(child, name)
  })

  it("has one locale, whatever the parent's or the configuration's (S3)", () => {
    const given = { ...environment(parent), LC_CTYPE: "zh_CN.GBK", LANGUAGE: "zh", LANG: "zh_CN.GBK" }
    const child = inLocale(given)
    assert.deepStrictEqual(
      Object.entries(child).filter(([name]) => /^L[AC]/.test(name)),
      [
        ["LANG", "C.UTF-8"],
        ["LC_ALL", "C.UTF-8"]
      ]
    )
  })

  it("looks for programs where the user does, but never where tools write (S3)", () => {
    const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "test-path-")))
    const [root, bin, link] = [`${base}/w`, `${base}/bin`, `${base}/link`]
    fs.mkdirSync(`${root}/bin`, { recursive: true })
    fs.mkdirSync(bin)
    fs.symlinkSync(`${root}/bin`, link)
    const given = [
      "",
      ".",
      "node_modules/.bin",
      "~/bin",
      `${root}/bin`,
      root,
      `${bin}/../w/bin`,
      link,
      bin,
      `${bin}/`,
      "/usr/bin"
    ]
    assert.strictEqual(searchPath([...given, bin].join(":"), [root]), `${bin}:${bin}/:/usr/bin`)
    assert.strictEqual(searchPath(`${root}x:/usr/bin`, [root]), `${root}x:/usr/bin`)
    assert.strictEqual(searchPath(`.:${root}/bin`, [root]), systemPath)
    assert.strictEqual(searchPath(undefined, [root]), systemPath)
    assert.strictEqual(environment({ PATH: `${link}:/usr/bin` }, {}, [root])["PATH"], "/usr/bin")
    fs.rmSync(base, { recursive: true })
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
