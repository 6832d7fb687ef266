import * as Predicate from "effect/Predicate"

type Uri = (own: string) => string

const named = (value: unknown, uri: Uri): unknown =>
  Predicate.isReadonlyRecord(value) && typeof value["uri"] === "string" ? { ...value, uri: uri(value["uri"]) } : value

const block = (value: unknown, uri: Uri): unknown =>
  !Predicate.isReadonlyRecord(value)
    ? value
    : value["type"] === "resource_link"
      ? named(value, uri)
      : value["type"] === "resource"
        ? { ...value, resource: named(value["resource"], uri) }
        : value

const isLink = (value: unknown): boolean =>
  Predicate.isReadonlyRecord(value) && (value["type"] === "resource_link" || value["type"] === "resource")

/** Whether a result of a tool names resources of its server. */
export const hasLinks = ({ content }: { readonly content?: unknown }): boolean =>
  Array.isArray(content) && content.some(isLink)

/** A result of a tool, or a prompt, whose resources have the URIs under which its client can read them. */
export const withLinks = <A>(result: A, uri: Uri): A => {
  if (!Predicate.isReadonlyRecord(result)) return result
  const { content, messages } = result
  return {
    ...result,
    ...(Array.isArray(content) && { content: content.map((one) => block(one, uri)) }),
    ...(Array.isArray(messages) && {
      messages: messages.map((one: unknown) =>
        Predicate.isReadonlyRecord(one) ? { ...one, content: block(one["content"], uri) } : one
      )
    })
  }
}
