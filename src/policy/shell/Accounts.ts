/** Everything allowed between two plain commands, before the first and after the last. */
const separator = /^(?:[ \t\n]|&&|\|\|?|;|(?<=[ \t\n;|&])#[^\n]*(?=\n|$))*$/
const blank = /^[ \t]*$/

/** How far a text is accounted for, character by character, which catches mistakes of the parser. */
export class Accounts {
  readonly #text: string
  #end = 0
  /** Only what is accounted for may precede the next command. */
  #opened = false

  constructor(text: string) {
    this.#text = text
  }

  /** What was read ends here. */
  reach(end: number): void {
    this.#end = end
  }

  /** A command begins here. */
  open(start: number): void {
    this.#end = start
    this.#opened = true
  }

  between(from: number, to: number, form: RegExp): boolean {
    return form.test(this.#text.slice(from, to))
  }

  /** Whether what follows up to `end` has a form, which is accounted for then. */
  closes(end: number, form: RegExp): boolean {
    const isClosed = this.between(this.#end, end, form)
    this.#end = end
    return isClosed
  }

  /** Whether a part of a command follows with blanks before it, or with none if it need not have any. */
  follows(start: number, needsBlank: boolean): boolean {
    const gap = this.#text.slice(this.#end, start)
    return blank.test(gap) && (gap !== "" || !needsBlank)
  }

  /** Whether what stands before `end` ends the last command; nothing need end before the first. */
  separates(end: number): boolean {
    const gap = this.#text.slice(this.#end, end)
    if (this.#opened) {
      this.#opened = false
      return gap === ""
    }
    if (this.#end === 0) return separator.test(`\n${gap}`) && !/^[^#]*[;|&]/.test(gap)
    return separator.test(gap) && (end === this.#text.length || /[\n;|&]/.test(gap))
  }
}
