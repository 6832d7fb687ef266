import * as path from "node:path"

/** How the person calls us: by name where it is installed, by path where it is not. */
export const invocation = (): string => {
  const script = process.argv[1] ?? "tollgate"
  if (path.basename(script) === "tollgate") return "tollgate"
  const relative = path.relative(process.cwd(), script)
  return `node ${relative.startsWith("..") ? script : relative}`
}
