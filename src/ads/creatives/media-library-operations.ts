import { change, type Invalidate } from '../../api-kit/runtime.ts'
import { tokenize } from '../../search/tokenize.ts'
import { type MediaFacts, mediaFacts, mediaKeep } from '../../social/media/media.statements.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { idCursor } from '../kit/cursor.ts'
import { AdsProblem, notFound } from '../kit/errors.ts'
import { pageParams } from '../kit/list-records.ts'
import { type AdsInput, defineAdsOperation, optional, required } from '../kit/operation.ts'
import { wholeSecond } from '../kit/times.ts'
import { type Kind, oneOfKind, textKind } from '../kit/values.ts'
import { accountMedia } from './account-media.entity.ts'
import { addAccountMedia } from './add-account-media.ts'
import {
  LIBRARY_MEDIA_TYPES,
  MediaLibraryItem,
  mediaKeyKind,
  mediaTypeOf,
  showLibraryItem,
  storedTypeOf,
} from './media-library.object.ts'
import { entryError, type MediaUsers, memberErrors, posterError } from './media-library.rules.ts'
import {
  type LibraryRow,
  libraryItem,
  libraryPage,
  libraryPut,
  libraryRemove,
  promotableUserIds,
} from './media-library.statements.ts'

const TAG = 'Media Library'
const NOT_FOUND = 'MEDIA_NOT_FOUND'
const COLLECTION = '/12/accounts/{account_id}/media_library'
const path = { media_key: { kind: mediaKeyKind, missing: NOT_FOUND } }

const clearable = <T>(kind: Kind<T>) => optional(kind, { clearable: true })
const members = {
  description: clearable(textKind({ max: 200 })),
  file_name: clearable(textKind({ max: 255 })),
  name: clearable(textKind({ max: 100 })),
  poster_media_key: clearable(mediaKeyKind),
  title: clearable(textKind({ max: 70 })),
}
type Given = Partial<Record<keyof typeof members, string | null>>
const TEXTS = ['name', 'title', 'file_name', 'description'] as const

/** The distinct words of texts; underscores in file names separate words. */
const termsOf = (...texts: (string | null)[]): string[] => [...new Set(tokenize(texts.join(' ').replaceAll('_', ' ')))]

const cursor = idCursor('media')
const listMediaLibrary = defineAdsOperation({
  id: 'listMediaLibrary',
  route: `GET ${COLLECTION}`,
  tag: TAG,
  summary: 'List the media library of an account',
  params: {
    ...pageParams({ initial: 20, max: 50 }, cursor),
    media_type: optional(oneOfKind(LIBRARY_MEDIA_TYPES)),
    q: optional(textKind({ min: 1, max: 255 })),
  },
  data: MediaLibraryItem,
  envelope: 'list',
  may: 'see creatives',
  handle: async ({ params, account, runtime }) => {
    const terms = params.q === undefined ? [] : termsOf(params.q)
    const after = params.cursor ?? '0'
    // A query without words matches nothing.
    if (params.q !== undefined && terms.length === 0) return { data: [], next_cursor: null }
    const type = params.media_type === undefined ? null : storedTypeOf(params.media_type)
    const count = params.count!
    const found = await libraryPage.all(runtime.database, account.id, after, type, terms, count + 1)
    const page = found.slice(0, count)
    const hasMore = found.length > count
    return {
      data: page.map(showLibraryItem),
      next_cursor: cursor.after(hasMore ? page.at(-1)?.media_id : undefined),
    }
  },
})

const mediaNotFound = (key: string) => new AdsProblem([notFound(NOT_FOUND, 'media_key', key)])

async function findItem(db: Db, accountId: string, key: string): Promise<LibraryRow> {
  const row = await libraryItem.first(db, accountId, key)
  if (!row || row.deleted) throw mediaNotFound(key)
  return row
}

const getMediaLibraryItem = defineAdsOperation({
  id: 'getMediaLibraryItem',
  route: `GET ${COLLECTION}/{media_key}`,
  tag: TAG,
  summary: 'Get an item of the media library',
  path,
  data: MediaLibraryItem,
  may: 'see creatives',
  handle: async (input) => ({
    data: showLibraryItem(await findItem(input.runtime.database, input.account.id, input.path.media_key!)),
  }),
})

type Input = Pick<AdsInput, 'runtime' | 'account' | 'user'>

/** The users whose uploads the account may use: the caller and its promotable users. */
async function mediaUsers(db: Db, { runtime, account, user }: Input): Promise<MediaUsers> {
  const promotable = await promotableUserIds.all(db, account.id)
  return { userIds: [user.id, ...promotable.map((row) => row.user_id)], now: runtime.clock.now() }
}

