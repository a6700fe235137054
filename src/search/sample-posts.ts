/** Whether a post is among the given percent of all posts: the same answer in every process, another for each key. */
export function isInSample(key: string, postId: string, percent: number): boolean {
  return hash(`${key}:${postId}`) % 100 < percent
}

// FNV-1a, then mixed: ids of posts that follow each other differ in few digits.
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
