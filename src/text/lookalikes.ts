/** Letters of other alphabets that look like those of Latin, small ones and such as have a capital that does. */
export const lookalikes: Readonly<Record<string, string>> = {
  а: "a",
  ɑ: "a",
  α: "a",
  с: "c",
  ϲ: "c",
  ԁ: "d",
  е: "e",
  ҽ: "e",
  ε: "e",
  һ: "h",
  і: "i",
  ı: "i",
  ι: "i",
  ⅼ: "l",
  ӏ: "l",
  ո: "n",
  η: "n",
  ɴ: "n",
  о: "o",
  ο: "o",
  օ: "o",
  р: "p",
  ρ: "p",
  ԛ: "q",
  գ: "q",
  г: "r",
  ѕ: "s",
  т: "t",
  τ: "t",
  ս: "u",
  υ: "u",
  ν: "v",
  ѵ: "v",
  ԝ: "w",
  ѡ: "w",
  в: "b",
  к: "k",
  м: "m",
  н: "h",
  у: "y",
  х: "x",
  ј: "j",
  β: "b",
  κ: "k",
  χ: "x",
  γ: "y"
}

const ascii = /^[ -~\n\t]*$/

/** Words of a text in which such letters stand among those of Latin, or stand alone where the text has no other word of their alphabet. */
export const lookalikeWords = (text: string): ReadonlyArray<string> => {
  if (ascii.test(text)) return []
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const isLike = (letter: string): boolean => Object.hasOwn(lookalikes, letter.toLowerCase())
  const isForeign = (word: string): boolean => /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(word)
  const foreign = words.filter(isForeign)
  const isProse = foreign.some((word) => !/[a-z]/i.test(word) && ![...word].every(isLike))
  return [
    ...new Set(
      foreign.filter((word) => (/[a-z]/i.test(word) ? [...word].some(isLike) : !isProse && [...word].every(isLike)))
    )
  ]
}
