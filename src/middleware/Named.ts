/** What every call says of itself, so that a message can name it: `tool read_file`, `command run`. */
export interface Named {
  readonly kind: "tool" | "command"
  readonly name: string
}
