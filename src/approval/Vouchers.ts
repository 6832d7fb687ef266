import type { ToolCall } from "../tool/ToolCall.ts"

/** Where the runtime puts what vouches for a call in its metadata. */
export const startedKey = "tollgate/approval/started"

/** Each vouches, once, for one call that had been decided on and started before a restart. */
export class Vouchers {
  private readonly given = new WeakSet<object>()

  make(): object {
    const voucher = {}
    this.given.add(voucher)
    return voucher
  }

  /** Whether the call has one that nobody has used. */
  redeem({ metadata }: ToolCall): boolean {
    const voucher = metadata[startedKey]
    return typeof voucher === "object" && voucher !== null && this.given.delete(voucher)
  }
}
