const PRICE = /^(\d{1,12})(?:\.(\d{1,6}))? ([A-Z]{3})$/
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
const DECIMALS = 6

/** How errors describe a price. */
export const PRICE_FORM = 'must be a number with . as its decimal point, a space and an ISO 4217 currency code'

/** An amount of money in millionths, so no digit is lost. */
export interface Price {
  micros: bigint
  currency: string
}

/** Reads a price such as `20.00 USD`; undefined when the text is not a price. */
export function parsePrice(text: string): Price | undefined {
  const match = PRICE.exec(text)
  if (!match || !CURRENCIES.has(match[3]!)) return undefined
  return { micros: BigInt(match[1]! + (match[2] ?? '').padEnd(DECIMALS, '0')), currency: match[3]! }
}
