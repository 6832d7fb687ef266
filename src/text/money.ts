const perDollar = 1_000_000_000

/**
 * An amount in billionths of a US dollar: cents from ten cents on, and below that as many digits as it takes to show
 * something: `$1.25`, `$0.0034`.
 */
export const money = (amount: number): string => {
  if (amount === 0) return "$0.00"
  const usd = amount / perDollar
  if (usd >= 0.0995) return `$${usd.toFixed(2)}`
  return usd < 0.0001 ? "<$0.0001" : `$${usd.toFixed(4)}`
}
