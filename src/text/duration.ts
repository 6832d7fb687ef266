const seconds = (millis: number): string => {
  const text = (Math.round(millis / 100) / 10).toFixed(1)
  return `${text.endsWith(".0") ? text.slice(0, -2) : text} s`
}

/** A duration in milliseconds for people, e.g. `12 ms`, `1.2 s`, `2 min 5 s`, `1 h 10 min`. */
export const duration = (millis: number): string => {
  if (!Number.isFinite(millis)) return "forever"
  if (millis < 999.5) return `${Math.round(millis)} ms`
  if (millis < 59_950) return seconds(millis)
  const whole = Math.round(millis / 1000)
  const [count, large, rest, small] =
    whole < 3600
      ? [Math.floor(whole / 60), "min", whole % 60, "s"]
      : [Math.floor(whole / 3600), "h", Math.floor(whole / 60) % 60, "min"]
  return rest === 0 ? `${count} ${large}` : `${count} ${large} ${rest} ${small}`
}
