import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { EndpointLimit } from '../../api-kit/limits/endpoint-limit.ts'
import { parseWindows } from '../../api-kit/limits/rate-limiter.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Answer, BytesAnswer } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { statement } from '../../storage/statement.ts'
import { parseBase36 } from '../kit/values.ts'
import { type ConversionTag, findWebsite, findWebTags, landingTag } from './conversion-tags.ts'
import { countEvents } from './count-events.ts'
import { readEventName } from './embed-code.ts'
import { findViewers, type KnownViewer } from './find-viewers.ts'
import { PIXEL_SCRIPT } from './pixel-script.ts'
import { type Hit, readHit } from './read-hit.ts'
import { DEFAULT_CURRENCY, priceOf } from './read-web-conversions.ts'
import { convert } from './record-conversions.ts'

const LIMIT: EndpointLimit = {
  address: parseWindows('3000/15m')[0]!,
  refuse: (reason) => blank(429, 'Too many requests from this address.', reason),
}

/** What the pages of others may do with answers: show them, and nothing else. */
const SHARED = {
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

async function* once(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes
}

const MOST_BYTES = 16 * 1024

/** The pixel: its script, and what it reports, as an image or as a body. Nobody signs in here. */
export const pixelEndpoints: readonly Endpoint[] = [
  {
    ...defineEndpoint(
      'pixelScript',
      'GET /i/pixel.js',
      async () =>
        new Answer(PIXEL_SCRIPT, {
          contentType: 'text/javascript; charset=utf-8',
          headers: { ...SHARED, 'cache-control': 'public, max-age=3600' },
        }),
      LIMIT,
    ),
    unrecorded: true,
  },
  defineEndpoint(
    'pixelImage',
    'GET /i/pixel/{pixel_id}/hit.gif',
    async (request, runtime, { path }) => {
      await recordHit(runtime, path.pixel_id ?? '', request)
      return new BytesAnswer(GIF.length, once(GIF), 200, {
        ...SHARED,
        'content-type': 'image/gif',
        'cache-control': 'no-store',
      })
    },
    LIMIT,
  ),
  {
    ...defineEndpoint(
      'pixelHit',
      'POST /i/pixel/{pixel_id}/hit',
      async (request, runtime, { path }) => {
        await recordHit(runtime, path.pixel_id ?? '', request)
        return new Answer('', { status: 204, contentType: 'text/plain; charset=utf-8', headers: SHARED })
      },
      LIMIT,
    ),
    bodyLimit: MOST_BYTES,
  },
]

async function recordHit(runtime: Runtime, pixelId: string, request: RequestFacts): Promise<void> {
  const websiteId = parseBase36(pixelId)
  const accountId = websiteId === undefined ? undefined : await findWebsite(runtime.database, websiteId)
  if (websiteId === undefined || accountId === undefined) throw blank(404, 'There is no such pixel.')
  const hit = readHit(request)
  const tag =
    hit.event === undefined ? landingTag(websiteId, accountId) : await findTag(runtime, hit.event, websiteId, accountId)
  if ((await countEvents(runtime, accountId, 1)).exceeded) throw blank(429, 'Too many events of this website.')
  const known = await findVisitor(runtime, websiteId, hit)
  // A page that nobody came to from an ad is not a conversion.
  if (tag.kind === 'website' && known?.clicked === undefined) return
  await convert(runtime, [
    {
      tag,
      at: runtime.clock.now(),
      viewer: known?.viewer,
      clicked: known?.clicked,
      duplicateKey: tag.kind === 'website' ? `landing ${hit.clickId}` : hit.conversionId,
      quantity: hit.items,
      price: priceOf(hit.value, hit.currency),
      details: {
        source: 'pixel',
        ...(hit.value === undefined ? {} : { value: hit.value, price_currency: hit.currency ?? DEFAULT_CURRENCY }),
        ...(hit.description === undefined ? {} : { description: hit.description }),
      },
    },
  ])
}

async function findTag(
  { database }: Runtime,
  event: string,
  websiteId: string,
  accountId: string,
): Promise<ConversionTag> {
  const id = readEventName(event, websiteId)
  const tag = id === undefined ? undefined : (await findWebTags(database, [id])).get(id)
  if (tag?.accountId !== accountId) throw blank(404, 'The pixel has no such event.')
  return tag
}

const visitorSet = statement(
  'ads_pixel_visitor_set',
  {},
  `insert into ads_pixel_visitor as v (website_tag_id, visitor, viewer, seen_at) values ($1, $2, $3, $4)
   on conflict (website_tag_id, visitor) do update set viewer = excluded.viewer, seen_at = excluded.seen_at
     where v.viewer <> excluded.viewer or v.seen_at < excluded.seen_at - interval '1 hour'`,
)
const visitorFind = statement(
  'ads_pixel_visitor_find',
  { viewer: 'int4' },
  'select viewer from ads_pixel_visitor where website_tag_id = $1 and visitor = $2',
)

/** Who opened the page: by a click or an address, which are remembered for the cookie, else by the cookie. */
async function findVisitor(runtime: Runtime, websiteId: string, hit: Hit): Promise<KnownViewer | undefined> {
  const [known] = await findViewers(runtime, [
    { clickIds: hit.clickId === undefined ? [] : [hit.clickId], emails: hit.hashedEmail ? [hit.hashedEmail] : [] },
  ])
  if (hit.visitor === undefined) return known
  if (known) {
    await visitorSet.count(runtime.database, websiteId, hit.visitor, known.viewer, new Date(runtime.clock.now()))
    return known
  }
  const found = await visitorFind.first(runtime.database, websiteId, hit.visitor)
  return found && { viewer: found.viewer, clicked: undefined }
}
