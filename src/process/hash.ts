/** A 32-bit number that depends on all of its arguments: draws by it do not depend on their order or on the process. */
export function hash(one: number, two: number, three = 0, four = 0): number {
  let mixed = 0x9e3779b9 ^ one
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) ^ two
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ three
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x27d4eb2f) ^ four
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** A 32-bit number of a text. */
export function hashText(text: string): number {
  let mixed = 0x811c9dc5
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193)
  return hash(mixed, text.length)
}

/** A hash as a number from 0 up to, but not including, 1. */
export const asShare = (hash: number): number => hash / 0x1_0000_0000
