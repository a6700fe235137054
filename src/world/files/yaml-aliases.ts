import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml'

/** What the aliases of a document stand for, and how many values they add to it. A part that contains itself has no end. */
export interface ResolvedAliases {
  targets: Map<Alias, Node>
  added: number
}

/**
 * Finds what all aliases stand for in one pass: the library would read the document again for each. Values are counted without being
 * made, because a few lines of aliases of aliases can stand for billions.
 */
export function resolveAliases(document: Document.Parsed): ResolvedAliases {
  const targets = new Map<Alias, Node>()
  const named = new Map<string, Node>()
  const sizes = new Map<Node, number>()
  let added = 0
  const sizeOf = (node: unknown): number => {
    if (isAlias(node)) {
      const target = named.get(node.source)
      if (!target) return 1
      targets.set(node, target)
      const size = sizes.get(target) ?? Number.POSITIVE_INFINITY
      added += size
      return size
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return 1
    // Named before its parts are read: it may contain its own name.
    if (node.anchor !== undefined) named.set(node.anchor, node as Node)
    const size = isScalar(node) ? 1 : 1 + partsOf(node).reduce((sum: number, part) => sum + sizeOf(part), 0)
    if (node.anchor !== undefined) sizes.set(node as Node, size)
    return size
  }
  sizeOf(document.contents)
  return { targets, added }
}

const partsOf = (node: unknown): unknown[] =>
  isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : isSeq(node) ? node.items : []
