import type * as AST from "effect/SchemaAST"

const primitive = (ast: AST.AST): string | undefined => {
  switch (ast._tag) {
    case "BigIntKeyword":
      return "a bigint"
    case "SymbolKeyword":
    case "UniqueSymbol":
      return "a symbol"
    case "Literal":
      return typeof ast.literal === "bigint" ? "a bigint" : undefined
    default:
      return undefined
  }
}

/** What the encoded side is made of. `encodedAST` makes a new one of each turn of a recursive schema, without end. */
const within = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  switch (ast._tag) {
    case "Union":
      return ast.types
    case "TupleType":
      return [...ast.elements, ...ast.rest].map(({ type }) => type)
    case "TypeLiteral":
      return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
    case "Refinement":
    case "Transformation":
      return [ast.from]
    case "Suspend":
      return [ast.f()]
    default:
      return []
  }
}

/** What of the encoded side of a schema JSON cannot hold, e.g. `a bigint`; values of a class say for themselves what they are in JSON. */
export const withoutJsonForm = (schema: { readonly ast: AST.AST }): string | undefined => {
  const seen = new Set<AST.AST>()
  const visit = (ast: AST.AST): string | undefined => {
    if (seen.has(ast)) return undefined
    seen.add(ast)
    return primitive(ast) ?? within(ast).reduce<string | undefined>((found, below) => found ?? visit(below), undefined)
  }
  return visit(schema.ast)
}
