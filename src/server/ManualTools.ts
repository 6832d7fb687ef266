import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Host } from "../host/Host.ts"
import { fieldsOf } from "../tool/ToolField.ts"
import { Operating, Viewing } from "./Access.ts"
import { NotFound, Refusal } from "./ApiError.ts"
import { Project, Query, SessionPath } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { Answered, carryOut, isForPeople } from "./carryOut.ts"
import { placeOf } from "./placeOf.ts"
import { PostedCommand } from "./PostedCommand.ts"
import { stored } from "./stored.ts"

const Field = Schema.Struct({
  /** Names joined by dots where it is part of an object. */
  name: Schema.String,
  type: Schema.Literal("text", "number", "select", "boolean", "json"),
  required: Schema.Boolean,
  description: Schema.String,
  options: Schema.optionalWith(Schema.Array(Schema.Union(Schema.String, Schema.Number)), { exact: true }),
  fallback: Schema.optionalWith(Schema.Unknown, { exact: true })
})

const ManualTool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  mode: Schema.Literal("llm", "manual", "both"),
  /** What a person fills in. */
  fields: Schema.Array(Field),
  /** The JSON Schema of its parameters. */
  parameters: Schema.Unknown
})

export type ManualTool = typeof ManualTool.Type

const [, InvokeTool] = PostedCommand.members
const { _tag: _, tool: _tool, ...invocation } = InvokeTool.fields

export const group = HttpApiGroup.make("tools")
  .add(
    HttpApiEndpoint.get("list", "/v1/tools")
      .setUrlParams(Query(Project))
      .addSuccess(Schema.Struct({ tools: Schema.Array(ManualTool) }))
      .addError(NotFound)
      .annotate(OpenApi.Description, "The tools that a person may run, each with its form.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.post("run", "/v1/sessions/:session/tools/:tool")
      .setPath(Schema.Struct({ ...SessionPath.fields, tool: Schema.NonEmptyString.pipe(Schema.maxLength(256)) }))
      .setPayload(
        Schema.Struct(invocation).annotations({
          identifier: "ToolInvocation",
          parseOptions: { onExcessProperty: "error" }
        })
      )
      .addSuccess(Answered, { status: 202 })
      .addError(Refusal)
      .annotate(
        OpenApi.Description,
        "Runs a tool for the person who asks, behind the same gate; its result becomes part of the session."
      )
      .middleware(Operating)
  )

export const live = HttpApiBuilder.group(base.add(group), "tools", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { project } }) =>
      Effect.gen(function* () {
        const host = yield* Host
        const { tools } = yield* stored(host.project(yield* placeOf(project)))
        const manual = [...tools.tools.values()].filter(isForPeople)
        return {
          tools: manual.map((tool) => ({
            name: tool.name,
            description: tool.description,
            mode: tool.mode,
            fields: fieldsOf(tool),
            parameters: tool.codec.jsonSchema()
          }))
        }
      }).pipe(Effect.scoped)
    )
    .handle("run", ({ path: { session, tool }, payload }) =>
      carryOut(session, { ...payload, _tag: "InvokeTool", tool })
    )
)
