/** What every provider accepts as the name of a function, also of one in the history that was never there. */
const accepted = /^[A-Za-z0-9_-]{1,64}$/

/** A function name that servers accept: other characters become `_`. */
export const sendableName = (name: string): string =>
  accepted.test(name) ? name : name.slice(0, 64).replaceAll(/[^A-Za-z0-9_-]/g, "_") || "unnamed"
