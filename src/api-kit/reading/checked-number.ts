// A prime, so every digit of the number changes the sum.
const SUMS = 1291n

// A checksum of two characters detects texts that were not made here.
const checksum = (number: bigint): string => ((number * 31n + 17n) % SUMS).toString(36).padStart(2, '0')

/** A number in lower-case letters and digits, with a checksum at its end. */
export const writeChecked = (number: bigint): string => number.toString(36) + checksum(number)

/** The number in a text that `writeChecked` made; undefined for any other text. */
export function readChecked(text: string): bigint | undefined {
  if (!/^[0-9a-z]{3,24}$/.test(text)) return undefined
  let number = 0n
  for (const sign of text.slice(0, -2)) number = number * 36n + BigInt(Number.parseInt(sign, 36))
  return writeChecked(number) === text ? number : undefined
}
