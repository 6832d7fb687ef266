import type { ProcessCommand } from "./ProcessCommand.ts"

type Environment = ProcessCommand["env"]

/** A program that is started again and again. */
export interface Program extends Pick<ProcessCommand, "file" | "args" | "cwd"> {
  /** The whole environment, as of `ProcessCommand`; a function is asked for it at each start. */
  readonly env: Environment | (() => Environment)
}

/** What to start now. */
export const commandOf = ({
  args,
  cwd,
  env,
  file
}: Program): Pick<ProcessCommand, "file" | "args" | "cwd" | "env"> => ({
  file,
  args,
  cwd,
  env: typeof env === "function" ? env() : env
})
