type Words = ReadonlyArray<string>

/** Options that have a value behind them, of `docker compose` itself and of its `exec` and `run`. */
const valued = new Set(
  (
    "-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel " +
    "-e --env -u --user -w --workdir --index --cap-add --cap-drop --entrypoint -l --label --name --publish --pull -v --volume " +
    "--env-from-file"
  ).split(" ")
)

/** Where the next operand stands, behind options and their values. */
const operandAt = (words: Words, from: number): number => {
  let at = from
  while (at < words.length && words[at]!.startsWith("-")) at += valued.has(words[at]!) ? 2 : 1
  return at
}

/**
 * What `docker compose` runs in a service with a terminal, as it does unless it is told otherwise; empty where that is what the
 * service runs of its own, and unset where nobody can type into it.
 */
export const composed = (args: Words): Words | undefined => {
  const words = args[0] === "compose" ? args.slice(1) : args
  const verb = operandAt(words, 0)
  if (words[verb] === "attach") return []
  if (words[verb] !== "exec" && words[verb] !== "run") return undefined
  const service = operandAt(words, verb + 1)
  const options = words.slice(verb + 1, service)
  if (options.some((option) => /^(?:-[a-zA-Z]*d[a-zA-Z]*|--detach(?:=true)?)$/.test(option))) return undefined
  return options.some((option) => option.startsWith("--entrypoint")) ? [] : words.slice(service + 1)
}
