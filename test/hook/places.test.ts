import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import * as path from "node:path"
import { claude } from "../../src/hook/agent/claude.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { outcomeIn } from "./support.ts"

const of = outcomeIn("/w")
const stops = (command: string) => assert.include(["ask", "deny"], of(command).decision, command)
const denies = (command: string) => assert.strictEqual(of(command).decision, "deny", command)
const passes = (command: string) => assert.include(["allow", "defer"], of(command).decision, command)

/** Words by which programs that build or check are told where to write. */
const builders: ReadonlyArray<(place: string) => string> = [
  (place) => `gcc -o ${place} x.c`,
  (place) => `gcc -o${place} x.c`,
  (place) => `gcc x.c -MF ${place}`,
  (place) => `clang x.c -o ${place}`,
  (place) => `esbuild a.js --outfile=${place}`,
  (place) => `npx esbuild a.js --outfile=${place}`,
  (place) => `tsc --outDir ${place}`,
  (place) => `tsc --declarationDir=${place}`,
  (place) => `rollup -o ${place} a.js`,
  (place) => `go build -o ${place} ./cmd`,
  (place) => `go test -coverprofile=${place}`,
  (place) => `protoc --js_out=${place} x.proto`,
  (place) => `javac -d ${place} X.java`,
  (place) => `pytest --junitxml=${place}`,
  (place) => `eslint --output-file ${place} src`,
  (place) => `cargo build --target-dir ${place}`,
  (place) => `ruff check --fix ${place}`,
  (place) => `git log -1 --format=%B --output=${place}`,
  (place) => `git --no-pager diff --ext-diff --output ${place}`,
  (place) => `git archive -o ${place} HEAD`,
  (place) => `git format-patch -1 -o${place}`
]

describe("a program of the project that another agent runs", () => {
  it.prop(
    "writes no files of version control, by whatever option it is told (X5, S2)",
    [
      FastCheck.constantFrom(...builders),
      FastCheck.constantFrom(".git/hooks/pre-commit", "./.git/hooks", "sub/.git/config", "/w/.git/info/attributes")
    ],
    ([build, place]) => denies(build(place))
  )

  it("writes nothing outside of the workspace unasked (X5, S2)", () => {
    for (const place of ["../x", "/etc/zz", "/usr/local/bin/x", "/opt/x", "~/x"])
      for (const build of [
        (to: string) => `gcc -o ${to} x.c`,
        (to: string) => `tsc --outDir ${to}`,
        (to: string) => `tsc --outDir ${to.replace("~", "/home/u")}`
      ])
        stops(build(place))
  })

  it("is asked about where a word names files of version control, unless it runs them (X5, S2)", () => {
    for (const command of ["prettier .git/config", "node x.js .git/config", "docker run -v ./.git:/x img"])
      stops(command)
    for (const command of ["sh .git/hooks/pre-commit", "./.git/hooks/pre-commit"]) passes(command)
  })

  it("builds inside of the workspace, with what is installed, as it is told (X5)", () => {
    for (const command of [
      "gcc -I./include -o build/x x.c",
      "tsc --outDir dist",
      "esbuild a.js --outfile=dist/a.js",
      "go build -o bin/x ./cmd",
      "go build -o /tmp/x ./cmd",
      "pytest --junitxml=out/report.xml tests",
      "cmake -S . -B build",
      "docker build -f Dockerfile -t x ."
    ])
      passes(command)
  })
})

describe("a link that a shell text of another agent makes", () => {
  it.each([
    "ln -s .git/hooks h && cp a.txt h/pre-commit",
    "ln .git/config c && tee -a c < a.txt",
    "ln .git/config c",
    "ln -s .git/hooks h",
    "ln -sr .git/hooks h",
    "ln -s ../.git/hooks src/h && cp a.txt src/h/pre-commit",
    "ln -t src .git/config && echo x >> src/config",
    "cd src && ln ../.git/config && echo x >> config",
    "cp -l .git/config c; echo x >> c",
    "cp -al .git g; echo x >> g/config",
    "cp -s /w/.git/config c; echo x >> c",
    "ln -s . h && mv a.txt h/.git/config",
    "ln -s h k; ln -s .git h; touch k/config"
  ])("opens no way to files of version control: %s (X5, S2)", denies)

  it.each([
    "mkdir -p a/b && ln -s ../.. a/b/l && cp a.txt a/b/l/../other/x",
    "mkdir -p a/b/c && ln -s ../../.. a/b/c/l && mv a/b/c/l l && cp a.txt l/x",
    "ln -s ../../other a/l && cp a.txt a/l/x",
    "ln -s /etc l && cp a.txt l/x",
    "ln -s $x l && cp a.txt l/x",
    "cp -l ../other/x c"
  ])("leads nowhere outside of the workspace unasked: %s (X5, S2)", stops)

  it.each([
    "ln -s src/a b",
    "ln -sf a.txt src/latest",
    "ln -s /usr/bin/python3 bin",
    "ln -s a b && rm b",
    "cp -l src/a b && echo x >> b"
  ])("inside of the workspace is left to the agent: %s (X5)", (command) => {
    if (command.includes("/usr")) assert.notInclude(["deny"], of(command).decision)
    else if (command.endsWith("rm b")) assert.notStrictEqual(of(command).decision, "deny")
    else passes(command)
  })

  it.effect("is judged from where it lies (X5, S2)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const base = fs.realpathSync(yield* temporaryDirectory)
        const cwd = path.join(base, "w/p/q")
        fs.mkdirSync(cwd, { recursive: true })
        const at = outcomeIn(cwd, claude, path.join(base, "w"))
        for (const command of [
          "ln -s ../.. ../l",
          "ln -s ../.. ../../l && cp a.txt ../../l/other/x",
          "mkdir -p a/b; cd a/b && ln -s ../../../.. ../../l && cp x ../../l/y"
        ])
          assert.include(["ask", "deny"], at(command).decision, command)
        for (const command of ["ln -s ../x y", "ln -s ../x .", "mkdir a && ln -s ../../x a/y"])
          assert.strictEqual(at(command).decision, "defer", command)
      })
    )
  )
})
