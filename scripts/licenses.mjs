// What the packages that are built in ask for: their licences beside what was built.
import * as fs from "node:fs"
import * as path from "node:path"

const folderOf = (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0]

/** `plugin` notes the packages of each build that has it, `write` puts their licences into a file, the same text once. */
export const licenses = (root) => {
  const folders = new Set()
  const plugin = {
    name: "licenses",
    setup(build) {
      build.initialOptions.metafile = true
      build.onEnd(({ metafile }) => {
        for (const input of Object.keys(metafile?.inputs ?? {})) {
          const folder = folderOf(input)
          if (folder !== undefined) folders.add(path.resolve(root, folder))
        }
      })
    }
  }
  const write = (file) => {
    const packages = new Map()
    for (const folder of folders) {
      const { license = "", name, version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))
      const found = fs.readdirSync(folder).filter((one) => /^(?:licen[cs]e|copying|notice)/i.test(one))
      const text = found.map((one) => fs.readFileSync(path.join(folder, one), "utf8").trim()).join("\n\n")
      packages.set(text, [...(packages.get(text) ?? []), `${name} ${version} (${license})`])
    }
    const parts = [...packages].map(([text, names]) => `${names.sort().join("\n")}\n\n${text}`.trim())
    fs.writeFileSync(file, `${parts.sort().join(`\n\n${"-".repeat(80)}\n\n`)}\n`)
  }
  return { plugin, write }
}
