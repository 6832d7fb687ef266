import * as path from "node:path"
import type { SandboxTarget } from "../../sandbox/SandboxPolicy.ts"
import type { SandboxSettings } from "../../sandbox/SandboxSettings.ts"
import { systemProgram } from "../../sandbox/systemProgram.ts"
import type { Style } from "./Style.ts"

export const off = "sandbox off"

const programs: Partial<Record<NodeJS.Platform, readonly [SandboxTarget, string]>> = {
  linux: ["bubblewrap", "bwrap"],
  darwin: ["sandbox-exec", "sandbox-exec"]
}

const detected = (): string => {
  const [target, program] = programs[process.platform] ?? []
  return program !== undefined && path.isAbsolute(systemProgram(program)) ? `sandbox ${target}` : off
}

/** Where commands run, in two words; for `detect` by what is installed, which is not tried out here. */
export const sandboxText = ({ engine = "docker", host = "", target = "detect" }: SandboxSettings = {}): string => {
  switch (target) {
    case "detect":
      return detected()
    case "none":
      return off
    case "ssh":
      return `${off} (ssh ${host})`
    case "container":
      return `sandbox ${engine}`
    default:
      return `sandbox ${target}`
  }
}

/** The same for a header, highlighted if nothing confines commands. */
export const sandboxMark = (text: string, style: Style): string =>
  text.startsWith(off) ? style.yellow(text) : style.dim(text)
