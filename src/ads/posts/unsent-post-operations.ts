import { nullable, type TSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import { changeRecord } from '../kit/change-records.ts'
import type { AdsEntity, Loose } from '../kit/entity.ts'
import { findRecord } from '../kit/entity-operations.ts'
import { listParams, listRecords } from '../kit/list-records.ts'
import { type AdsInput, type AdsOperation, defineAdsOperation, optional, type Params } from '../kit/operation.ts'
import { type Kind, timeKind } from '../kit/values.ts'
import { writeParams } from '../kit/write-params.ts'
import { checkAuthor, meantUser } from './post-authors.ts'

const NumericId = Type.String({ pattern: '^[0-9]{1,20}$' })

/** The members that drafts and scheduled posts have alike. They have no `deleted`: what is deleted is gone. */
export const unsentMembers: Record<string, TSchema> = {
  id: NumericId,
  name: nullable(Type.String({ maxLength: 80 })),
  text: Type.String(),
  user_id: NumericId,
  nullcast: Type.Boolean(),
  card_uri: nullable(Type.String({ pattern: '^card://[0-9]+$' })),
  media_keys: Type.Array(Type.String({ pattern: '^[0-9]+_[0-9]+$' }), { maxItems: 4 }),
  created_at: timeKind.schema,
  updated_at: timeKind.schema,
}

interface Declaration {
  entity: AdsEntity
  data: TSchema
  ids: Record<'list' | 'get' | 'create' | 'update' | 'delete', string>
  /** How the id of the user is read and echoed. */
  userKind: Kind<string>
  /** How the answer to a deletion says it. */
  whenDeleted: Record<string, string>
}

type Input = AdsInput<Record<string, unknown>>

/** The operations of posts that are not published: like those of other records, but with an author, and nothing is left of deleted ones. */
export function unsentPostOperations({ entity, data, ids, userKind, whenDeleted }: Declaration): AdsOperation[] {
  const collection = entity.collection as `/${string}`
  const one = `${collection}/{${entity.idName}}` as const
  const path = { [entity.idName]: { kind: entity.idKind, missing: entity.notFound } }
  const shared = { tag: entity.tag, data, echo: { without: ['account_id'] } }
  const spoken = entity.plural.replaceAll('_', ' ')
  // A post of pictures alone has an empty text.
  const filled = (shown: Loose) => ({ ...shown, text: shown.text ?? '', media_keys: shown.media_keys ?? [] })
  const shownAt = (input: Pick<AdsInput, 'runtime'>, record: Loose) =>
    filled(entity.toReply(record, input.runtime.clock.now()))
  const list = defineAdsOperation({
    ...shared,
    id: ids.list,
    route: `GET ${collection}`,
    summary: `List ${spoken}`,
    params: listParams(entity),
    envelope: 'list',
    may: entity.may.see,
    handle: async (given) => {
      const input = given as unknown as Input
      const { params, account, user, runtime } = input
      const userId = await meantUser(runtime.database, account.id, params.user_id as string | undefined, user.id)
      const page = await listRecords(entity, { ...input, params: { ...params, user_id: userId, with_deleted: true } })
      return { ...page, data: (page.data as Loose[]).map(filled) }
    },
  })
  const get = defineAdsOperation({
    ...shared,
    id: ids.get,
    route: `GET ${one}`,
    summary: `Get one of the ${spoken}`,
    path,
    may: entity.may.see,
    handle: async (input) => ({ data: shownAt(input, await findRecord(entity, input as never, false)) }),
  })
  const create = defineAdsOperation({
    ...shared,
    id: ids.create,
    route: `POST ${collection}`,
    summary: `Create one of the ${spoken}`,
    params: { as_user_id: optional(userKind), ...writeParams(entity, 'create') } as Params,
    may: entity.may.manage,
    handle: async (given) => {
      const input = given as unknown as Input
      const { as_user_id: asUserId, ...values } = input.params
      const userId =
        (asUserId as string | undefined) ?? (await meantUser(input.runtime.database, input.account.id, undefined))
      const wanted = { asUserId: userId, nullcast: values.nullcast !== false, organicNeedsFull: true }
      await checkAuthor(input.runtime, input, wanted)
      const wish = { kind: 'create', given: { ...values, user_id: userId } } as const
      return { data: shownAt(input, await changeRecord(entity, input as never, wish)) }
    },
  })
  const update = defineAdsOperation({
    ...shared,
    id: ids.update,
    route: `PUT ${one}`,
    summary: `Change one of the ${spoken}`,
    path,
    params: writeParams(entity, 'update'),
    may: entity.may.manage,
    handle: async (input) => {
      const wish = { kind: 'update', id: input.path[entity.idName]!, given: input.params } as const
      return { data: shownAt(input, await changeRecord(entity, input as never, wish)) }
    },
  })
  const remove = defineAdsOperation({
    ...shared,
    id: ids.delete,
    route: `DELETE ${one}`,
    summary: `Delete one of the ${spoken}`,
    path,
    may: entity.may.manage,
    handle: async (input) => {
      const wish = { kind: 'delete', id: input.path[entity.idName]!, given: {} } as const
      return { data: { ...shownAt(input, await changeRecord(entity, input as never, wish)), ...whenDeleted } }
    },
  })
  return [list, get, create, update, remove]
}

export const DeletedStatus = Type.Optional(words(['DELETED']))
