/** Mixes two 32-bit numbers into one; the same two always give the same. */
export function mix(one: number, other: number): number {
  let hash = Math.imul(one ^ (other + 0x9e3779b9), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  hash ^= hash >>> 16
  hash = Math.imul(hash ^ (other << 7), 0x27d4eb2f)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** A 32-bit number of a text. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return mix(hash, text.length)
}

/** A hash as a number from 0 up to, but not including, 1. */
export const asShare = (hash: number): number => hash / 0x1_0000_0000
