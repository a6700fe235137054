/** A whole number from 0 to below 2^32 that depends on all of its arguments. Draws of a life do not depend on order or process. */
export function hash(one: number, two: number, three: number, four = 0): number {
  let mixed = 0x9e3779b9 ^ one
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) ^ two
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ three
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x27d4eb2f) ^ four
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** The same as a share from 0 to below 1. */
export const share = (one: number, two: number, three: number, four = 0): number =>
  hash(one, two, three, four) / 0x1_0000_0000

/** A number from text, such as an id. */
export function textNumber(text: string): number {
  let mixed = 0x811c9dc5
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193)
  return mixed >>> 0
}
