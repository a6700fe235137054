import { imageSize } from 'image-size'
import type { Runtime } from '../../api-kit/runtime.ts'
import { OutgoingError } from '../../process/outgoing.ts'
import { statement } from '../../storage/statement.ts'
import { type LaneLimits, runInLanes } from '../kit/lanes.ts'
import type { AdsTask } from '../kit/task.ts'
import { imageAddresses } from './product.fields.ts'

const PRODUCTS_AT_ONCE = 4
const FETCHES_AT_ONCE = 4
const MOST_BYTES = 5 * 1024 * 1024
const SMALLEST_SIDE = 500
const FORMATS = ['jpg', 'gif', 'webp', 'png']

/** How long the server of a picture may be silent, and how long a picture may take. Tests shorten them. */
export const PICTURE_TIMES = { idleMs: 10_000, totalMs: 30_000 }
/** Each catalog has one lane, so slow pictures of one catalog do not delay those of others. */
export const PICTURE_LANES: LaneLimits = { atOnce: 4, most: 32, slowMs: 5_000 }

/** Some products of one catalog: the next after $1 that is not in $2. */
const unchecked = statement(
  'ads_products_unchecked',
  { product_key: 'int8', catalog_id: 'int8', image_link: 'text', additional_image_link: 'text?' },
  `select p.product_key, p.catalog_id, p.image_link, p.additional_image_link from ads_product p
    where not p.images_checked and p.catalog_id = (
      select catalog_id from ads_product where not images_checked and catalog_id > $1 and catalog_id <> all($2::bigint[]) order by catalog_id limit 1)
    order by p.product_key limit $3`,
)
type Unchecked = Awaited<ReturnType<typeof unchecked.all>>

/**
 * Stores what was found, unless the images were changed meanwhile. Skips products that are being changed, and leaves them
 * for the next run: waiting for one of them while holding others could end in a deadlock.
 */
const imageErrorsStore = statement(
  'ads_product_image_errors_store',
  {},
  `update ads_product p set images_checked = true, image_faults = s.errors
     from (select q.product_key, n.errors
             from jsonb_to_recordset($1::jsonb) as n (product_key bigint, image_link text, additional_image_link text, errors jsonb)
             join ads_product q on q.product_key = n.product_key and q.image_link = n.image_link
                               and q.additional_image_link is not distinct from n.additional_image_link
              for no key update of q skip locked) s
    where p.product_key = s.product_key`,
)

interface ImageError {
  parameter: string
  details: string
}

/** Checks the images of new and changed products. What is wrong becomes a warning of the product's next PUT. */
export const checkImagesTask: AdsTask = {
  name: 'product images',
  run: async (runtime, stopping) => {
    const busy = new Set<string>()
    let last = '0'
    let checked = 0
    const after = (catalogId: string) => unchecked.all(runtime.database, catalogId, [...busy], PRODUCTS_AT_ONCE)
    const next = async (): Promise<Unchecked | undefined> => {
      let products = await after(last)
      if (products.length === 0 && last !== '0') products = await after('0')
      if (products.length === 0) return undefined
      last = products[0]!.catalog_id
      busy.add(last)
      return products
    }
    await runInLanes(PICTURE_LANES, stopping, next, async (products) => {
      const stored = await checkProducts(runtime, products, stopping).catch((error: unknown) => {
        runtime.log.error({ err: error }, 'pictures of products could not be checked')
        return 0
      })
      checked += stored
      // What could not be stored waits for the next run.
      if (stored > 0) busy.delete(products[0]!.catalog_id)
    })
    return checked
  },
}

async function checkProducts(runtime: Runtime, products: Unchecked, stopping: AbortSignal): Promise<number> {
  const pictures = products.flatMap((product) => [
    { product, parameter: 'image_link', url: product.image_link },
    ...imageAddresses(product.additional_image_link ?? '').map((url) => ({
      product,
      parameter: 'additional_image_link',
      url,
    })),
  ])
  const errors = new Map<unknown, ImageError[]>()
  const checkNext = async () => {
    for (let next = pictures.shift(); next && !stopping.aborted; next = pictures.shift()) {
      const details = await pictureError(runtime, next.url, stopping)
      if (details === undefined) continue
      errors.set(next.product, [...(errors.get(next.product) ?? []), { parameter: next.parameter, details }])
    }
  }
  await Promise.all(Array.from({ length: FETCHES_AT_ONCE }, checkNext))
  // The next process checks these products again.
  if (stopping.aborted) return 0
  const results = products.map((product) => ({ ...product, errors: errors.get(product) ?? null }))
  return imageErrorsStore.count(runtime.database, JSON.stringify(results))
}

async function pictureError(runtime: Runtime, url: string, stopping: AbortSignal): Promise<string | undefined> {
  let bytes: Buffer
  const { idleMs, totalMs } = PICTURE_TIMES
  const tooLate = AbortSignal.timeout(totalMs)
  try {
    const ending = AbortSignal.any([stopping, tooLate])
    const download = await runtime.outgoing.download({ url, idleMs, maxBytes: MOST_BYTES, stopping: ending })
    if (download.status !== 200) {
      download.close()
      return `the server answered with status ${download.status} when the picture was fetched`
    }
    const chunks: Buffer[] = []
    for await (const chunk of download.chunks) chunks.push(chunk)
    bytes = Buffer.concat(chunks)
  } catch (error) {
    if (tooLate.aborted) return `the picture was not sent within ${totalMs / 1_000} seconds`
    if (!(error instanceof OutgoingError)) throw error
    return error.kind === 'too-large'
      ? 'the picture is larger than 5 MB'
      : `the picture could not be fetched (${error.kind})`
  }
  try {
    const { type, width, height } = imageSize(bytes)
    if (!FORMATS.includes(type ?? '')) return 'the picture must be a JPG, GIF, WEBP or PNG'
    return width < SMALLEST_SIDE || height < SMALLEST_SIDE
      ? `the picture is ${width}x${height} pixels; it must be at least ${SMALLEST_SIDE}x${SMALLEST_SIDE}`
      : undefined
  } catch {
    return 'the picture must be a JPG, GIF, WEBP or PNG'
  }
}
