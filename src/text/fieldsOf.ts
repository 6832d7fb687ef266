import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

const isObject = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === "object" && value !== null

const known = (ast: AST.AST, value: unknown): unknown => {
  if (AST.isTypeLiteral(ast) && isObject(value)) {
    const present = ast.propertySignatures.filter(({ name }) => value[name] !== undefined)
    return Object.fromEntries(present.map(({ name, type }) => [name, known(type, value[name])]))
  }
  const rest = AST.isTupleType(ast) ? ast.rest[0]?.type : undefined
  return rest !== undefined && Array.isArray(value) ? value.map((one) => known(rest, one)) : value
}

/**
 * Reads what other code gave as its schema has it: without members that the schema does not know, which its type lets pass and
 * a log may not be able to keep, and without those that are undefined. Nothing for what does not fit.
 */
export const fieldsOf = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => Option.Option<A>) => {
  const { ast } = Schema.typeSchema(schema)
  const fits = Schema.is(schema)
  return (value) => Option.liftPredicate(fits)(known(ast, value))
}
