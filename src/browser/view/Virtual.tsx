import { Component, createRef, type ComponentChildren } from "preact"

export interface VirtualProps {
  readonly count: number
  readonly keyOf: (index: number) => string
  readonly row: (index: number) => ComponentChildren
  /** Pixels of a row that has not been seen. */
  readonly estimate: number
  /** Stays at the end while rows come, unless the reader has scrolled away from it. */
  readonly follows?: boolean
  readonly label: string
  readonly class?: string
  /** The first row is near. */
  readonly onTop?: () => void
  /** Grows when a row has changed. */
  readonly revision: number
  /** The row that is brought into sight whenever it becomes another one. */
  readonly shown?: number | undefined
  /** Grows when the reader has done what shows at the end. */
  readonly acted?: number
}

/** Pixels above and below what is visible that are there as well. */
const beyond = 600
/** How near the end counts as the end. */
const nearEnd = 48

/** A list of rows of any height, of which only those near the visible part are in the document. */
export class Virtual extends Component<VirtualProps, { top: number; height: number }> {
  override state = { top: 0, height: 800 }
  private readonly scroller = createRef<HTMLDivElement>()
  private readonly heights = new Map<string, number>()
  private readonly rows = new Map<Element, string>()
  private atEnd = true
  /** Where the upper edge was last put or found. */
  private placed = 0
  /** The row at the upper edge, and where it stood, so that it stays there when rows above it change. */
  private anchor: { readonly key: string; readonly offset: number } | undefined
  private watcher: ResizeObserver | undefined
  private starts: Float64Array = new Float64Array(1)
  /** The rows that the starts are of; unset where they are to be added up anew. */
  private summed: VirtualProps["keyOf"] | undefined

  override componentDidMount(): void {
    this.watcher = new ResizeObserver((entries) => {
      const { current } = this.scroller
      const height = current?.clientHeight ?? 0
      if (height !== this.state.height && entries.some(({ target }) => target === current)) this.setState({ height })
      else if (this.measure()) this.forceUpdate()
    })
    if (this.scroller.current !== null) this.watcher.observe(this.scroller.current)
    this.settle()
  }

  override componentDidUpdate({ acted, shown }: VirtualProps): void {
    if (this.props.acted !== acted) this.atEnd = true
    if (this.props.shown !== undefined && this.props.shown !== shown) this.reveal(this.props.shown)
    this.settle()
  }

  override componentWillUnmount(): void {
    this.watcher?.disconnect()
  }

  /** Takes the heights of the rows that are there; whether one was not known. */
  private measure(): boolean {
    let changed = false
    for (const [element, key] of this.rows) {
      const height = element.isConnected ? (element as HTMLElement).offsetHeight : 0
      if (height === 0 || this.heights.get(key) === height) continue
      this.heights.set(key, height)
      changed = true
    }
    if (changed) this.summed = undefined
    return changed
  }

  /** Keeps the end, or the row that was read, where it was. */
  private settle(): void {
    const { current } = this.scroller
    if (current === null) return
    if (this.measure()) return this.forceUpdate()
    const { count, follows = false, keyOf } = this.props
    if (follows && this.atEnd) {
      current.scrollTop = current.scrollHeight
      this.placed = current.scrollTop
    } else if (this.anchor !== undefined) {
      const { key, offset } = this.anchor
      const near = this.indexAt(current.scrollTop)
      let at = -1
      for (let step = 0; step < count && at < 0; step++) {
        if (near - step >= 0 && keyOf(near - step) === key) at = near - step
        else if (near + step < count && keyOf(near + step) === key) at = near + step
      }
      const wanted = (this.starts[at] ?? 0) + offset
      if (at >= 0 && Math.abs(wanted - current.scrollTop) > 1) current.scrollTop = wanted
    }
  }

  /** The row at a height. */
  private indexAt(top: number): number {
    let low = 0
    let high = Math.max(0, this.props.count - 1)
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.starts[middle] ?? 0) <= top) low = middle
      else high = middle - 1
    }
    return low
  }

  private readonly scrolled = (): void => {
    const { current } = this.scroller
    if (current === null) return
    const top = current.scrollTop
    // Only who goes up leaves the end: what came below since it was scrolled to leads nobody away from it.
    this.atEnd = current.scrollHeight - top - current.clientHeight < nearEnd || (this.atEnd && top >= this.placed - 1)
    this.placed = top
    const index = this.indexAt(top)
    this.anchor =
      this.props.count === 0 ? undefined : { key: this.props.keyOf(index), offset: top - (this.starts[index] ?? 0) }
    if (top < beyond) this.props.onTop?.()
    this.setState({ top })
  }

  /** Brings a row into sight, if it is not there already. */
  private reveal(index: number): void {
    const { current } = this.scroller
    const [top = 0, bottom = 0] = this.starts.subarray(index, index + 2)
    if (current === null || (top >= current.scrollTop && bottom <= current.scrollTop + current.clientHeight)) return
    this.atEnd = false
    const offset = -Math.min(top, Math.floor(current.clientHeight / 3))
    this.anchor = { key: this.props.keyOf(index), offset }
    current.scrollTop = top + offset
  }

  private readonly measured = (key: string) => (element: HTMLElement | null) => {
    if (element === null || this.rows.get(element) === key) return
    this.rows.set(element, key)
    this.watcher?.observe(element)
  }

  /** Adds up where each row starts. */
  private add(count: number, keyOf: VirtualProps["keyOf"], estimate: number): void {
    if (this.starts.length < count + 1) this.starts = new Float64Array(2 * count + 1)
    let sum = 0
    for (let index = 0; index < count; index++) {
      this.starts[index] = sum
      sum += this.heights.get(keyOf(index)) ?? estimate
    }
    this.starts[count] = sum
    this.summed = keyOf
  }

  override render({ class: name = "", count, estimate, keyOf, label, row }: VirtualProps) {
    if (this.summed !== keyOf) this.add(count, keyOf, estimate)
    const sum = this.starts[count] ?? 0
    const { height, top } = this.state
    const first = count === 0 ? 0 : this.indexAt(Math.max(0, top - beyond))
    const last = count === 0 ? -1 : this.indexAt(top + height + beyond)
    const shown = []
    for (let index = first; index <= last; index++) {
      const key = keyOf(index)
      shown.push(
        <div
          key={key}
          class="virtual-row"
          role="article"
          aria-posinset={index + 1}
          aria-setsize={count}
          ref={this.measured(key)}
        >
          {row(index)}
        </div>
      )
    }
    for (const element of this.rows.keys())
      if (!element.isConnected) {
        this.watcher?.unobserve(element)
        this.rows.delete(element)
      }
    return (
      <div
        class={`virtual ${name}`}
        ref={this.scroller}
        onScroll={this.scrolled}
        tabIndex={0}
        role="feed"
        aria-label={label}
      >
        <div class="virtual-space" style={{ height: `${sum}px` }}>
          <div class="virtual-rows" style={{ transform: `translateY(${this.starts[first] ?? 0}px)` }}>
            {shown}
          </div>
        </div>
      </div>
    )
  }
}
