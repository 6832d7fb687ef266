const added = (name: string, mode = ""): string =>
  `${mode === "" ? "" : `diff --git a/${name} b/${name}\n${mode}\n`}--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+new\n`

const envelope = (...parts: ReadonlyArray<string>): string => ["*** Begin Patch", ...parts, "*** End Patch"].join("\n")

type Form = readonly [RegExp, (first: string, second: string) => string]

/** The lines that a case quotes of a patch, or the words that it has for one. */
const forms: ReadonlyArray<Form> = [
  [
    /^rename from (.+)\nrename to (.+)$/,
    (from, to) => `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`
  ],
  [/^(new file mode \d+)\n\+\+\+ b\/(.+)$/, (mode, name) => added(name, mode)],
  [/^\+\+\+ (.+)()$/, (name) => `--- /dev/null\n+++ ${name}\n@@ -0,0 +1 @@\n+new\n`],
  [/^two files: (\S+) \(.*?\) and (\S+) \(.*\)$/, (one, other) => added(one) + added(other)],
  [/^delete symlink (\S+)(?: -> .*)?()$/, (name) => envelope(`*** Delete File: ${name}`)]
]

/** The whole patch that a part of one stands for; undefined where that cannot be told. */
export const completePatch = (text: string): string | undefined => {
  for (const [form, complete] of forms) {
    const [, first, second = ""] = form.exec(text.trim()) ?? []
    if (first !== undefined) return complete(first, second)
  }
  return undefined
}
