import { Visitor } from "./NestedVisitor.ts"
import type { Denied, Remark, Surroundings } from "./Reading.ts"
import type { Source } from "./Source.ts"

export const hardDenied = (source: Source, context: Surroundings): Denied => {
  const visitor = new Visitor(context)
  visitor.visit(source.script)
  return visitor
}

/** The hard denials, and what the commands destroy that are read before one is denied. */
export const destroyed = (
  source: Source,
  context: Surroundings
): Denied & { readonly remarks: ReadonlyArray<Remark> } => {
  const remarks: Array<Remark> = []
  const visitor = new Visitor(context, remarks)
  visitor.visit(source.script)
  const { denied, exhausted, verdict } = visitor
  return { denied, exhausted, remarks, verdict }
}
