import type * as OpenApi from "@effect/platform/OpenApi"
import * as crypto from "node:crypto"

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 60rem; padding: 1rem }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
summary { cursor: pointer; padding: 0.25rem 0 }
details { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
dt { font-weight: 600 }
`

/** The page has one style of its own, and nothing that runs or is fetched. */
export const policy = `default-src 'none'; style-src 'sha256-${crypto.createHash("sha256").update(style).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (found) => entities[found] ?? found)

const json = (value: unknown): string => `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`

const item = (name: string, text: string): string => `<dt>${name}</dt><dd>${text}</dd>`

const operationOf = (method: string, path: string, one: OpenApi.OpenAPISpecOperation): string => {
  const parameters = one.parameters.map(
    ({ in: place, name, required, schema }) =>
      `<code>${escaped(name)}</code> in the ${place}${required ? "" : ", optional"} ${json(schema)}`
  )
  const body = Object.values(one.requestBody?.content ?? {}).map((media) => json(media.schema))
  const answers = Object.entries(one.responses ?? {}).map(([status, { content = {}, description }]) =>
    item(
      status,
      [
        escaped(description),
        ...Object.entries(content).map(([type, media]) => `${escaped(type)} ${json(media.schema)}`)
      ].join(" ")
    )
  )
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code></summary>
<p>${escaped(one.description ?? "")}</p>
<dl>${parameters.length === 0 ? "" : item("Parameters", parameters.join(""))}${body.length === 0 ? "" : item("Body", body.join(""))}${answers.join("")}</dl></details>`
}

/** An OpenAPI document as a page. */
export const page = ({ components, info, paths, tags }: OpenApi.OpenAPISpec): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, OpenApi.OpenAPISpecOperation>>).map(([method, one]) => ({
      tag: one.tags[0] ?? "",
      text: operationOf(method, path, one)
    }))
  )
  const groups = (tags ?? []).map(
    ({ name }) =>
      `<h2>${escaped(name)}</h2>${operations.flatMap(({ tag, text }) => (tag === name ? [text] : [])).join("")}`
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<details><summary><code>${escaped(name)}</code></summary>${json(schema)}</details>`
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(info.title)} API</title><style>${style}</style></head>
<body><main><h1>${escaped(info.title)} API ${escaped(info.version)}</h1>
<p>The same as a document for programs: <a href="/openapi.json">openapi.json</a></p>
${groups.join("")}<h2>Schemas</h2>${schemas.join("")}</main></body></html>
`
}
