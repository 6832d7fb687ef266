import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { errnoOf, errnoText } from "../../system/errno.ts"

/** The system refused a step of a file operation. */
export class FileFailure extends Schema.TaggedError<FileFailure>()("FileFailure", {
  operation: Schema.String,
  path: Schema.String,
  /** The name of the errno, e.g. `ENOENT`. */
  code: Schema.String
}) {
  override get message() {
    return `Could not ${this.operation} ${this.path}: ${errnoText(this.code)}`
  }
}

/** A file is larger than its reader is prepared for; sizes in bytes. */
export class FileTooLarge extends Schema.TaggedError<FileTooLarge>()("FileTooLarge", {
  path: Schema.String,
  size: Schema.Number,
  limit: Schema.Number
}) {
  override get message() {
    return `${this.path} has ${this.size} bytes, more than the limit of ${this.limit}; read a part of it`
  }
}

/**
 * A file is no longer what the change was made for. The states are SHA-256 sums where they were compared; `null` stands
 * for a file that does not exist.
 */
export class StaleFile extends Schema.TaggedError<StaleFile>()("StaleFile", {
  path: Schema.String,
  expected: Schema.NullOr(Schema.String),
  actual: Schema.NullOr(Schema.String)
}) {
  override get message() {
    if (this.expected === null) return `${this.path} was created meanwhile; read it before you change it`
    if (this.actual === null) return `${this.path} was deleted meanwhile; nothing was changed`
    return `${this.path} changed since it was read; read it again and repeat the change`
  }
}

/** Runs a synchronous system call whose exception is a typed failure. */
export const attempt = <A>(operation: string, path: string, call: () => A): Effect.Effect<A, FileFailure> =>
  Effect.try({ try: call, catch: (cause) => new FileFailure({ operation, path, code: errnoOf(cause) }) })

/** Awaits a system call to its end even when interrupted; its descriptor and buffer stay valid. */
export const settle = <A>(
  operation: string,
  path: string,
  call: (done: (cause: NodeJS.ErrnoException | null, value: A) => void) => void
): Effect.Effect<A, FileFailure> =>
  Effect.uninterruptible(
    Effect.async<A, FileFailure>((resume) =>
      call((cause, value) =>
        resume(
          cause === null
            ? Effect.succeed(value)
            : Effect.fail(new FileFailure({ operation, path, code: errnoOf(cause) }))
        )
      )
    )
  )
