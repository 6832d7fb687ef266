/** Words of somebody else as a sentence, which they may be already. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)
