import * as Schema from "effect/Schema"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** One argument of a program that no option can be mistaken for. */
const Name = Schema.String.pipe(
  Schema.filter((text) => /^[^\s-]\S*$/.test(text) || "a name without spaces that does not begin with -")
)

/** Where a user wants commands to run. */
export const SandboxSettings = Schema.Struct({
  /** `detect`, the default, takes what the system has; a target that is named has to be there. */
  target: optional(Schema.Literal("detect", "none", "bubblewrap", "sandbox-exec", "container", "ssh")),
  /** Whether confined commands may use the network; not unless it is true. */
  network: optional(Schema.Boolean),
  /** The container engine. Default: `docker`. */
  engine: optional(Schema.Literal("docker", "podman")),
  /** Of a container; it needs the programs that commands use, bash among them. */
  image: optional(Name),
  /** Of ssh: a host, or an alias of its configuration, which lets us in without a question. */
  host: optional(Name)
})
export type SandboxSettings = typeof SandboxSettings.Type
