/** Whole seconds, for deadlines. */
export const seconds = (millis: number): string => `${Math.max(0, Math.ceil(millis / 1000))} s`

export const bytes = (count: number): string =>
  count < 1024
    ? `${count} B`
    : count < 1024 * 1024
      ? `${(count / 1024).toFixed(1)} KiB`
      : `${(count / 1024 / 1024).toFixed(1)} MiB`

/** `1 call`, `2 calls`. */
export const many = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : more}`
