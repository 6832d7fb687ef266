// The server that the conformance suite asks for, over standard input and output: `node server.mjs legacy|modern`.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ResourceNotFoundError,
  Server
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as crypto from "node:crypto"
import { setTimeout } from "node:timers/promises"

const [era] = process.argv.slice(2)
const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
const audio = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
const codec = createRequestStateCodec({ key: crypto.randomBytes(32) })
const object = { type: "object" }
const said = (text) => ({ content: [{ type: "text", text }] })
const pngs = { type: "image", data: image, mimeType: "image/png" }
const state = (value) => codec.mint({ ...value, nonce: crypto.randomUUID() })
const form = (message, properties, required = Object.keys(properties)) =>
  inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required } })
const askName = form("What is your name?", { name: { type: "string" } })
const sample = (text) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 })
const elicited = async (ctx, message, properties, required = []) => {
  const requestedSchema = { type: "object", properties, required }
  const reply = await ctx.mcpReq.send({ method: "elicitation/create", params: { message, requestedSchema } })
  return said(`Elicitation completed: action=${reply.action}, content=${JSON.stringify(reply.content ?? {})}`)
}
const confirmation = async (ctx, { message, name, text }) => {
  const known = ctx.mcpReq.requestState()
  if (known !== undefined && acceptedContent(ctx.mcpReq.inputResponses, "confirm") !== undefined) return said(text)
  const confirm = form(message, { ok: { type: "boolean" } })
  return inputRequired({ inputRequests: { confirm }, requestState: await state({ name }) })
}

const address = {
  $anchor: "addressDef",
  type: "object",
  properties: { street: { type: "string" }, city: { type: "string" } }
}
const wideSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  ...JSON.parse(
    '{"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]}}'
  ),
  additionalProperties: false
}
const choices = ["option1", "option2", "option3"]
const titled = ["First", "Second", "Third"].map((title, i) => ({ const: `value${i + 1}`, title }))

