// A prime, so that every sign of the number counts.
const SUMS = 1291n

// Two signs of a sum over the number: a text that was not made here is noticed.
const checkSigns = (number: bigint): string => ((number * 31n + 17n) % SUMS).toString(36).padStart(2, '0')

/** A number as small letters and digits, with a check at its end. */
export const writeChecked = (number: bigint): string => number.toString(36) + checkSigns(number)

/** The number of a text that `writeChecked` made; undefined for any other. */
export function readChecked(text: string): bigint | undefined {
  if (!/^[0-9a-z]{3,24}$/.test(text)) return undefined
  let number = 0n
  for (const sign of text.slice(0, -2)) number = number * 36n + BigInt(Number.parseInt(sign, 36))
  return writeChecked(number) === text ? number : undefined
}
