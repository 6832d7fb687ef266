/** Whether a typed answer to a question of yes or no says yes. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())
