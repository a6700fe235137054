import { isDeepStrictEqual } from 'node:util'
import { type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { applyChanges } from '../kit/change-records.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { DraftOf, FilterUse, Given } from '../kit/entity.ts'
import { AdsError, AdsProblem, exclusiveParameters, invalidParameter, notFound } from '../kit/errors.ts'
import { field, idsFilter, listOf, long, oneOf, reads, text, time } from '../kit/field.ts'
import { lockAccount } from '../kit/lock.ts'
import { type AdsAnswer, type AdsInput, optional, type ValuesOf } from '../kit/operation.ts'
import { replaced } from '../kit/replaced.ts'
import { wholeSecond } from '../kit/times.ts'
import { idKind, listKind, longKind, oneOfKind, textKind, timeKind, toBase36 } from '../kit/values.ts'
import { ENTITY_TYPES, entityErrors, STATUSES, statusOf, timeErrors } from './ab-test.rules.ts'
import { CreateRequest, UpdateRequest } from './ab-test.schemas.ts'
import { groupErrors, readGroups, type SentGroup, userGroupsKind } from './user-group.ts'

const hidden = { readOnly: true, hidden: true, always: true } as const
const fields = {
  name: text({ max: 255 }),
  description: text({ max: 1024 }),
  entity_type: oneOf(ENTITY_TYPES, { required: true, createOnly: true }),
  start_time: time({ required: true }),
  end_time: time({ required: true }),
  user_groups: field(userGroupsKind, { required: true }),
  entity_ids: listOf(idKind, hidden),
  created_by: long({ ...hidden, initial: ({ user }) => user.id }),
  updated_by: long({ ...hidden, initial: ({ user }) => user.id }),
}
const hiddenAlways = { hidden: true, always: true } as const
const testReads = {
  account_id: reads(idKind, 'r.account_id', hiddenAlways),
  creator: reads(textKind(), `coalesce(creator.username, '')`, hiddenAlways),
  updater: reads(textKind(), `coalesce(updater.username, '')`, hiddenAlways),
}
const ShownUser = Type.Object({ user_id: Type.String({ pattern: '^[0-9]+$' }), username: Type.String() })

const listParams = {
  live_during: optional(listKind(timeKind, { min: 2, max: 2 })),
  status: optional(oneOfKind(STATUSES)),
  user_id: optional(longKind),
  username: optional(textKind({ pattern: /^[A-Za-z0-9_]{1,15}$/, says: 'must be a username without a leading @' })),
}

/** What an update may change. */
const EDITABLE = ['name', 'description', 'start_time', 'end_time', 'user_groups'] as const

/** A test that splits people into groups, each of which sees the ads of some campaigns or line items only. */
export const abTests = defineAdsEntity({
  name: 'ab_test',
  plural: 'ab_tests',
  title: 'A/B test',
  tag: 'AB Tests',
  component: 'AbTest',
  table: 'ads_ab_test',
  notFound: 'NOT_FOUND',
  fields,
  joins: `left join user_account creator on creator.id = r.created_by left join user_account updater on updater.id = r.updated_by`,
  reads: testReads,
  shown: {
    status: { schema: words(STATUSES), show: statusOf },
    // The reference's samples repeat the ids of the groups here.
    entities: {
      schema: Type.Array(Type.Object({ id: Type.String(), account_id: Type.String() })),
      show: (record) =>
        record.user_groups.map((group) => ({ id: toBase36(group.id), account_id: toBase36(record.account_id) })),
    },
    created_by: { schema: ShownUser, show: (record) => ({ user_id: record.created_by, username: record.creator }) },
    updated_by: { schema: ShownUser, show: (record) => ({ user_id: record.updated_by, username: record.updater }) },
  },
  filters: { ab_test_ids: idsFilter('r.id') },
  narrow: (input) => narrow(input as AdsInput<ValuesOf<typeof listParams>>),
  named: 'name',
  namedMax: 80,
  sorts: ['created_at', 'updated_at', 'deleted', 'name', 'start_time', 'end_time'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  operations: {
    list: {
      id: 'listAbTests',
      moreParams: listParams,
      withoutParams: ['with_total_count'],
      check: (params) => listErrors(params as ValuesOf<typeof listParams>),
    },
    create: replaced({ id: 'createAbTest', body: CreateRequest, handle: createAbTest }),
    update: replaced({ id: 'updateAbTest', body: UpdateRequest, handle: updateAbTest }),
    delete: 'deleteAbTest',
  },
  check: (draft, { before, now }) => [
    ...changeErrors(draft, before, now),
    ...timeErrors(draft, before, now),
    ...groupErrors(draft.entity_type, draft.user_groups),
  ],
  derive: (draft) => {
    draft.entity_ids = draft.user_groups.flatMap((group) => group.entity_ids)
  },
  checkAll: async (tx, changes) => {
    const errors: AdsError[][] = []
    // Never more than one: there is no batch.
    for (const { kind, record, before, context } of changes) {
      const differs = (names: readonly (keyof typeof fields)[]) =>
        names.some((name) => !isDeepStrictEqual(record[name], before?.[name]))
      if (kind === 'delete' || differs(EDITABLE)) record.updated_by = context.user.id
      const checked = { entities: differs(['user_groups']), times: differs(['start_time', 'end_time']) }
      errors.push(kind === 'delete' ? [] : await entityErrors(tx, context.account.id, record, checked))
    }
    return errors
  },
})

/** A test that has begun can only end at another time; one that has ended does not change. */
function changeErrors(
  draft: DraftOf<typeof fields>,
  before: DraftOf<typeof fields> | undefined,
  now: Date,
): AdsError[] {
  const status = before && statusOf(before, now.getTime())
  if (!before || status === 'SCHEDULED') return []
  return EDITABLE.filter((name) => !isDeepStrictEqual(draft[name], before[name])).flatMap((name) =>
    status === 'COMPLETED'
      ? [invalidParameter(name, 'cannot be changed: the test is COMPLETED')]
      : name === 'end_time'
        ? []
        : [invalidParameter(name, 'cannot be changed while the test is LIVE; only end_time can')],
  )
}

async function createAbTest(
  input: AdsInput<Record<string, unknown>, Static<typeof CreateRequest>>,
  standard: (input: AdsInput) => Promise<AdsAnswer>,
): Promise<AdsAnswer> {
  const { user_groups: sent, ...members } = input.body
  const { groups, errors } = readGroups(sent as SentGroup[], [], () => input.runtime.ids.next())
  const given = givenBy(members, errors)
  if (errors.length > 0) throw new AdsProblem(errors)
  return standard({ ...input, params: { ...given, entity_type: members.entity_type, user_groups: groups } })
}

async function updateAbTest(
  input: AdsInput<Record<string, unknown>, Static<typeof UpdateRequest>>,
): Promise<AdsAnswer> {
  const { runtime, account, body, path } = input
  const id = path.ab_test_id!
  const record = await change(runtime, async (tx) => {
    // Before the test is read: groups change in relation to those that are stored.
    await lockAccount(tx, account.id)
    const before = (await abTests.records(tx, account.id, [id])).get(id)
    if (!before || before.deleted) throw new AdsProblem([notFound(abTests.notFound, abTests.idName, toBase36(id))])
    const { user_groups: sent, ...members } = body
    const { groups, errors } = readGroups((sent ?? []) as SentGroup[], before.user_groups, () => runtime.ids.next())
    const given = { ...givenBy(members, errors), ...(sent ? { user_groups: groups } : {}) }
    if (errors.length > 0) throw new AdsProblem(errors)
    return (await applyChanges(tx, abTests, input, [{ kind: 'update', id, given }]))[0]!
  })
  return { data: abTests.toReply(record, runtime.clock.now()) }
}

/** The members of a body besides its groups. */
function givenBy(
  body: Pick<Static<typeof UpdateRequest>, 'name' | 'description' | 'start_time' | 'end_time'>,
  errors: AdsError[],
): Given<typeof fields> {
  const given: Given<typeof fields> = {}
  if (body.name !== undefined) given.name = body.name
  if (body.description !== undefined) given.description = body.description
  for (const name of ['start_time', 'end_time'] as const) {
    const sent = body[name]
    if (sent === undefined) continue
    const read = timeKind.read(sent, name)
    if (read instanceof AdsError) errors.push(read)
    else given[name] = read
  }
  return given
}

type ListParams = ValuesOf<typeof listParams>

function listErrors({ live_during: span, user_id: userId, username }: ListParams): AdsError[] {
  return [
    ...(span && span[0]! >= span[1]!
      ? [invalidParameter('live_during', 'must be two dates, the earlier one first')]
      : []),
    ...(userId !== undefined && username !== undefined
      ? [exclusiveParameters('username', 'user_id and username exclude each other')]
      : []),
  ]
}

/** The filters of a list that depend on each other or on the time. */
function narrow({ params, runtime }: AdsInput<ListParams>): FilterUse[] {
  const { live_during: span, status, user_id: userId, username } = params
  const now = wholeSecond(runtime.clock.now())
  const filters: FilterUse[] = []
  const add = (name: string, sql: FilterUse['sql'], value: FilterUse['value']) => filters.push({ name, sql, value })
  if (span) {
    add('live until', (placeholder) => `r.start_time < ${placeholder}::timestamptz`, span[1]!)
    add('live from', (placeholder) => `r.end_time > ${placeholder}::timestamptz`, span[0]!)
  }
  if (status === 'SCHEDULED') add('scheduled', (placeholder) => `r.start_time > ${placeholder}::timestamptz`, now)
  if (status === 'LIVE')
    add(
      'status live',
      (placeholder) => `${placeholder}::timestamptz >= r.start_time and r.end_time > ${placeholder}::timestamptz`,
      now,
    )
  if (status === 'COMPLETED') add('completed', (placeholder) => `r.end_time <= ${placeholder}::timestamptz`, now)
  if (userId !== undefined) add('user_id', (placeholder) => `r.created_by = ${placeholder}::bigint`, userId)
  if (username !== undefined)
    add(
      'username',
      (placeholder) =>
        `r.created_by = (select id from user_account where lower(username) = lower(${placeholder}::text))`,
      username,
    )
  return filters
}
