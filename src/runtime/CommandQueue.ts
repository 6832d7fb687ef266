import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import type * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"

/** How a value gets in; false where it does not. */
export interface Offer<A> {
  readonly offer: (value: A) => Effect.Effect<boolean>
  readonly unsafeOffer: (value: A) => boolean
}

/**
 * The writing end of a `Queue` on a `Mailbox`: after its end it answers `false`, where a shut `Queue` would interrupt
 * the caller.
 */
class MailboxEnqueue<A> extends Effectable.Class<boolean> implements Queue.Enqueue<A> {
  readonly [Queue.EnqueueTypeId] = { _In: (value: A): unknown => value }
  private readonly mailbox: Mailbox.Mailbox<A>
  private readonly size_: () => Option.Option<number>
  private readonly bound: number
  private readonly offer_: Offer<A>

  constructor(mailbox: Mailbox.Mailbox<A>, bound: number, offer: Offer<A>) {
    super()
    this.offer_ = offer
    this.mailbox = mailbox
    this.bound = bound
    this.size_ = () => mailbox.unsafeSize()
  }
  override commit() {
    return this.isShutdown
  }
  capacity() {
    return this.bound
  }
  isActive() {
    return Option.isSome(this.size_())
  }
  unsafeSize() {
    return this.size_()
  }
  get size() {
    return Effect.map(this.mailbox.size, (size) => Option.getOrElse(size, () => 0))
  }
  get isFull() {
    return Effect.map(this.size, (size) => size >= this.bound)
  }
  get isEmpty() {
    return Effect.map(this.size, (size) => size === 0)
  }
  get shutdown() {
    return Effect.asVoid(this.mailbox.end)
  }
  get isShutdown() {
    return Effect.map(this.mailbox.size, Option.isNone)
  }
  get awaitShutdown() {
    return this.mailbox.await as Effect.Effect<void>
  }
  offer(value: A) {
    return this.offer_.offer(value)
  }
  unsafeOffer(value: A) {
    return this.offer_.unsafeOffer(value)
  }
  offerAll(values: Iterable<A>) {
    return Effect.map(
      Effect.forEach(values, (value) => this.offer(value)),
      (taken) => taken.every(Boolean)
    )
  }
}

export const make = <A>(mailbox: Mailbox.Mailbox<A>, capacity: number, offer: Offer<A>): Queue.Enqueue<A> =>
  new MailboxEnqueue(mailbox, capacity, offer)
