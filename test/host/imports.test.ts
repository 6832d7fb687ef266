import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { importsIn, limits } from "../../src/host/Imports.ts"
import * as Instructions from "../../src/host/Instructions.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

/** A home and a project with these files; a text that begins with `->` is a link. */
const placed = (files: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const base = fs.realpathSync(yield* temporaryDirectory)
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(base, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      if (text.startsWith("->")) fs.symlinkSync(text.slice(2), file)
      else fs.writeFileSync(file, text)
    }
    fs.mkdirSync(path.join(base, "shop", "cart"), { recursive: true })
    const place = { project: path.join(base, "shop"), directory: path.join(base, "shop", "cart") }
    const home = { user: base, config: path.join(base, "state", "config.json") }
    const found = yield* Instructions.read(place, home)
    const names = (some: ReadonlyArray<Instructions.Instruction>) => some.map((one) => path.relative(base, one.path))
    return { ...found, names: [...names(found.own), "|", ...names(found.project)], base }
  })

describe("the imports of instructions", () => {
  it("are names behind an @, but not in code, in addresses or half a word (K5)", () => {
    const text = [
      "See @docs/a.md, (@./b.md) and @../c.md.",
      "Mail me@example.org; `@code.md`, ``@co`de.md`` and `@over",
      "lines.md` are code, but a lone ` and @d.md are not.",
      "",
      "- ```md",
      "  @fenced.md",
      "  ```",
      "> ~~~",
      "> @quoted.md ```",
      "> ~~~",
      "@docs/a.md",
      "````",
      "```",
      "@still.md"
    ].join("\n")
    assert.deepStrictEqual(importsIn(text), ["docs/a.md", "./b.md", "../c.md", "d.md"])
  })

  it.prop(
    "are the same however many lines of code stand between them (K5)",
    {
      code: FastCheck.array(FastCheck.constantFrom("@no.md", "`", "~~~", "text", "", "> x"), { maxLength: 8 }),
      names: FastCheck.uniqueArray(FastCheck.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 5 })
    },
    ({ code, names }) => {
      const text = names.map((name) => ["```", ...code, "```", `@${name}`].join("\n")).join("\n")
      assert.deepStrictEqual(importsIn(text), names)
    }
  )

  it.scopedLive("follow the file that refers to them, relative to it, each once and in no circle (K5)", () =>
    Effect.gen(function* () {
      const { names, problems, project } = yield* placed({
        "state/AGENTS.md": "Mine. @style/me.md",
        "state/style/me.md": "@../AGENTS.md",
        "shop/AGENTS.md": "Top. @docs/one.md @effect/platform @shop.md",
        "shop/docs/one.md": "@two.md @../AGENTS.md",
        "shop/docs/two.md": "@one.md",
        "shop/cart/AGENTS.md": "Near. @../docs/two.md"
      })
      assert.deepStrictEqual(names, [
        "state/AGENTS.md",
        "state/style/me.md",
        "|",
        "shop/AGENTS.md",
        "shop/cart/AGENTS.md",
        "shop/docs/two.md",
        "shop/docs/one.md"
      ])
      assert.match(problems.join("\n"), /^\S+\/shop\/AGENTS\.md imports shop\.md, which is no file here\.$/)
      assert.isTrue(Instructions.render({ own: [], project, problems }).includes("two.md, imported by "))
    })
  )

  it.scopedLive("lead out of the project by no path and by no link, to no secret and to no endless list (K5, S2)", () =>
    Effect.gen(function* () {
      const chain = Object.fromEntries(
        Array.from({ length: 8 }, (_, at) => [`shop/c${at}.md`, `deep ${at} @c${at + 1}.md`])
      )
      const many = Array.from({ length: limits.files + 8 }, (_, at) => `m${at}.md`)
      const { base, names, own, problems, project } = yield* placed({
        "outside.md": "OUTSIDE",
        "state/AGENTS.md": "@../outside.md",
        "shop/.env": "KEY=OUTSIDE",
        "shop/link.md": "->../outside.md",
        "shop/inner.md": "->docs/real.md",
        "shop/docs/real.md": "REAL",
        "shop/AGENTS.md": "@../outside.md @link.md @.env @inner.md @c0.md",
        "shop/cart/AGENTS.md": many.map((name) => `@${name}`).join(" "),
        ...chain,
        ...Object.fromEntries(many.map((name) => [`shop/cart/${name}`, "m"]))
      })
      assert.isFalse(JSON.stringify([own, project]).includes("OUTSIDE"))
      assert.isAtMost(names.length, limits.files + 4)
      const said = problems.join("\n")
      for (const file of [
        "outside.md was not imported",
        `${base}/shop/.env was not imported`,
        "link.md was not imported"
      ])
        assert.include(said, file)
      assert.include(said, `imports are bounded to ${limits.files} files`)
    })
  )

  it.scopedLive("are bounded in depth and in bytes, and a link inside the project is read (K5)", () =>
    Effect.gen(function* () {
      const chain = Object.fromEntries(
        Array.from({ length: 8 }, (_, at) => [`shop/c${at}.md`, `deep ${at} @c${at + 1}.md`])
      )
      const { names, problems, project } = yield* placed({
        "shop/AGENTS.md": "@c0.md @inner.md @big.md @more.md",
        "shop/inner.md": "->docs/real.md",
        "shop/docs/real.md": "REAL",
        "shop/big.md": "b".repeat(40_000),
        "shop/more.md": "m".repeat(40_000),
        ...chain
      })
      assert.include(problems.join("\n"), "c5.md was not imported: imports are bounded to 5 files deep.")
      assert.include(names, "shop/inner.md")
      const bytes = project.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
      assert.isAtMost(bytes, Instructions.limits.all)
      assert.isTrue(project.find((one) => one.path.endsWith("more.md"))?.cut)
    })
  )
})
