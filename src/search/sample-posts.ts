/** Whether a post is in a sample of so many percent of all posts: the same in every process, different for each key. */
export function isInSample(key: string, postId: string, percent: number): boolean {
  return hash(`${key}:${postId}`) % 100 < percent
}

// FNV-1a with a final mix, since consecutive ids differ in few digits.
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
