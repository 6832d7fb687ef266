/**
 * Characters of scripts that are written without spaces, or that attach particles to words: Thai, Lao, Myanmar, Khmer, kana, Han
 * and Hangul, as ranges of a character class. The index of trigrams has the messages with any of them; it is part of a
 * released step and stays as it is.
 */
export const unspaced =
  "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{323af}"
