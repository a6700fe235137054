const DECIMALS: Record<string, number> = Object.fromEntries([
  ...'AED VEF PKR IDR HKD QAR PHP NZD INR EUR ARS THB MXN EGP DZD SAR LBP COP TRY SGD MAD AUD USD MYR CAD BRL GBP'
    .split(' ')
    .map((currency) => [currency, 2] as const),
  ...'VND KRW CLP JPY'.split(' ').map((currency) => [currency, 0] as const),
  ...'KWD IQD BHD TND'.split(' ').map((currency) => [currency, 3] as const),
])

/** Currencies that accounts can be funded in. */
export const CURRENCIES = Object.keys(DECIMALS).sort()

/** The smallest amount of a currency, in millionths of its unit. */
export const smallestAmount = (currency: string): number => 10 ** (6 - (DECIMALS[currency] ?? 2))

/** True for a multiple of the smallest amount of the currency. */
export const isPayable = (micros: number, currency: string): boolean => micros % smallestAmount(currency) === 0

// 1,000 dollars, 100,000 yen.
const LARGEST_BID_STEPS = 100_000

/** The largest bid in a currency; the smallest is the smallest amount. */
export const largestBid = (currency: string): number => smallestAmount(currency) * LARGEST_BID_STEPS
