import { Type, words } from '../../api-kit/declaring/schema.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { EntityOperation } from '../kit/entity.ts'
import { invalidParameter } from '../kit/errors.ts'
import { flag, idsFilter, oneOf, reads, text, whole } from '../kit/field.ts'
import { idKind, parseBase36, timeKind } from '../kit/values.ts'
import { CLICK_WINDOWS, VIEW_WINDOWS, WEB_CONVERSION_TYPES } from './conversion-types.data.ts'
import { embedCode } from './embed-code.ts'

export const TAG_STATUSES = ['TRACKING', 'UNVERIFIED'] as const

/** Whether something was reported yet. */
export const tagStatus = {
  schema: words(TAG_STATUSES),
  show: ({ last_tracked_at: tracked }: { last_tracked_at: Date | null }) => (tracked ? 'TRACKING' : 'UNVERIFIED'),
}

interface ShownTag {
  id: string
  website_tag_id: string
  embed_code: string
}

/** Adds the snippet, which has the address of this server. */
const withEmbedCode = (id: string): EntityOperation => ({
  id,
  handle: async (input, standard) => {
    const answer = await standard(input)
    const tags = (Array.isArray(answer.data) ? answer.data : [answer.data]) as ShownTag[]
    for (const tag of tags)
      tag.embed_code = embedCode(input.runtime.baseUrl, parseBase36(tag.website_tag_id)!, parseBase36(tag.id)!)
    return answer
  },
})

/** Something that people do on the website of an account, such as a purchase. */
export const webEventTags = defineAdsEntity({
  name: 'web_event_tag',
  plural: 'web_event_tags',
  tag: 'Web Event Tags',
  component: 'WebEventTag',
  table: 'ads_web_event_tag',
  notFound: 'WEB_EVENT_TAG_NOT_FOUND',
  untimed: true,
  fields: {
    name: text({ min: 1, max: 255, required: true }),
    type: oneOf(WEB_CONVERSION_TYPES, { required: true }),
    click_window: whole({ among: CLICK_WINDOWS, required: true }),
    view_through_window: whole({ among: VIEW_WINDOWS, required: true }),
    retargeting_enabled: flag({ required: true }),
  },
  joins: 'join ads_website_tag w on w.account_id = r.account_id',
  reads: {
    website_tag_id: reads(idKind, 'w.id', { always: true }),
    // Not a field: reports change it at any time, also while a request changes the tag.
    last_tracked_at: reads(timeKind, 'r.last_tracked_at'),
  },
  shown: {
    status: tagStatus,
    embed_code: { schema: Type.String(), show: () => '' },
  },
  filters: { web_event_tag_ids: idsFilter('r.id') },
  sorts: ['created_at', 'updated_at', 'deleted', 'name', 'click_window', 'view_through_window', 'last_tracked_at'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  forConversions: true,
  operations: {
    list: withEmbedCode('listWebEventTags'),
    get: withEmbedCode('getWebEventTag'),
    create: withEmbedCode('createWebEventTag'),
    update: withEmbedCode('updateWebEventTag'),
    delete: withEmbedCode('deleteWebEventTag'),
  },
  check: ({ click_window: click, view_through_window: view }) =>
    view > click ? [invalidParameter('view_through_window', 'must not exceed click_window', view)] : [],
  // Before the first tag is stored, because tags are read together with the tag of the website.
  checkAll: async (tx, changes) => {
    const { runtime, account, isCreate } = changes[0]!.context
    if (isCreate) await addWebsiteTag(tx, runtime.ids.next(), account.id)
    return changes.map(() => [])
  },
})

const websiteTagAdd = statement(
  'ads_website_tag_add',
  {},
  'insert into ads_website_tag (id, account_id) values ($1, $2) on conflict (account_id) do nothing',
)

const addWebsiteTag = (tx: Tx, id: string, accountId: string): Promise<number> => websiteTagAdd.count(tx, id, accountId)
