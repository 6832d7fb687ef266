// Schemas of Effect that cost less to make: a command makes thousands of them before its first word, and uses few.
import * as fs from "node:fs/promises"

const parts = [
  "typeSchema_",
  "declarationSurrogate",
  "typeSide",
  "constructorSchema",
  "encodedSide",
  "transformationSurrogate"
]

/** The text between two marks of which there is one each. */
const between = (text, from, to) => {
  const [start, end] = [text.indexOf(from), text.indexOf(to, text.indexOf(from))]
  if (start < 0 || end < 0 || text.indexOf(from, start + 1) >= 0)
    throw new Error(`effect/Schema has no single ${from} any more; look at scripts/leanSchemas.mjs again`)
  return text.slice(start, end)
}

const changed = (text, pattern, replacement, count) => {
  const found = text.match(pattern)?.length ?? 0
  if (found !== count)
    throw new Error(`effect/Schema has ${found} of ${pattern}, not ${count}; look at scripts/leanSchemas.mjs again`)
  return text.replace(pattern, replacement)
}

/** A function with properties, which V8 makes in a tenth of the time that a class with static members takes. */
const make = `
function annotateSchema(annotations) {
  return make(mergeSchemaAnnotations(this.ast, annotations))
}
function pipeSchema() {
  return pipeArguments(this, arguments)
}
function showSchema() {
  return String(this.ast)
}
export function make(ast) {
  function SchemaClass() {
    this[TypeId] = variance
  }
  SchemaClass.ast = ast
  SchemaClass.annotations = annotateSchema
  SchemaClass.pipe = pipeSchema
  SchemaClass.toString = showSchema
  SchemaClass.Type = undefined
  SchemaClass.Encoded = undefined
  SchemaClass.Context = undefined
  SchemaClass[TypeId] = variance
  return SchemaClass
}
const later = (make) => {
  let made
  return () => (made ??= make())
}
`

/** The schemas that a class is made of are made when the first of its values is. */
const lazily = (text) =>
  parts.reduce((done, name) => {
    const declared = changed(
      done,
      new RegExp(`const ${name} = ([^;]*);\n`, "g"),
      (_, value) => `const ${name} = later(() => ${value});\n`,
      1
    )
    return declared.replace(new RegExp(`\\b${name}\\b(?! =)`, "g"), `${name}()`)
  }, text)

/** What `effect/Schema` says, in fewer objects. */
const leaner = (text) => {
  const plain = between(text, "export function make(ast) {", "const variance = {")
  const classes = between(text, "const makeClass = (", "  if (disableToString !== true)")
  return text.replace(plain, () => make).replace(classes, () => lazily(classes))
}

/** The plugin that puts it in the place of theirs. */
export const leanSchemas = {
  name: "lean-schemas",
  setup(build) {
    build.onLoad({ filter: /[\\/]effect[\\/]dist[\\/]esm[\\/]Schema\.js$/ }, async ({ path }) => ({
      contents: leaner(await fs.readFile(path, "utf8"))
    }))
  }
}
