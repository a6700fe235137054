import type { QueryLeaf, QueryNode } from './parse-query.ts'

const asksForReposts = (leaf: QueryLeaf): boolean =>
  leaf.kind === 'operator' &&
  (leaf.name.startsWith('reposts_of') || (leaf.name === 'is' && leaf.value.toLowerCase() === 'repost'))

/**
 * The matches of a tree by which reposts are asked for, as a tree: the same one where that is so for all of them, undefined
 * where it is for none. Each way of an OR asks for itself: `zebra OR reposts_of:chika` wants no reposts about zebras.
 */
export function askedReposts(node: QueryNode, negated = false): QueryNode | undefined {
  if (node.kind === 'not') return askedReposts(node.part, !negated)
  if (node.kind !== 'and' && node.kind !== 'or') return !negated && asksForReposts(node) ? node : undefined
  const asked = node.parts.map((part) => askedReposts(part, negated))
  const found = asked.filter((part) => part !== undefined)
  if (found.length === 0) return undefined
  const isWhole = (part: QueryNode, index: number) => asked[index] === part
  // A minus sign before a group makes each of the two the other.
  if ((node.kind === 'or') !== negated) return node.parts.every(isWhole) ? node : { kind: 'or', parts: found }
  if (node.parts.some(isWhole)) return node
  const plain = (part: QueryNode): QueryNode => (negated ? { kind: 'not', part } : part)
  if (found.length === 1) return { kind: 'and', parts: node.parts.map((part, index) => asked[index] ?? plain(part)) }
  return { kind: 'and', parts: [...node.parts.map(plain), { kind: 'or', parts: found }] }
}
