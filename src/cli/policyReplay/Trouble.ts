/** What of a record could not be read. */
export interface Unread {
  readonly file: string
  /** From 1; unset where it is the file. */
  readonly line?: number
  readonly problem: string
}

/** Collects what could not be read: all is counted, the first of it is kept. */
export class Trouble {
  readonly first: Array<Unread> = []
  count = 0

  add(one: Unread): void {
    this.count += 1
    if (this.first.length < kept) this.first.push(one)
  }
}

const kept = 20
