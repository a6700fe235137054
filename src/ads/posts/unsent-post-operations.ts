import { nullable, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import type { EntityDeclaration } from '../kit/entity.ts'
import { type AdsInput, optional } from '../kit/operation.ts'
import { type Kind, timeKind } from '../kit/values.ts'
import { checkAuthor, requestedUser } from './post-authors.ts'

const NumericId = Type.String({ pattern: '^[0-9]{1,20}$' })

/** The members of replies that drafts and scheduled posts have in common. There is no `deleted`: deletions are permanent. */
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

interface Differences {
  data: TSchema
  /** How the id of the user is read and echoed. */
  userKind: Kind<string>
  /** Members of the answer to a deletion. */
  whenDeleted: Record<string, string>
}

/** The operations of posts that are not published: like those of other records, but with an author. */
export function unsentPostOperations(
  ids: Record<'list' | 'get' | 'create' | 'update' | 'delete', string>,
  { data, userKind, whenDeleted }: Differences,
): EntityDeclaration['operations'] {
  const shared = { data, echo: { without: ['account_id'] } }
  return {
    list: {
      ...shared,
      id: ids.list,
      handle: async (input: AdsInput<ListParams>, standard) => {
        const answer = await standard(await withListedUser(input))
        // The standard handler answers with a list.
        return { ...answer, data: (answer.data as unknown[]).map(filled) }
      },
    },
    get: {
      ...shared,
      id: ids.get,
      params: {},
      handle: async (input, standard) => ({ data: filled((await standard(input)).data) }),
    },
    create: {
      ...shared,
      id: ids.create,
      moreParams: { as_user_id: optional(userKind) },
      handle: async (input: AdsInput<CreateParams>, standard) => ({
        data: filled((await standard(await withAuthor(input))).data),
      }),
    },
    update: {
      ...shared,
      id: ids.update,
      handle: async (input, standard) => ({ data: filled((await standard(input)).data) }),
    },
    delete: {
      ...shared,
      id: ids.delete,
      handle: async (input, standard) => ({ data: { ...filled((await standard(input)).data), ...whenDeleted } }),
    },
  }
}

/** A record in a reply: a post that only has media items has an empty text. */
function filled(data: unknown): Record<string, unknown> {
  // The standard handlers answer with the members of records.
  const record = data as Record<string, unknown>
  return { ...record, text: record.text ?? '', media_keys: record.media_keys ?? [] }
}

type ListParams = { user_id?: string }

/** The same request with the user whose posts it lists. */
async function withListedUser(input: AdsInput<ListParams>): Promise<AdsInput> {
  const { params, account, user, runtime } = input
  const userId = await requestedUser(runtime.database, account.id, params.user_id, user.id)
  // Deletions are permanent, so the list needs no condition about them.
  return { ...input, params: { ...params, user_id: userId, with_deleted: true } }
}

type CreateParams = { as_user_id?: string; nullcast?: boolean }

/** Checks the author of the new post, and returns the request with this author. */
async function withAuthor(input: AdsInput<CreateParams>): Promise<AdsInput> {
  const { runtime, account } = input
  const { as_user_id: given, ...params } = input.params
  const asUserId = given ?? (await requestedUser(runtime.database, account.id, undefined))
  await checkAuthor(runtime, input, { asUserId, nullcast: params.nullcast !== false, organicNeedsFull: true })
  return { ...input, params: { ...params, user_id: asUserId } }
}
