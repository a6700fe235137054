import { component, nullable, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import { type AdsError, invalidParameter, missingParameter } from '../kit/errors.ts'
import { jsonKind, type Kind, parseBase36, toBase36 } from '../kit/values.ts'

/** A group of people in a test, as it is stored. */
export interface UserGroup {
  id: string
  name: string | null
  description: string | null
  /** Hundredths of a percent. */
  size: number
  entity_ids: string[]
}

/** A group as a body sends it. */
export interface SentGroup {
  id?: string | undefined
  name?: string | null | undefined
  description?: string | null | undefined
  size?: string | undefined
  entity_ids?: string[] | undefined
}

const ShownGroup: TSchema = component(
  'AbTestUserGroup',
  Type.Object({
    id: Type.String(),
    name: nullable(Type.String()),
    description: nullable(Type.String()),
    size: Type.String({ pattern: '^\\d{1,2}(\\.\\d{1,2})?$' }),
    entity_ids: Type.Array(Type.String()),
  }),
)

/** The groups of a test. Ids are stored as numbers and shown in base 36, sizes are shown as percentages. */
export const userGroupsKind: Kind<UserGroup[]> = {
  ...jsonKind<UserGroup[]>(Type.Array(ShownGroup)),
  show: (groups) =>
    groups.map((group) => ({
      id: toBase36(group.id),
      name: group.name,
      description: group.description,
      size: showSize(group.size),
      entity_ids: group.entity_ids.map(toBase36),
    })),
}

/** A size with one decimal, and with two where it needs them: 50.0, 33.33. */
const showSize = (hundredths: number): string =>
  hundredths % 10 === 0 ? (hundredths / 100).toFixed(1) : (hundredths / 100).toFixed(2)

const SMALLEST = 100
const LARGEST = 9_900
const WHOLE = 10_000

/** The groups that a body gives, or what is wrong with them. Groups with ids change those of `before`; others replace all. */
export function readGroups(
  sent: readonly SentGroup[],
  before: readonly UserGroup[],
  newId: () => string,
): { groups: UserGroup[]; errors: AdsError[] } {
  const errors: AdsError[] = []
  const isPatch = sent.some((group) => group.id !== undefined)
  if (isPatch && sent.some((group) => group.id === undefined))
    return { groups: [], errors: [invalidParameter('user_groups', 'give every group an id, or none of them')] }
  const byId = new Map(before.map((group) => [group.id, group]))
  const changed = new Map<string, UserGroup>()
  sent.forEach((group, at) => {
    const parameter = `user_groups[${at}]`
    const id = isPatch ? parseBase36(group.id) : newId()
    const known = id === undefined ? undefined : byId.get(id)
    if (id === undefined || (isPatch && !known)) {
      errors.push(invalidParameter(`${parameter}.id`, 'is not the id of a group of this test', group.id))
      return
    }
    if (changed.has(id)) errors.push(invalidParameter(`${parameter}.id`, 'is given more than once', group.id))
    changed.set(id, readGroup(group, known, id, parameter, errors))
  })
  const groups = isPatch ? before.map((group) => changed.get(group.id) ?? group) : [...changed.values()]
  return { groups, errors }
}

function readGroup(
  sent: SentGroup,
  before: UserGroup | undefined,
  id: string,
  parameter: string,
  errors: AdsError[],
): UserGroup {
  const member = <T>(name: 'size' | 'entity_ids', value: T | undefined, kept: T | undefined, none: T): T => {
    if (value === undefined && kept === undefined) errors.push(missingParameter(`${parameter}.${name}`))
    return value ?? kept ?? none
  }
  return {
    id,
    name: sent.name === undefined ? (before?.name ?? null) : sent.name,
    description: sent.description === undefined ? (before?.description ?? null) : sent.description,
    size: member('size', readSize(sent.size, `${parameter}.size`, errors), before?.size, 0),
    entity_ids: member(
      'entity_ids',
      readEntityIds(sent.entity_ids, `${parameter}.entity_ids`, errors),
      before?.entity_ids,
      [],
    ),
  }
}

function readSize(sent: string | undefined, parameter: string, errors: AdsError[]): number | undefined {
  if (sent === undefined) return undefined
  const hundredths = /^\d{1,2}(?:\.\d{1,2})?$/.test(sent) ? Math.round(Number(sent) * 100) : Number.NaN
  if (!(hundredths >= SMALLEST && hundredths <= LARGEST))
    errors.push(
      invalidParameter(parameter, 'must be a percentage from 1.00 to 99.00 with at most two decimals, as text', sent),
    )
  return hundredths
}

function readEntityIds(
  sent: readonly string[] | undefined,
  parameter: string,
  errors: AdsError[],
): string[] | undefined {
  return sent?.flatMap((text) => {
    const id = parseBase36(text)
    if (id === undefined) errors.push(invalidParameter(parameter, 'must be ids in base 36', text))
    return id ?? []
  })
}

const LINE_ITEM_GROUPS = 5

/** Rules about the groups of one test, as they will be stored. */
export function groupErrors(entityType: 'CAMPAIGN' | 'LINE_ITEM', groups: readonly UserGroup[]): AdsError[] {
  const refuse = (details: string, value?: unknown) => [invalidParameter('user_groups', details, value)]
  const total = groups.reduce((sum, group) => sum + group.size, 0)
  if (total !== WHOLE) return refuse('the sizes must add up to 100.00', (total / 100).toFixed(2))
  const ids = groups.flatMap((group) => group.entity_ids)
  const repeated = ids.find((id, at) => ids.indexOf(id) !== at)
  if (repeated) return refuse('an entity can be in one group only', toBase36(repeated))
  if (entityType === 'CAMPAIGN') return []
  if (groups.length > LINE_ITEM_GROUPS) return refuse(`a test of line items has at most ${LINE_ITEM_GROUPS} groups`)
  if (groups.some((group) => group.entity_ids.length !== 1))
    return refuse('each group of a test of line items has one line item')
  const sizes = groups.map((group) => group.size)
  // 100.00 cannot be divided by three: one group may have a hundredth more.
  if (Math.max(...sizes) - Math.min(...sizes) > 1) return refuse('the groups of a test of line items have equal sizes')
  return []
}
