import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { type Naming, neutral } from '../../api-kit/naming/naming.ts'
import { eventContext } from '../../api-kit/reading/read-context.ts'
import { readQuery } from '../../api-kit/reading/request-query.ts'
import type { Selection } from '../../api-kit/reading/selection.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { renderEach } from '../../api-kit/writing/answer-objects.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import type { LoggedEvent } from '../../events/catalog.ts'
import { LOG_END } from '../../events/log-end.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { legacyNaming } from '../../legacy-words.ts'
import { wireTime } from '../../process/clock.ts'
import { POST_IS_GONE, requiredFor } from '../../social/event-visibility.ts'
import { statement } from '../../storage/statement.ts'
import { findWebhook, WebhookConfigId } from '../../webhooks/configure-webhooks.ts'
import type { DeliverySource } from '../../webhooks/dispatch.ts'
import type { PlannedDelivery } from '../../webhooks/planned-delivery.ts'
import { FILTERED_FIELDS } from './filtered-fields.ts'
import { countMatches, type MatchedPost, matchPosts } from './match-posts.ts'
import { RuleSets } from './rule-sets.ts'

const linkSet = statement(
  'stream_webhook_link_set',
  {},
  `insert into stream_webhook_link (webhook_id, app_id, query, naming, created_at, begins_after) values ($1, $2, $3, $4, $5, ${LOG_END})
   on conflict (webhook_id) do update set query = excluded.query, naming = excluded.naming`,
)
const linksOfApp = statement(
  'stream_webhook_links_of_app',
  { webhook_id: 'int8', query: 'text', created_at: 'timestamptz' },
  'select webhook_id, query, created_at from stream_webhook_link where app_id = $1 order by webhook_id',
)
const linkRemove = statement(
  'stream_webhook_link_remove',
  {},
  'delete from stream_webhook_link where webhook_id = $1 and app_id = $2',
)
const linksInUse = statement(
  'stream_webhook_links_in_use',
  { webhook_id: 'int8', app_id: 'int8', query: 'text', naming: 'text', begins_after: 'int8' },
  `select l.webhook_id, l.app_id, l.query, l.naming, l.begins_after from stream_webhook_link l join webhook w on w.id = l.webhook_id
    where w.valid order by l.webhook_id`,
)

const auth = { app: true, tiers: FULL_TIERS }
const Text = Type.String()

