import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

const properties = (ast: AST.AST): ReadonlyArray<string> =>
  AST.getPropertySignatures(ast).map(({ name }) => String(name))

const isErrorClass = (schema: unknown): boolean => typeof schema === "function" && schema.prototype instanceof Error

/** Whether all values of a schema have a `_tag` and a `message`, as instances of `Schema.TaggedError` do. */
export const isTaggedFailure = (schema: Schema.Schema.All): boolean =>
  "members" in schema && Array.isArray(schema.members)
    ? schema.members.every(isTaggedFailure)
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
