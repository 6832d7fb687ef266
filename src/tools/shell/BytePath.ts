import * as Brand from "effect/Brand"

/** An absolute path or a name with each of its bytes as one character: names need not be UTF-8, and none may be lost. */
export type BytePath = string & Brand.Brand<"BytePath">

const make = Brand.nominal<BytePath>()

export const fromText = (path: string): BytePath => make(Buffer.from(path).toString("latin1"))

export const fromBytes = (name: Buffer): BytePath => make(name.toString("latin1"))

/** What a person reads; bytes that are not UTF-8 show as U+FFFD. */
export const toText = (path: BytePath): string => Buffer.from(path, "latin1").toString()

/** Whether the text names the same path, as it has to where only texts are taken. */
export const isText = (path: BytePath): boolean => fromText(toText(path)) === path

/** What the system takes. */
export const onDisk = (path: BytePath): Buffer => Buffer.from(path, "latin1")

export const within = (directory: BytePath, name: BytePath): BytePath =>
  make(directory === "/" ? `/${name}` : `${directory}/${name}`)

export const parentOf = (path: BytePath): BytePath => make(path.slice(0, path.lastIndexOf("/")) || "/")
