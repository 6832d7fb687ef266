/** The kind and name of a call, for messages: `tool read_file`, `command run`. */
export interface Named {
  readonly kind: "tool" | "command"
  readonly name: string
}
