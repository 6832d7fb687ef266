import { parsePatch, type StructuredPatch } from "diff"
import * as Either from "effect/Either"
import type { PatchFault, PatchStep } from "./PatchStep.ts"

const nowhere = "/dev/null"

const strip = (name: string, prefix: "a/" | "b/", other: string | undefined, otherPrefix: "a/" | "b/"): string =>
  name.startsWith(prefix) && (other === undefined || other === nowhere || other.startsWith(otherPrefix))
    ? name.slice(prefix.length)
    : name

const added = (patch: StructuredPatch): string => {
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  const kept = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1))
  return kept.join("\n") + (kept.length === 0 || lines.at(-1)?.startsWith("\\") === true ? "" : "\n")
}

const special: Readonly<Record<string, string>> = { "120000": "a symlink", "160000": "a link to another repository" }

const step = (patch: StructuredPatch): Either.Either<PatchStep, PatchFault> => {
  const { newFileName, oldFileName } = patch
  if (oldFileName === undefined || newFileName === undefined) {
    return Either.left({ reason: "a part of it does not name its file; begin it with `--- a/name` and `+++ b/name`" })
  }
  const kind = special[patch.newMode ?? ""] ?? special[patch.oldMode ?? ""]
  if (kind !== undefined && patch.isDelete !== true) return Either.left({ reason: `${newFileName} would be ${kind}` })
  if (patch.isBinary === true) return Either.left({ reason: `${newFileName} is binary; only text is patched` })
  if (patch.isCopy === true) return Either.left({ reason: `${newFileName} is a copy; add it with its whole text` })
  const from = strip(oldFileName, "a/", newFileName, "b/")
  const to = strip(newFileName, "b/", oldFileName, "a/")
  const edit = { format: "unified", patch } as const
  if (newFileName === nowhere || patch.isDelete === true) return Either.right({ kind: "delete", path: from, edit })
  if (oldFileName === nowhere || patch.isCreate === true)
    return Either.right({ kind: "add", path: to, text: added(patch) })
  if (from === to) return Either.right({ kind: "update", path: from, edit })
  return patch.isRename === true
    ? Either.right({ kind: "update", path: from, moveTo: to, edit })
    : Either.left({ reason: `it names one file ${from} and then ${to}; use git's \`rename from\` and \`rename to\`` })
}

/** Reads a unified diff, plain or git's; names in quotes are unquoted. */
export const parseUnified = (text: string): Either.Either<ReadonlyArray<PatchStep>, PatchFault> =>
  Either.flatMap(
    Either.try({
      try: () => parsePatch(text),
      catch: (cause): PatchFault => ({ reason: cause instanceof Error ? cause.message : "it is not a unified diff" })
    }),
    (patches) => Either.all(patches.map(step))
  )
