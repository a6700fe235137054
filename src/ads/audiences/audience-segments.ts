import { Type } from '../../api-kit/declaring/schema.ts'
import { AdsError, invalidParameter, missingParameter } from '../kit/errors.ts'
import { type Kind, parseBase36, toBase36 } from '../kit/values.ts'

const OPERATORS = ['AND', 'OR'] as const
const COMPARATORS = ['NUM_GTE', 'NUM_GT', 'NUM_EQ', 'NUM_LTE', 'NUM_LT'] as const
const LOOKBACK_DAYS = [1, 7, 14, 30]
const MOST_LEAVES = 10
const MOST_LEVELS = 10
const MOST_FREQUENCY = 1_000_000

/** A part of a flexible audience: an audience with conditions, or several segments joined by an operator. */
export interface Segment {
  custom_audience_id?: string
  boolean_operator?: (typeof OPERATORS)[number]
  frequency?: number
  frequency_comparator?: (typeof COMPARATORS)[number]
  lookback_window?: number
  negate: boolean
  child_segments: Segment[]
}

const LEAF_MEMBERS = ['custom_audience_id', 'frequency', 'frequency_comparator', 'lookback_window']
const MEMBERS = [...LEAF_MEMBERS, 'boolean_operator', 'negate', 'child_segments']

/** The segments of a flexible audience. Ids are accepted in either case and stored in lower case. */
export const segmentsKind: Kind<Segment> = {
  schema: Type.Unsafe<Segment>({ type: 'object' }),
  column: 'jsonb',
  read: (sent, parameter) => {
    const segment = readSegment(sent, parameter, 1)
    if (segment instanceof AdsError) return segment
    const leaves = leavesOf(segment).length
    if (leaves > MOST_LEAVES)
      return invalidParameter(parameter, `has ${leaves} leaf audiences; at most ${MOST_LEAVES} are allowed`)
    return segment
  },
  echo: (value) => value,
  show: (value) => value,
  load: (raw) => raw as Segment,
  hasWords: false,
}

function readSegment(sent: unknown, at: string, level: number): Segment | AdsError {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return invalidParameter(at, 'must be an object')
  if (level > MOST_LEVELS) return invalidParameter(at, `may not be nested more than ${MOST_LEVELS} levels deep`)
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== undefined))
  const unknown = Object.keys(given).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined)
    return invalidParameter(at, `may only have the members ${MEMBERS.join(', ')}`, unknown.slice(0, 100))
  const { negate = false, child_segments: children = [] } = given
  if (typeof negate !== 'boolean') return invalidParameter(`${at}.negate`, 'must be true or false', negate)
  if (!Array.isArray(children)) return invalidParameter(`${at}.child_segments`, 'must be an array')
  if (children.length === 0) return readLeaf(given, at, negate)
  const misplaced = LEAF_MEMBERS.find((name) => given[name] !== undefined)
  if (misplaced) return invalidParameter(`${at}.${misplaced}`, 'belongs to a segment without child_segments')
  const operator = given.boolean_operator
  if (operator === undefined)
    return missingParameter(`${at}.boolean_operator`, 'is required when child_segments is not empty')
  if (!isOneOf(OPERATORS, operator))
    return invalidParameter(`${at}.boolean_operator`, `must be one of ${OPERATORS.join(', ')}`, operator)
  const read: Segment[] = []
  for (const [index, child] of children.entries()) {
    const segment = readSegment(child, `${at}.child_segments[${index}]`, level + 1)
    if (segment instanceof AdsError) return segment
    read.push(segment)
  }
  return { boolean_operator: operator, negate, child_segments: read }
}

function readLeaf(given: Record<string, unknown>, at: string, negate: boolean): Segment | AdsError {
  const { frequency = 1, frequency_comparator: comparator = 'NUM_GTE', lookback_window: lookback } = given
  if (given.custom_audience_id === undefined)
    return missingParameter(`${at}.custom_audience_id`, 'a segment names an audience or has child_segments')
  if (given.boolean_operator !== undefined)
    return invalidParameter(`${at}.boolean_operator`, 'belongs to a segment with child_segments')
  const id = parseBase36(given.custom_audience_id)
  if (id === undefined)
    return invalidParameter(`${at}.custom_audience_id`, 'must be an id in base 36', given.custom_audience_id)
  if (!Number.isInteger(frequency) || (frequency as number) < 0 || (frequency as number) > MOST_FREQUENCY)
    return invalidParameter(`${at}.frequency`, `must be an integer from 0 to ${MOST_FREQUENCY}`, frequency)
  if (!isOneOf(COMPARATORS, comparator))
    return invalidParameter(`${at}.frequency_comparator`, `must be one of ${COMPARATORS.join(', ')}`, comparator)
  if (lookback !== undefined && !LOOKBACK_DAYS.includes(lookback as number))
    return invalidParameter(`${at}.lookback_window`, `must be one of ${LOOKBACK_DAYS.join(', ')}`, lookback)
  return {
    custom_audience_id: toBase36(id),
    frequency: frequency as number,
    frequency_comparator: comparator,
    ...(lookback === undefined ? {} : { lookback_window: lookback as number }),
    negate,
    child_segments: [],
  }
}

const isOneOf = <const W extends string>(values: readonly W[], sent: unknown): sent is W => values.includes(sent as W)

/** The leaves from left to right. */
export const leavesOf = (segment: Segment): Segment[] =>
  segment.child_segments.length === 0 ? [segment] : segment.child_segments.flatMap(leavesOf)

/** The ids of the leaves' audiences, from left to right. */
export const leafIds = (segment: Segment): string[] =>
  leavesOf(segment).map((leaf) => parseBase36(leaf.custom_audience_id)!)

/** Whether a user who was added to the leaf's audience `times` times within its window has the leaf's frequency. */
export function fulfils(leaf: Segment, times: number): boolean {
  const wanted = leaf.frequency!
  switch (leaf.frequency_comparator!) {
    case 'NUM_GTE':
      return times >= wanted
    case 'NUM_GT':
      return times > wanted
    case 'NUM_EQ':
      return times === wanted
    case 'NUM_LTE':
      return times <= wanted
    case 'NUM_LT':
      return times < wanted
  }
}

/** The combinations of fulfilled leaves (bit n is leaf n) that make a user a member of the audience. */
export function acceptedMasks(root: Segment): number[] {
  const leaves = leavesOf(root)
  const accepted: number[] = []
  for (let mask = 0; mask < 1 << leaves.length; mask++)
    if (holds(root, (leaf) => (mask & (1 << leaves.indexOf(leaf))) !== 0)) accepted.push(mask)
  return accepted
}

function holds(segment: Segment, isFulfilled: (leaf: Segment) => boolean): boolean {
  const { child_segments: children, boolean_operator: operator, negate } = segment
  const result =
    children.length === 0
      ? isFulfilled(segment)
      : operator === 'AND'
        ? children.every((child) => holds(child, isFulfilled))
        : children.some((child) => holds(child, isFulfilled))
  return result !== negate
}
