import type { Naming } from '../api-kit/naming/naming.ts'
import { QUERY_OPERATORS, type QueryScope } from './operators.ts'
import { QueryError, type QueryLeaf, type QueryNode } from './parse-query.ts'

/** Checks a tree against the operators of a scope, and gives operators and their values their neutral names. */
export function checkQuery(tree: QueryNode, scope: QueryScope, legacy: Naming): QueryNode {
  const reasons: string[] = []
  const checked = checkNode(tree, { scope, legacy, reasons, negated: false, isInNegation: false })
  if (reasons.length === 0) {
    if (!hasPositive(checked)) reasons.push('A query cannot consist of negated clauses only')
    else if (!canStandAlone(checked))
      reasons.push(`${dependentOperators(checked).join('/')} cannot be used as a standalone operator`)
  }
  if (reasons.length > 0) throw new QueryError(reasons)
  return checked
}

interface Check {
  scope: QueryScope
  legacy: Naming
  reasons: string[]
  negated: boolean
  /** True inside any negation, even a negated one. */
  isInNegation: boolean
}

type Operator = Extract<QueryLeaf, { kind: 'operator' }>

function checkNode(node: QueryNode, check: Check): QueryNode {
  if (node.kind === 'and' || node.kind === 'or')
    return { ...node, parts: node.parts.map((part) => checkNode(part, check)) }
  if (node.kind === 'not') {
    const inside = { ...check, negated: !check.negated, isInNegation: true }
    return { kind: 'not', part: checkNode(node.part, inside) }
  }
  return checkLeaf(node, check)
}

function checkLeaf(leaf: QueryLeaf, check: Check): QueryLeaf {
  if (leaf.kind === 'operator') return checkOperator(leaf, check)
  const { reasons, scope } = check
  if (scope === 'power' && (leaf.kind === 'hashtag' || leaf.kind === 'cashtag'))
    reasons.push(unavailable(leaf.kind === 'hashtag' ? '#' : '$', leaf.position))
  if (leaf.kind === 'words' && leaf.near !== undefined) {
    if (scope !== 'stream') reasons.push(`Proximity can only be used in stream rules (at position ${leaf.position})`)
    else if (leaf.near < 1 || leaf.near > 6)
      reasons.push(`The distance of a phrase must be from 1 to 6 (at position ${leaf.position})`)
  }
  return leaf
}

function checkOperator(leaf: Operator, check: Check): QueryLeaf {
  const { reasons, scope } = check
  const name = check.legacy.restore(leaf.name)
  const rule = Object.hasOwn(QUERY_OPERATORS, name) ? QUERY_OPERATORS[name] : undefined
  if (!rule?.scopes.includes(scope) || (rule.oneSpelling && leaf.name !== name)) {
    reasons.push(unavailable(leaf.name, leaf.position))
    return leaf
  }
  const value = name === 'is' ? check.legacy.restore(leaf.value.toLowerCase()) : leaf.value
  const fault = rule.fault(value, scope)
  if (fault)
    reasons.push(`The value '${leaf.value}' of the operator '${leaf.name}' ${fault} (at position ${leaf.position})`)
  if (rule.negatable === false && check.isInNegation)
    reasons.push(`The operator '${leaf.name}' cannot be negated (at position ${leaf.position})`)
  if (name === 'is' && value === 'nullcast' && !check.negated)
    reasons.push(`is:nullcast can only be used negated (at position ${leaf.position})`)
  if (rule.means === 'words') return { kind: 'words', text: value, position: leaf.position }
  return { ...leaf, name: rule.means ?? name, value }
}

const unavailable = (operator: string, position: number): string =>
  `Reference to invalid operator '${operator}'. Operator is not available in current product or product packaging. Please refer to complete available operator list (at position ${position})`

function hasPositive(node: QueryNode): boolean {
  if (node.kind === 'and') return node.parts.some(hasPositive)
  if (node.kind === 'or') return node.parts.every(hasPositive)
  return node.kind !== 'not'
}

const isStandalone = (leaf: QueryLeaf): boolean =>
  leaf.kind !== 'operator' || (QUERY_OPERATORS[leaf.name]?.standalone ?? false)

// Every branch of an OR must be able to stand alone, since one that cannot would match nearly everything.
function canStandAlone(node: QueryNode): boolean {
  if (node.kind === 'and') return node.parts.some(canStandAlone)
  if (node.kind === 'or') return node.parts.every(canStandAlone)
  return node.kind !== 'not' && isStandalone(node)
}

function dependentOperators(node: QueryNode): string[] {
  if (node.kind === 'and' || node.kind === 'or') return [...new Set(node.parts.flatMap(dependentOperators))]
  if (node.kind === 'not') return dependentOperators(node.part)
  return node.kind === 'operator' && !isStandalone(node) ? [node.name] : []
}
