import * as AST from "effect/SchemaAST"
import type * as Tool from "../tool/Tool.ts"

const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split("\n", 1)[0] ?? ""

/** Why no model could be told of the parameters. */
const unpublishable = ({ codec }: Tool.Any): string | undefined => {
  try {
    const { type } = codec.jsonSchema()
    codec.decode()
    return type === "object" ? undefined : `its parameters are not an object but ${String(type ?? "something else")}`
  } catch (cause) {
    return `its parameters have no JSON Schema: ${reasonOf(cause)}. Use a schema whose encoded side is JSON.`
  }
}

const properties = (ast: AST.AST): ReadonlyArray<string> =>
  AST.getPropertySignatures(ast).map(({ name }) => String(name))

const isErrorClass = (schema: unknown): boolean => typeof schema === "function" && schema.prototype instanceof Error

/** Whether all values of a schema have a `_tag` and a `message`, as instances of `Schema.TaggedError` do. */
const isTagged = (schema: Tool.Any["failure"]): boolean =>
  "members" in schema && Array.isArray(schema.members)
    ? schema.members.every(isTagged)
    : hasFields(schema.ast, isErrorClass(schema) ? ["_tag"] : ["_tag", "message"])

const hasFields = (ast: AST.AST, names: ReadonlyArray<string>): boolean => {
  switch (ast._tag) {
    case "NeverKeyword":
      return true
    case "Union":
      return ast.types.every((type) => hasFields(type, names))
    case "Suspend":
      return hasFields(ast.f(), names)
    case "Refinement":
      return hasFields(ast.from, names)
    case "Transformation":
      return hasFields(ast.to, names)
    case "Declaration": {
      const surrogate = AST.getSurrogateAnnotation(ast)
      return surrogate._tag === "Some" && hasFields(surrogate.value, names)
    }
    case "TypeLiteral": {
      const found = properties(ast)
      return names.every((name) => found.includes(name))
    }
    default:
      return false
  }
}

/** Why a tool would fail in every call, or in every failure, as far as its schemas tell. */
export const unfit = (tool: Tool.Any): string | undefined =>
  unpublishable(tool) ??
  (isTagged(tool.failure) ? undefined : "its failure has no _tag or no message. Declare it with Schema.TaggedError.")
