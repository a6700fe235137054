import type { QueryLeaf, QueryNode } from './parse-query.ts'

const requestsReposts = (leaf: QueryLeaf): boolean =>
  leaf.kind === 'operator' &&
  (leaf.name.startsWith('reposts_of') || (leaf.name === 'is' && leaf.value.toLowerCase() === 'repost'))

/**
 * The part of a tree whose matches may be reposts, as a tree: the tree itself where that is all of it, undefined where it is
 * nothing. Each branch of an OR counts separately: `zebra OR reposts_of:chika` does not match reposts about zebras.
 */
export function requestedReposts(node: QueryNode, negated = false): QueryNode | undefined {
  if (node.kind === 'not') return requestedReposts(node.part, !negated)
  if (node.kind !== 'and' && node.kind !== 'or') return !negated && requestsReposts(node) ? node : undefined
  const requested = node.parts.map((part) => requestedReposts(part, negated))
  const found = requested.filter((part) => part !== undefined)
  if (found.length === 0) return undefined
  const isWhole = (part: QueryNode, index: number) => requested[index] === part
  // Negation turns AND into OR and OR into AND.
  if ((node.kind === 'or') !== negated) return node.parts.every(isWhole) ? node : { kind: 'or', parts: found }
  if (node.parts.some(isWhole)) return node
  const plain = (part: QueryNode): QueryNode => (negated ? { kind: 'not', part } : part)
  if (found.length === 1)
    return { kind: 'and', parts: node.parts.map((part, index) => requested[index] ?? plain(part)) }
  return { kind: 'and', parts: [...node.parts.map(plain), { kind: 'or', parts: found }] }
}
