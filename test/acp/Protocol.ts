import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { AnyMessage } from "@agentclientprotocol/sdk"
import * as fs from "node:fs"

const file = "node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"
const document = JSON.parse(fs.readFileSync(file, "utf8")) as { readonly $defs: Readonly<Record<string, object>> }

const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: true })
ajv.addSchema({ $id: "acp", $defs: document.$defs })
const validators = new Map<string, ValidateFunction>()

/** What the stable schema of the protocol has against a message, as it is on the wire; nothing of one that is right. */
export const problemsOf = (name: string, message: unknown): ReadonlyArray<string> => {
  const known = validators.get(name) ?? ajv.compile({ $ref: `acp#/$defs/${name}` })
  validators.set(name, known)
  const sent: unknown = JSON.parse(JSON.stringify(message) ?? "null")
  return known(sent)
    ? []
    : (known.errors ?? []).map(({ instancePath, message = "" }) => `${name}${instancePath} ${message}`)
}

/** The methods of one side that the schema has as stable. */
export const methodsOf = (side: "agent" | "client"): ReadonlySet<string> =>
  new Set(
    Object.values(document.$defs).flatMap((one: { readonly "x-side"?: string; readonly "x-method"?: string }) =>
      one["x-side"] === side && one["x-method"] !== undefined ? [one["x-method"]] : []
    )
  )

const results: Readonly<Record<string, string>> = {
  initialize: "InitializeResponse",
  "session/new": "NewSessionResponse",
  "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse",
  "session/list": "ListSessionsResponse",
  "session/close": "CloseSessionResponse",
  "session/delete": "DeleteSessionResponse",
  "session/prompt": "PromptResponse",
  "session/set_mode": "SetSessionModeResponse",
  "session/set_config_option": "SetSessionConfigOptionResponse"
}
const params: Readonly<Record<string, string>> = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "elicitation/create": "CreateElicitationRequest",
  "fs/read_text_file": "ReadTextFileRequest",
  "fs/write_text_file": "WriteTextFileRequest",
  "terminal/create": "CreateTerminalRequest",
  "terminal/output": "TerminalOutputRequest",
  "terminal/wait_for_exit": "WaitForTerminalExitRequest",
  "terminal/kill": "KillTerminalRequest",
  "terminal/release": "ReleaseTerminalRequest",
  "$/cancel_request": "CancelRequestNotification"
}

/** The same of anything that an agent sends; `asked` has the methods of the requests that it answers. */
export const problemsIn = (message: AnyMessage, asked: ReadonlyMap<unknown, string>): ReadonlyArray<string> => {
  if ("method" in message) {
    const name = params[message.method]
    return name === undefined ? [`${message.method} is no method of a client`] : problemsOf(name, message.params)
  }
  if ("error" in message) return problemsOf("Error", message.error)
  const name = results[asked.get(message.id) ?? ""]
  return name === undefined ? [`an answer to ${asked.get(message.id)}`] : problemsOf(name, message.result)
}
