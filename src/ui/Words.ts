/** Whole seconds, for deadlines. */
export const seconds = (millis: number): string => `${Math.max(0, Math.ceil(millis / 1000))} s`

export const bytes = (count: number): string =>
  count < 1024
    ? `${count} B`
    : count < 1024 * 1024
      ? `${(count / 1024).toFixed(1)} KiB`
      : `${(count / 1024 / 1024).toFixed(1)} MiB`

/** The first number that is written for a place loads the words of all places, which a short one can do without. */
const grouped = (count: number): string => (count < 1000 ? String(count) : count.toLocaleString("en-US"))

/** `1 call`, `2 calls`. */
export const many = (count: number, one: string, more = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : more}`
