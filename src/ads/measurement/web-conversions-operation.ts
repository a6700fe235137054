import { component, Type } from '../../api-kit/declaring/schema.ts'
import { writeLimitHeaders } from '../../api-kit/limits/limit-headers.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { randomUuid } from '../../process/random.ts'
import { statement } from '../../storage/statement.ts'
import { accountAccessPart, MAY, type Permission } from '../kit/access.ts'
import { type AdsError, AdsProblem, invalidParameter, notFound } from '../kit/errors.ts'
import { tooManyAdsRequests } from '../kit/limits.ts'
import { type AdsInput, defineAdsOperation } from '../kit/operation.ts'
import { actionNotAllowed } from '../kit/serving/gate.ts'
import { idKind, toBase36 } from '../kit/values.ts'
import { type ConversionTag, findWebsite, findWebTags } from './conversion-tags.ts'
import { countEvents } from './count-events.ts'
import { readEventName } from './embed-code.ts'
import { findViewers } from './find-viewers.ts'
import { readWebConversions, type WebConversion } from './read-web-conversions.ts'
import { convert } from './record-conversions.ts'

const MOST = 500
const Member = (description: string) => Type.Optional(Type.Unknown({ description }))

// The handler reads the conversions: everything that is wrong with any of them is reported together.
const body = Type.Object({
  conversions: Type.Array(
    Type.Object({
      conversion_time: Member('When it happened: yyyy-MM-ddTHH:mm:ss.SSSZ.'),
      event_id: Member('The id of a web event tag, alone or with that of the website.'),
      identifiers: Member(
        'A list of objects with hashed_email, hashed_phone_number, ip_address, user_agent or a click id.',
      ),
      number_items: Member('How many items were bought; at least 1.'),
      price_currency: Member('A currency of three letters; USD unless sent.'),
      value: Member('The amount in that currency.'),
      conversion_id: Member('Tells the same conversion from the pixel apart from another one.'),
      description: Member('A text.'),
      contents: Member('A list of objects with content_id, content_name, content_price, content_type and num_items.'),
    }),
    { minItems: 1, maxItems: MOST },
  ),
})

export const sendWebConversions = defineAdsOperation({
  id: 'sendWebConversions',
  route: 'POST /12/measurement/conversions/{pixel_id}',
  tag: 'Web Conversions',
  summary: 'Report conversions on a website',
  path: { pixel_id: { kind: idKind, missing: 'NOT_FOUND' } },
  body,
  bodyLimit: 4 * 1024 * 1024,
  data: component(
    'WebConversionsResult',
    Type.Object({ conversions_processed: Type.Integer(), debug_id: Type.String({ format: 'uuid' }) }),
  ),
  limit: 'conversions',
  forConversions: true,
  handle: async (input) => {
    const { runtime } = input
    const websiteId = input.path.pixel_id!
    const accountId = await findWritableWebsite(input, websiteId)
    const { conversions, errors } = readWebConversions(input.body.conversions, runtime.clock.now(), input.ignores)
    const { tags, errors: tagErrors } = await findTags(runtime, conversions, websiteId, accountId)
    if (errors.length + tagErrors.length > 0) throw new AdsProblem([...errors, ...tagErrors])
    const state = await countEvents(runtime, accountId, conversions.length)
    writeLimitHeaders(input.headers, 'x-account-rate-limit', state)
    if (state.exceeded) throw tooManyAdsRequests('the events of this window for the account are used up')
    const viewers = await findViewers(
      runtime,
      conversions.map((item) => item.identifiers),
    )
    await convert(
      runtime,
      conversions.map((item, at) => ({ ...item, ...viewers[at], viewer: viewers[at]?.viewer, tag: tags[at]! })),
    )
    return {
      data: { conversions_processed: conversions.length, debug_id: randomUuid() },
      alsoEchoed: { account_id: toBase36(accountId) },
    }
  },
})

const noPixel = (id: string) => new AdsProblem([notFound('NOT_FOUND', 'pixel_id', toBase36(id))])

/** The account of a pixel, if the caller may report conversions for it. */
async function findWritableWebsite(input: AdsInput, websiteId: string): Promise<string> {
  const { runtime, user, sandbox } = input
  const own = await findWebsite(runtime.database, websiteId)
  const accountId = own ?? (await findWebTags(runtime.database, [websiteId])).get(websiteId)?.accountId
  const row = accountId === undefined ? undefined : await runtime.parts.one(accountAccessPart, accountId)
  const permissions = (row?.users as Record<string, Permission[]> | null | undefined)?.[user.id]
  if (accountId === undefined || !row || !permissions || row.deleted || row.sandbox !== sandbox)
    throw noPixel(websiteId)
  const allowed: readonly Permission[] = MAY['manage campaigns']
  if (!permissions.some((permission) => allowed.includes(permission)))
    throw actionNotAllowed(`needs one of ${allowed.join(', ')}`)
  if (own === undefined)
    throw new AdsProblem([
      invalidParameter('pixel_id', 'is the tag of a single event; must be its website_tag_id', toBase36(websiteId)),
    ])
  return accountId
}

const websitesNamed = statement(
  'ads_websites_named',
  { id: 'int8' },
  'select id from ads_website_tag where account_id = $1 and id = any($2::bigint[])',
)

/** The tags of the events, in order, or what is wrong with them. */
async function findTags(
  { database }: Runtime,
  conversions: readonly WebConversion[],
  websiteId: string,
  accountId: string,
): Promise<{ tags: ConversionTag[]; errors: AdsError[] }> {
  const ids = conversions.map((item) => readEventName(item.event, websiteId))
  const wanted = [...new Set(ids.flatMap((id) => id ?? []))]
  const found = await findWebTags(database, wanted)
  const websites = new Set((await websitesNamed.all(database, accountId, wanted)).map((row) => row.id))
  const tags: ConversionTag[] = []
  const errors: AdsError[] = []
  for (const [at, { event, where }] of conversions.entries()) {
    const tag = found.get(ids[at] ?? '')
    const parameter = `${where}.event_id`
    if (tag?.accountId === accountId) tags.push(tag)
    else if (websites.has(ids[at] ?? ''))
      errors.push(invalidParameter(parameter, 'is the tag of the website; must be the tag of a single event', event))
    else errors.push(notFound('NOT_FOUND', parameter, event))
  }
  return { tags, errors }
}
