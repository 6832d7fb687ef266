import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A duration as files hold it: milliseconds, or text like "90 seconds". */
export const Timespan = Schema.transform(
  Schema.Union(Schema.Number, Schema.String).pipe(
    Schema.filter(
      (written) =>
        Option.exists(Duration.decodeUnknown(written), Duration.greaterThan(Duration.zero)) ||
        'expected milliseconds or a duration like "90 seconds"'
    )
  ),
  Schema.DurationFromSelf,
  {
    strict: true,
    decode: (written) => Duration.decode(written as Duration.DurationInput),
    encode: (duration) => Duration.toMillis(duration)
  }
)
