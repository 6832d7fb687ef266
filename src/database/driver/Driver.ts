import * as Data from "effect/Data"

/** A package that brings SQLite, behind one face: `test/database/driver.test.ts` is what it promises. */
export interface Driver {
  /** The name of the package. */
  readonly name: string
  /** Opens a file, which is made if it is missing unless it is only read. Throws `SqliteError`, as everything below. */
  readonly open: (file: string, options: OpenOptions) => Handle
}

export interface OpenOptions {
  readonly readonly: boolean
  /** Milliseconds that a statement waits for the lock of another connection. */
  readonly timeout: number
}

export type Row = Readonly<Record<string, unknown>>

/** One connection to a file. */
export interface Handle {
  /** One statement, to be run any number of times. */
  readonly prepare: (text: string) => Statement
  /** Runs statements without rows; none stays prepared. */
  readonly exec: (text: string) => void
  /** Rolls back what is open, and writes the journal back into the file if this is its last connection. */
  readonly close: () => void
}

/** A prepared statement; it is given all of its parameters every time, and refuses what `bindable` does. */
export interface Statement {
  /** It has rows as its result. */
  readonly reads: boolean
  /** Integers beyond 2^53 are not to be relied on, and a text ends before U+0000: read such a column by `json_quote`. */
  readonly all: (params: ReadonlyArray<unknown>) => ReadonlyArray<Row>
  /** The rows as arrays of their columns. */
  readonly values: (params: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly run: (params: ReadonlyArray<unknown>) => { readonly changes: number }
}

/** What can be bound, see `bindable`. */
export type Bindable = string | number | bigint | Uint8Array | null

/** What SQLite refused, by the name of its result code, e.g. `SQLITE_BUSY`. */
export class SqliteError extends Data.TaggedError("SqliteError")<{ readonly code: string; readonly message: string }> {}

const unbindable = (message: string): SqliteError => new SqliteError({ code: "SQLITE_MISMATCH", message })

const isBindable = (value: unknown): value is Bindable => {
  switch (typeof value) {
    case "string":
      // Cut there by one driver, kept by the other.
      if (value.includes("\0")) throw unbindable("text with the character U+0000 cannot be stored")
      return true
    case "number":
      return Number.isFinite(value)
    case "bigint":
      return BigInt.asIntN(64, value) === value
    default:
      return value === null || value instanceof Uint8Array
  }
}

/** The parameters, unless one is what drivers change without a word, each in its way. */
export const bindable = (params: ReadonlyArray<unknown>): ReadonlyArray<Bindable> => {
  for (const param of params) {
    if (!isBindable(param)) throw unbindable(`a parameter of type ${typeof param} cannot be stored`)
  }
  return params as ReadonlyArray<Bindable>
}