export const createWebhooksStreamLink = defineOperation({
  id: 'createWebhooksStreamLink',
  route: 'POST /2/posts/search/webhooks/{webhook_id}',
  tag: 'Webhooks',
  summary: 'Send the posts that match the rules of the app to a webhook',
  auth,
  path: { webhook_id: WebhookConfigId },
  query: FILTERED_FIELDS,
  reply: component(
    'WebhookLinksCreateResponse',
    Type.Object({
      data: Type.Optional(Type.Object({ provisioned: Type.Optional(Type.Boolean()) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, caller, runtime, request, naming }) => {
    const webhook = await findWebhook(runtime, caller, path.webhook_id)
    const query = [...readQuery(request.rawQuery)].map(([name, values]) => `${name}=${values.join()}`).join('&')
    await linkSet.count(runtime.database, webhook.id, caller.app.id, query, naming.id, new Date(runtime.clock.now()))
    return { data: { provisioned: true } }
  },
})

export const getWebhooksStreamLinks = defineOperation({
  id: 'getWebhooksStreamLinks',
  route: 'GET /2/posts/search/webhooks',
  tag: 'Webhooks',
  summary: 'List the webhooks that get matching posts',
  auth,
  reply: component(
    'WebhookLinksGetResponse',
    Type.Object({
      data: Type.Optional(
        Type.Object({
          links: Type.Array(
            Type.Object({
              application_id: Type.Optional(Text),
              business_user_id: Type.Optional(Text),
              created_at: Type.Optional(Type.String({ format: 'data-time' })),
              fields: Type.Optional(Type.Array(Text)),
              instance_id: Type.Optional(Text),
              webhook_id: Type.Optional(Text),
            }),
          ),
        }),
      ),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ caller, runtime }) => {
    const rows = await linksOfApp.all(runtime.database, caller.app.id)
    const links = rows.map((row) => ({
      application_id: caller.app.id,
      business_user_id: caller.app.ownerUserId,
      created_at: wireTime(row.created_at.getTime()),
      fields: row.query === '' ? [] : row.query.split(/[&,]/),
      instance_id: caller.app.projectId,
      webhook_id: row.webhook_id,
    }))
    return { data: { links } }
  },
})

export const deleteWebhooksStreamLink = defineOperation({
  id: 'deleteWebhooksStreamLink',
  route: 'DELETE /2/posts/search/webhooks/{webhook_id}',
  tag: 'Webhooks',
  summary: 'Stop sending matching posts to a webhook',
  auth,
  path: { webhook_id: WebhookConfigId },
  reply: component(
    'WebhookLinksDeleteResponse',
    Type.Object({ data: Type.Optional(Type.Object({ deleted: Type.Optional(Type.Boolean()) })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, caller, runtime }) => {
    const webhook = await findWebhook(runtime, caller, path.webhook_id)
    if ((await linkRemove.count(runtime.database, webhook.id, caller.app.id)) === 0)
      throw blank(404, `The webhook [${webhook.id}] is not linked to the filtered stream.`)
    return { data: { deleted: true } }
  },
})

const readers = [neutral, legacyNaming].map((naming) => ({
  naming,
  read: FILTERED_FIELDS.selection.compile('selection', naming),
}))

function wanted(query: string, namingId: string): { naming: Naming; selection: Selection } {
  const reader = readers.find((item) => item.naming.id === namingId) ?? readers[0]!
  return { naming: reader.naming, selection: reader.read(readQuery(query), []) }
}

/** The posts that a link gets, with its fields. */
async function renderHits(
  runtime: Runtime,
  link: { query: string; naming: string },
  hits: readonly MatchedPost[],
): Promise<Map<string, string>> {
  const { naming, selection } = wanted(link.query, link.naming)
  const shown = hits.filter(({ post }) => post.withheld === undefined)
  const rendered = new Map<string, string>()
  for (const parts of new Set(shown.map(({ post }) => post.parts))) {
    const ids = shown.filter(({ post }) => post.parts === parts).map(({ post }) => post.row.id)
    const texts = await renderEach(eventContext(runtime, naming, parts), ids, selection)
    for (const [id, text] of texts) rendered.set(id, text)
  }
  return rendered
}

/** Plans the deliveries to linked webhooks: the lines of the filtered stream with the fields of each link. */
export function linkedPosts(): DeliverySource {
  let sets: RuleSets | undefined
  // The apps whose rule changes were followed, and the last sequence.
  let followed = new Set<string>()
  let lastSeen = 0n
  const plan = async (runtime: Runtime, events: LoggedEvent[]): Promise<PlannedDelivery[]> => {
    const links = await linksInUse.all(runtime.database)
    const appIds = [...new Set(links.map((link) => link.app_id))]
    // Sequences have no gaps. If one is missing between two calls, events were skipped and rules may have changed.
    const isNext = BigInt(events[0]!.sequence) === lastSeen + 1n
    const stale = appIds.filter((id) => !isNext || !followed.has(id))
    followed = new Set(appIds)
    lastSeen = BigInt(events.at(-1)!.sequence)
    if (links.length === 0) {
      sets = undefined
      return []
    }
    sets ??= new RuleSets(runtime)
    for (const id of stale) sets.invalidate(id)
    const matched = await matchPosts(runtime, sets, appIds, events, (event, reason) =>
      runtime.log.warn(`event ${event.sequence} is not delivered to linked webhooks: ${reason}`),
    )
    countMatches(runtime, matched)
    const planned: PlannedDelivery[] = []
    for (const link of links) {
      const begin = BigInt(link.begins_after)
      const hits = (matched.get(link.app_id) ?? []).filter((hit) => BigInt(hit.post.event.sequence) > begin)
      if (hits.length === 0) continue
      const rendered = await renderHits(runtime, link, hits)
      for (const { post, more } of hits) {
        const text = rendered.get(post.row.id)
        planned.push({
          webhookId: link.webhook_id,
          appId: link.app_id,
          kind: 'filtered-stream',
          sequence: post.event.sequence,
          body: text === undefined ? '' : `{${text}${more}}`,
          postId: post.row.id,
          required: requiredFor(post.row),
          withheld: text === undefined ? (post.withheld ?? POST_IS_GONE) : undefined,
        })
      }
    }
    return planned
  }
  return { plan }
}
