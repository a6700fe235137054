/** An evenly distributed number that is always the same for an id. It decides samples and partitions. */
export function shareOf(id: string, of: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % of
}

/** Whether an id belongs to partition `part` of `of`, counted from 1. It is independent of the samples. */
export const isInPartition = (id: string, part: number, of: number): boolean => shareOf(`p${id}`, of) === part - 1
