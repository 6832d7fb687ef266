import * as Either from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { lazy } from "../system/lazy.ts"

/** The same shape where a text may be any, but for the tag by which an event is known. */
const relaxed = (ast: AST.AST): AST.AST => {
  switch (ast._tag) {
    case "Literal":
      return typeof ast.literal === "string" ? AST.stringKeyword : ast
    case "Union":
      return AST.Union.make(ast.types.map(relaxed))
    case "TupleType":
      return new AST.TupleType(
        ast.elements.map(({ isOptional, type }) => new AST.OptionalType(relaxed(type), isOptional)),
        ast.rest.map(({ type }) => new AST.Type(relaxed(type))),
        ast.isReadonly
      )
    case "TypeLiteral":
      return new AST.TypeLiteral(
        ast.propertySignatures.map((field) =>
          field.name === "_tag"
            ? field
            : new AST.PropertySignature(field.name, relaxed(field.type), field.isOptional, field.isReadonly)
        ),
        ast.indexSignatures
      )
    default:
      return ast
  }
}

/**
 * Decodes what this version or a later one has written: unknown fields are kept, and a literal may have an unknown
 * value. For schemas whose values are their own JSON form.
 */
export const lenient = <A, I>(schema: Schema.Schema<A, I>): ((input: unknown) => Either.Either<A, ParseError>) => {
  const options = { onExcessProperty: "preserve" } as const
  const strict = lazy(() => Schema.decodeUnknownEither(schema, options))
  const loose = lazy(() =>
    Schema.decodeUnknownEither(Schema.make<A, A, never>(relaxed(Schema.encodedSchema(schema).ast)), options)
  )
  return (input) => Either.orElse(strict()(input), () => loose()(input))
}