/** Stores the texts and the poster of an item. Members that were not sent stay unchanged. */
async function putItem(
  tx: Tx,
  invalidate: Invalidate,
  input: Input,
  media: { media_id: string; media_key: string },
  before: LibraryRow | undefined,
  given: Given,
): Promise<LibraryRow> {
  const { runtime, account } = input
  const item = {
    name: null,
    file_name: null,
    title: null,
    description: null,
    poster_media_key: null,
    ...pick(before),
    ...given,
  }
  if (
    before &&
    !before.deleted &&
    Object.entries(given).every(([name, value]) => before[name as keyof Given] === value)
  )
    return before
  await libraryPut.count(
    tx,
    media.media_id,
    account.id,
    media.media_key,
    item.name,
    item.file_name,
    item.title,
    item.description,
    item.poster_media_key,
    termsOf(...TEXTS.map((name) => item[name])),
    wholeSecond(runtime.clock.now()),
  )
  const keys = [media.media_key, ...(item.poster_media_key === null ? [] : [item.poster_media_key])]
  await mediaKeep.all(tx, keys, true)
  invalidate('media', ...keys)
  return (await libraryItem.first(tx, account.id, media.media_key))!
}

function pick(row: LibraryRow | undefined): Given {
  if (!row || row.deleted) return {}
  const { name, file_name, title, description, poster_media_key } = row
  return { name, file_name, title, description, poster_media_key }
}

const lockAccount = (tx: Tx, input: Input) => accountMedia.scope.lock(tx, input.account.id)

async function factsOf(db: Db, ...keys: (string | null | undefined)[]): Promise<Map<string, MediaFacts>> {
  const named = keys.filter((key) => typeof key === 'string')
  return new Map((await mediaFacts.all(db, named)).map((media) => [media.media_key, media]))
}

const addMediaLibraryItem = defineAdsOperation({
  id: 'addMediaLibraryItem',
  route: `POST ${COLLECTION}`,
  tag: TAG,
  summary: 'Add an upload to the media library',
  params: { media_key: required(mediaKeyKind), ...members },
  data: MediaLibraryItem,
  may: 'manage creatives',
  handle: async (input) => {
    const { media_key: key, ...given } = input.params
    const row = await change(input.runtime, async (tx, invalidate) => {
      await lockAccount(tx, input)
      const users = await mediaUsers(tx, input)
      const facts = await factsOf(tx, key, given.poster_media_key)
      const media = facts.get(key)
      const error = entryError(media, key, users)
      if (error || !media) throw new AdsProblem([error ?? notFound(NOT_FOUND, 'media_key', key)])
      checkMembers(given, media.type, false, facts, users)
      const before = await libraryItem.first(tx, input.account.id, key)
      const item = await putItem(tx, invalidate, input, media, before, given)
      await addAccountMedia(tx, input.runtime, [{ accountId: input.account.id, media }])
      return item
    })
    return { data: showLibraryItem(row) }
  },
})

function checkMembers(
  given: Given,
  storedType: string,
  isUpdate: boolean,
  facts: Map<string, MediaFacts>,
  users: MediaUsers,
): void {
  const errors = memberErrors(given, mediaTypeOf(storedType), isUpdate)
  const poster = given.poster_media_key
  const ofPoster = poster && errors.length === 0 ? posterError(facts.get(poster), poster, users) : undefined
  if (ofPoster) errors.push(ofPoster)
  if (errors.length > 0) throw new AdsProblem(errors)
}

const updateMediaLibraryItem = defineAdsOperation({
  id: 'updateMediaLibraryItem',
  route: `PUT ${COLLECTION}/{media_key}`,
  tag: TAG,
  summary: 'Update an item of the media library',
  path,
  params: members,
  data: MediaLibraryItem,
  may: 'manage creatives',
  handle: async (input) => {
    const given: Given = input.params
    const row = await change(input.runtime, async (tx, invalidate) => {
      await lockAccount(tx, input)
      const before = await findItem(tx, input.account.id, input.path.media_key!)
      const facts = await factsOf(tx, given.poster_media_key)
      checkMembers(given, before.type, true, facts, await mediaUsers(tx, input))
      return putItem(tx, invalidate, input, before, before, given)
    })
    return { data: showLibraryItem(row) }
  },
})

const deleteMediaLibraryItem = defineAdsOperation({
  id: 'deleteMediaLibraryItem',
  route: `DELETE ${COLLECTION}/{media_key}`,
  tag: TAG,
  summary: 'Remove an item from the media library',
  path,
  data: MediaLibraryItem,
  may: 'manage creatives',
  handle: async (input) => {
    const key = input.path.media_key!
    const row = await change(input.runtime, async (tx) => {
      await lockAccount(tx, input)
      const now = wholeSecond(input.runtime.clock.now())
      if ((await libraryRemove.count(tx, input.account.id, key, now)) === 0) throw mediaNotFound(key)
      return (await libraryItem.first(tx, input.account.id, key))!
    })
    return { data: showLibraryItem(row) }
  },
})

export const mediaLibraryOperations = [
  listMediaLibrary,
  addMediaLibraryItem,
  getMediaLibraryItem,
  updateMediaLibraryItem,
  deleteMediaLibraryItem,
]
