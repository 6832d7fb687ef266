import { forEachChild, type Function, type Script, type SyntaxNode } from "unbash"

/** The functions of a shell text: what a name may run, and whether it surely runs that and no program. */
export class Functions {
  readonly #bodies = new Map<string, Array<Function>>()
  readonly #read = new Set<Function>()
  #inForce: ReadonlySet<string> = new Set()

  /** Notes the functions below a node, whether they are ever defined or not. */
  declare(node: SyntaxNode | Script): void {
    if (node.type === "Function") this.#bodies.set(node.name.value, [...this.called(node.name.value), node])
    forEachChild(node as SyntaxNode, (child) => this.declare(child))
  }

  /** From here on a name runs a function, up to where what is read now may not have run. */
  define(name: string): void {
    this.#inForce = new Set([...this.#inForce, name])
  }

  undefine(name: string): void {
    this.#inForce = new Set([...this.#inForce].filter((one) => one !== name))
  }

  /** Every function that a name may run, from anywhere in the text: it may be in a loop or be called later. */
  called(name: string): ReadonlyArray<Function> {
    return this.#bodies.get(name) ?? []
  }

  /** Whether a name is that of a function where it stands. */
  isInForce(name: string): boolean {
    return this.#inForce.has(name)
  }

  noteRead(one: Function): void {
    this.#read.add(one)
  }

  /** Those that no command read so far calls. */
  get unread(): ReadonlyArray<Function> {
    return [...this.#bodies.values()].flat().filter((one) => !this.#read.has(one))
  }

  /** Reads what may not run, or in a process of its own: what it defines counts in it alone. */
  within(read: () => void): void {
    const before = this.#inForce
    read()
    this.#inForce = new Set([...before].filter((name) => this.#inForce.has(name)))
  }

  /** Reads the text of another shell, which has none of these functions. */
  apart(read: () => void): void {
    const before = this.#inForce
    this.#inForce = new Set()
    read()
    this.#inForce = before
  }
}
