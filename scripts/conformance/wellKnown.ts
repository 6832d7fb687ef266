// @effect-diagnostics asyncFunction:off newPromise:off globalConsole:off - drives real programs from outside
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as assert from "node:assert"
import * as fs from "node:fs"
import * as path from "node:path"
import { launcher, type Place, place } from "./place.ts"

type Era = "legacy" | "auto"

interface Shape {
  readonly properties?: Readonly<Record<string, { readonly type?: string; readonly enum?: ReadonlyArray<unknown> }>>
  readonly required?: ReadonlyArray<string>
}

/** Something that a schema takes. */
const sample = ({ properties = {}, required = [] }: Shape, known: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(
    required.map((name) => {
      const { enum: some, type } = properties[name] ?? {}
      const usual =
        type === "number" || type === "integer" ? 1 : type === "boolean" ? true : type === "array" ? [] : "x"
      return [name, known[name] ?? some?.[0] ?? usual]
    })
  )

const opened = async (at: Place, era: Era, answer?: (message: string) => object, words: ReadonlyArray<string> = []) => {
  const client = new Client(
    { name: "host", version: "1" },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode: era }
    }
  )
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params.message) as never)
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${at.work}`, name: "work" }] }))
    client.setRequestHandler("sampling/createMessage", () => ({
      model: "none",
      role: "assistant" as const,
      content: { type: "text" as const, text: "sampled" }
    }))
  }
  const args = [launcher, "mcp", "gateway", ...words]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: at.work, env: { ...at.env }, stderr: "ignore" })
  )
  return client
}

/** Calls every tool, prompt and resource that there is; the user of the client allows each call. */
const whole = async (at: Place, era: Era, known: (tool: string) => Readonly<Record<string, unknown>>) => {
  let approvals = 0
  const client = await opened(at, era, (message) => {
    const isOurs = message.startsWith("Tollgate")
    if (isOurs) approvals++
    return isOurs ? { action: "accept", content: { decision: "once" } } : { action: "decline" }
  })
  const trouble: Array<string> = []
  const { tools } = await client.listTools()
  for (const { inputSchema, name } of tools) {
    try {
      const { content, isError } = await client.callTool({ name, arguments: sample(inputSchema as Shape, known(name)) })
      if (isError === true) trouble.push(`${name}: ${JSON.stringify(content).slice(0, 200)}`)
    } catch (error) {
      trouble.push(`${name}: ${String(error)}`)
    }
  }
  const { prompts } = await client.listPrompts()
  for (const { arguments: given = [], name } of prompts) {
    const values = Object.fromEntries(given.map((one) => [one.name, one.name === "resourceType" ? "Text" : "1"]))
    const { messages } = await client.getPrompt({ name, arguments: values })
    assert.ok(messages.length > 0, name)
  }
  const { resources } = await client.listResources()
  for (const { uri } of resources) assert.ok((await client.readResource({ uri })).contents.length > 0, uri)
  const { resourceTemplates } = await client.listResourceTemplates()
  for (const { uriTemplate } of resourceTemplates)
    assert.ok(
      (await client.readResource({ uri: uriTemplate.replace(/\{[^}]*\}/g, "1") })).contents.length > 0,
      uriTemplate
    )
  await client.close()
  return {
    tools: tools.length,
    prompts: prompts.length,
    resources: resources.length,
    templates: resourceTemplates.length,
    approvals,
    trouble
  }
}

/** What cannot succeed with made-up arguments, or asks for what the client does not offer; each with its reason. */
const expected: Readonly<Record<string, string>> = {
  "everything__simulate-research-query": "needs the extension for tasks",
  "everything__gzip-file-as-resource": "fetches a page, which is not there offline"
}

/** Puts well-known servers behind the gateway; gives the number of what went wrong. */
export const wellKnown = async ({ folder, modules }: { readonly folder: string; readonly modules: string }) => {
  let wrong = 0
  const check = (title: string, isGood: boolean, more = "") => {
    if (!isGood) wrong++
    console.log(`${isGood ? "pass" : "FAIL"}  ${title}${more === "" ? "" : `: ${more}`}`)
  }
  console.log("\nWell-known servers behind the gateway")
  for (const era of ["legacy", "auto"] as const) {
    const at = place(folder)
    const of = (name: string) => path.join(modules, "@modelcontextprotocol", name, "dist/index.js")
    for (const name of ["a.txt", "b.txt"]) fs.writeFileSync(path.join(at.work, name), "one\n")
    at.add("everything", [process.execPath, of("server-everything"), "stdio"], { passes: ["sampling", "roots"] })
    at.add("files", [process.execPath, of("server-filesystem"), at.work])
    const file = path.join(at.work, "a.txt")
    const found = await whole(at, era, (name) => ({
      path: /director|search/.test(name) ? at.work : file,
      paths: [file],
      source: path.join(at.work, "b.txt"),
      destination: path.join(at.work, "c.txt"),
      content: "two\n",
      edits: [],
      url: "https://example.com/",
      data: "data:text/plain,x"
    }))
    const { approvals, prompts, resources, templates, tools, trouble } = found
    const real = trouble.filter((line) => expected[line.split(":", 1)[0] ?? ""] === undefined)
    check(
      `${era}: ${tools} tools, ${prompts} prompts, ${resources} resources, ${templates} templates; ${approvals} approvals by form`,
      real.length === 0,
      real.join(" | ")
    )
    check(`${era}: every tool was asked about`, approvals === tools, `${approvals} of ${tools}`)
    const strict = await opened(at, era, undefined, ["--mode", "deny"])
    const before = fs.readdirSync(at.work).join()
    const { isError } = await strict.callTool({
      name: "files__write_file",
      arguments: { path: path.join(at.work, "c.txt"), content: "x" }
    })
    check(`${era}: denied where nobody can be asked`, isError === true && fs.readdirSync(at.work).join() === before)
    await strict.close()
  }
  return wrong
}
