// @effect-diagnostics asyncFunction:off - the build is a process of its own
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { builtTypes, root } from "../support/built.ts"

const head = `
import { Context, Effect, Layer, Schema } from "effect"
import { backoff, concurrency, DefaultStack, Gate, rateLimit, retry, Tool, Tools, Toolset, Middleware, ToolCall } from "tollgate"
const policy = backoff({ maxAttempts: 3, initialDelay: 1, multiplier: 2, maxDelay: 10, jitter: true })
const common = { description: "d", parameters: Schema.Struct({}), success: Schema.Void, handler: () => Effect.void }
class Bank extends Context.Tag("Bank")<Bank, { readonly pay: Effect.Effect<void> }>() {}
class Http extends Context.Tag("Http")<Http, { readonly get: Effect.Effect<void> }>() {}
const Pay = Tool.make("pay", { ...common, handler: () => Effect.flatMap(Bank, (bank) => bank.pay) })
const Get = Tool.make("get", { ...common, readOnly: true, handler: () => Effect.flatMap(Http, (http) => http.get) })
declare const reads: boolean
declare const slow: Middleware.Middleware<ToolCall.ToolCall, { fails: "slow"; requires: Http }>
declare const shut: Middleware.Middleware<ToolCall.ToolCall, { fails: "shut"; requires: Bank }>
void [policy, common, Pay, Get, reads, slow, shut, concurrency, DefaultStack, Gate, Layer, rateLimit, retry, Tools, Toolset]
`

/** What the compiler says of each, in the words that its author reads; `wrong` stands for a type that nothing fits. */
const cases: Readonly<Record<string, readonly [code: string, ...said: ReadonlyArray<string>]>> = {
  "retry of what is not repeatable": [
    `Tool.make("a", { ...common, retry: policy })`,
    `Type 'RetryPolicy' is not assignable to type '"retry needs readOnly: true or idempotent: true; repeating other tools may do harm"'.`
  ],
  "retry of what is read-only only sometimes": [
    `Tool.make("a", { ...common, readOnly: reads, retry: policy })`,
    `Type 'RetryPolicy' is not assignable to type '"retry needs readOnly: true or idempotent: true; repeating other tools may do harm"'.`
  ],
  "a retry around what is read-only only sometimes": [
    `Tool.wrap(Tool.make("a", { ...common, readOnly: reads }), retry(policy))`,
    `Type 'false' is not assignable to type 'true'.`
  ],
  "a failure without a message": [
    `Tool.make("a", { ...common, failure: Schema.String })`,
    `Type 'typeof String$' is not assignable to type 'FailureSchema'.`
  ],
  "a layer of tools, as it is hovered over": [
    `const wrong: never = Tools.layerEffect(Toolset.make([Pay, Get]))`,
    `Type 'Layer<Tools, ToolsetInvalid, Approvals | Bank | Http>' is not assignable to type 'never'.`
  ],
  "a layer of tools whose gate is left out": [
    `const wrong: never = Tools.layerEffect(Toolset.make([Pay, Get], { gate: Gate.unguarded("unit test") }))`,
    `Type 'Layer<Tools, ToolsetInvalid, Bank | Http>' is not assignable to type 'never'.`
  ],
  "a layer of tools that never ask": [
    `const wrong: never = Tools.layerEffect(Toolset.make([Get]))`,
    `Type 'Layer<Tools, ToolsetInvalid, Http>' is not assignable to type 'never'.`
  ],
  "a layer of several limits": [
    `const limits = [{ tools: "*", middleware: slow }, { tools: "*", middleware: shut }] as const
const toolset = Toolset.make([Tool.make("a", common)], { middleware: DefaultStack.make({ limits }) })
declare const all: Effect.Effect.Success<typeof toolset>["call"]
const wrong: never = null! as Effect.Effect.Context<ReturnType<typeof all>>
type Failed = Effect.Effect.Error<ReturnType<typeof all>>
const failed: never = null! as Extract<Failed, string>`,
    `Type 'Approvals | Bank | Http' is not assignable to type 'never'.`,
    `Type '"shut" | "slow"' is not assignable to type 'never'.`
  ]
}

const sorted = (text: string): string =>
  text
    .replaceAll(
      /'((?:[\w"]+)(?: \| [\w"]+)+)'/g,
      (_, union: string) => `'${union.split(" | ").toSorted().join(" | ")}'`
    )
    .replaceAll(
      /(Layer<Tools, ToolsetInvalid, )([\w |]+)>/g,
      (_, start: string, union: string) => `${start}${union.split(" | ").toSorted().join(" | ")}>`
    )

describe("the compiler", () => {
  it("says what is wrong in words that one can read (T7, T19)", async () => {
    const types = await builtTypes()
    const folder = path.join(root, "node_modules/.cache/tollgate", `types-${process.pid}`)
    fs.mkdirSync(folder, { recursive: true })
    try {
      const options = {
        extends: path.join(root, "tsconfig.json"),
        compilerOptions: { noUnusedLocals: false, plugins: [], paths: { tollgate: [path.join(types, "index.d.ts")] } },
        include: ["*.ts"]
      }
      fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(options))
      Object.values(cases).forEach(([code], index) =>
        fs.writeFileSync(path.join(folder, `case${index}.ts`), `${head}\n${code}\nexport {}\n`)
      )
      let output = ""
      try {
        execFileSync(path.join(root, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"], {
          encoding: "utf8"
        })
      } catch (error) {
        output = sorted(String((error as { readonly stdout?: unknown }).stdout))
      }
      const blocks = output.split(/^(?=\S*case\d+\.ts\()/m)
      Object.entries(cases).forEach(([name, [, ...said]], index) => {
        const own = blocks.filter((block) => block.includes(`case${index}.ts(`)).join("")
        for (const line of said) assert.include(own, line, name)
      })
    } finally {
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  })
})
