/** A foreign message as one sentence that ends with a full stop. */
export const sentence = (text: string): string => (/[.!?\u2026]$/.test(text) ? text : `${text}.`)