const tools = (server) => ({
  test_simple_text: [object, () => said("This is a simple text response for testing.")],
  test_image_content: [object, () => ({ content: [pngs] })],
  test_audio_content: [object, () => ({ content: [{ type: "audio", data: audio, mimeType: "audio/wav" }] })],
  test_embedded_resource: [
    object,
    () => ({
      content: [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content."
          }
        }
      ]
    })
  ],
  test_multiple_content_types: [
    object,
    () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        pngs,
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: JSON.stringify({ test: "data", value: 123 })
          }
        }
      ]
    })
  ],
  test_tool_with_logging: [
    object,
    async (_, ctx) => {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await ctx.mcpReq.log("info", data)
        await setTimeout(50)
      }
      return said("Tool with logging executed successfully")
    }
  ],
  test_logging_tool: [
    object,
    async (_, ctx) => {
      await ctx.mcpReq.log("info", "only for a request with a log level")
      return said("logged")
    }
  ],
  test_tool_with_progress: [
    object,
    async (_, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` }
        await ctx.mcpReq.notify({ method: "notifications/progress", params })
        await setTimeout(50)
      }
      return said(String(progressToken ?? "no-progress-token"))
    }
  ],
  test_error_handling: [
    object,
    () => ({ ...said("This tool intentionally returns an error for testing"), isError: true })
  ],
  test_sampling: [
    { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    async ({ prompt }, ctx) => {
      const messages = [{ role: "user", content: { type: "text", text: prompt } }]
      const reply = await ctx.mcpReq.send({ method: "sampling/createMessage", params: { messages, maxTokens: 100 } })
      return said(`LLM response: ${reply.content?.text}`)
    }
  ],
  test_elicitation: [
    { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    ({ message }, ctx) => elicited(ctx, message, { response: { type: "string" } }, ["response"])
  ],
  test_elicitation_sep1034_defaults: [
    object,
    (_, ctx) =>
      elicited(ctx, "Please review and update the form fields with defaults", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true }
      })
  ],
  test_elicitation_sep1330_enums: [
    object,
    (_, ctx) =>
      elicited(ctx, "Please select options from the enum fields", {
        untitledSingle: { type: "string", enum: choices },
        titledSingle: { type: "string", oneOf: titled },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"]
        },
        untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: choices } },
        titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled } }
      })
  ],
  json_schema_2020_12_tool: [wideSchema, (given) => said(JSON.stringify(given))],
  test_x_mcp_header: [
    {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } }
    },
    ({ region = "<none>" }) => said(`region=${region}`)
  ],
  test_streaming_elicitation: [object, () => said("result frames only")],
  test_missing_capability: [
    object,
    (_, ctx) =>
      ctx.mcpReq.inputResponses?.llm_answer === undefined
        ? inputRequired({ inputRequests: { llm_answer: sample("Reply with the single word: pong") } })
        : said("sampling round-trip complete")
  ],
  test_trigger_tool_change: [
    object,
    async () => {
      await server.sendToolListChanged()
      return said("told")
    }
  ],
  test_trigger_prompt_change: [
    object,
    async () => {
      await server.sendPromptListChanged()
      return said("told")
    }
  ],
  test_input_required_result_elicitation: [
    object,
    (_, ctx) => {
      const name = acceptedContent(ctx.mcpReq.inputResponses, "user_name")?.name
      return typeof name === "string"
        ? said(`Hello, ${name}!`)
        : inputRequired({ inputRequests: { user_name: askName } })
    }
  ],
  test_input_required_result_sampling: [
    object,
    (_, ctx) => {
      const answer = ctx.mcpReq.inputResponses?.capital_question
      return answer === undefined
        ? inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?") } })
        : said(`Sampling response: ${answer.content?.text ?? JSON.stringify(answer)}`)
    }
  ],
  test_input_required_result_list_roots: [
    object,
    (_, ctx) => {
      const roots = ctx.mcpReq.inputResponses?.client_roots?.roots
      return Array.isArray(roots)
        ? said(`Client exposed ${roots.length} roots: ${roots.map(({ uri }) => uri).join(", ")}`)
        : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    }
  ],
  test_input_required_result_request_state: [
    object,
    (_, ctx) => confirmation(ctx, { name: "request_state", message: "Please confirm", text: "state-ok" })
  ],
  test_input_required_result_tampered_state: [
    object,
    (_, ctx) => confirmation(ctx, { name: "tampered_state", message: "Please confirm", text: "integrity-ok" })
  ],
  test_input_required_result_multiple_inputs: [
    object,
    async (_, ctx) => {
      const { client_roots, greeting, user_name } = ctx.mcpReq.inputResponses ?? {}
      if (client_roots !== undefined && greeting !== undefined && user_name !== undefined)
        return said(`${greeting.content?.text} ${user_name.content?.name}: ${client_roots.roots.length} roots`)
      const inputRequests = {
        user_name: askName,
        greeting: sample("Generate a greeting"),
        client_roots: inputRequired.listRoots()
      }
      return inputRequired({ inputRequests, requestState: await state({ name: "multiple" }) })
    }
  ],
  test_input_required_result_multi_round: [
    object,
    async (_, ctx) => {
      const { name, round = 0 } = ctx.mcpReq.requestState() ?? {}
      const answers = ctx.mcpReq.inputResponses
      if (round === 0) {
        const step1 = form("Step 1: What is your name?", { name: { type: "string" } })
        return inputRequired({ inputRequests: { step1 }, requestState: await state({ round: 1 }) })
      }
      if (round === 1) {
        const step2 = form("Step 2: What is your favorite color?", { color: { type: "string" } })
        const given = acceptedContent(answers, "step1")?.name
        return inputRequired({ inputRequests: { step2 }, requestState: await state({ round: 2, name: given }) })
      }
      return said(`Multi-round complete: ${name} likes ${acceptedContent(answers, "step2")?.color}`)
    }
  ],
  test_input_required_result_capabilities: [
    object,
    (_, ctx) => {
      if (ctx.mcpReq.inputResponses !== undefined) return said("Capability-aware input requests fulfilled")
      const declared = ctx.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
      const inputRequests = {
        ...(declared.elicitation && { user_name: askName }),
        ...(declared.sampling && { greeting: sample("Generate a short greeting") }),
        ...(declared.roots && { client_roots: inputRequired.listRoots() })
      }
      return Object.keys(inputRequests).length === 0 ? said("nothing to ask") : inputRequired({ inputRequests })
    }
  ]
})

const text = (of) => ({ role: "user", content: { type: "text", text: of } })
const prompts = {
  test_simple_prompt: [[], () => ({ messages: [text("This is a simple prompt for testing.")] })],
  test_prompt_with_arguments: [
    ["arg1", "arg2"],
    ({ arg1, arg2 }) => ({ messages: [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] })
  ],
  test_prompt_with_embedded_resource: [
    ["resourceUri"],
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." }
          }
        },
        text("Please process the embedded resource above.")
      ]
    })
  ],
  test_prompt_with_image: [
    [],
    () => ({ messages: [{ role: "user", content: pngs }, text("Please analyze the image above.")] })
  ],
  test_input_required_result_prompt: [
    [],
    (_, ctx) => {
      const context = acceptedContent(ctx.mcpReq.inputResponses, "user_context")?.context
      const user_context = form("What context should the prompt use?", { context: { type: "string" } })
      return typeof context === "string"
        ? { messages: [text(`Use the following context: ${context}`)] }
        : inputRequired({ inputRequests: { user_context } })
    }
  ]
}

const resources = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: image },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched resource content" }
}

const read = (uri) => {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  const found =
    id === undefined
      ? resources[uri]
      : { mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }
  if (found === undefined) throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, ...found }] }
}

const make = () => {
  const server = new Server(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {}
      },
      requestState: { verify: codec.verify }
    }
  )
  const own = tools(server)
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(own).map(([name, [inputSchema]]) => ({ name, description: `Tests ${name}`, inputSchema }))
  }))
  server.setRequestHandler("tools/call", ({ params }, ctx) => {
    const found = own[params.name]
    if (found === undefined) throw new ProtocolError(-32602, `Unknown tool: ${params.name}`)
    return found[1](params.arguments ?? {}, ctx)
  })
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(prompts).map(([name, [given]]) => ({
      name,
      description: `Tests ${name}`,
      arguments: given.map((one) => ({ name: one, required: true }))
    }))
  }))
  server.setRequestHandler("prompts/get", ({ params }, ctx) => prompts[params.name][1](params.arguments ?? {}, ctx))
  server.setRequestHandler("resources/list", () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType }))
  }))
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }]
  }))
  server.setRequestHandler("resources/read", ({ params }) => read(params.uri))
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }))
  server.setRequestHandler("resources/subscribe", () => ({}))
  server.setRequestHandler("resources/unsubscribe", () => ({}))
  return server
}

serveStdio(make, { legacy: era === "modern" ? "reject" : "serve" })
