import { imageSize } from 'image-size'
import type { Runtime } from '../../api-kit/runtime.ts'
import { OutgoingError } from '../../process/outgoing.ts'
import { statement } from '../../storage/statement.ts'
import type { AdsTask } from '../kit/task.ts'
import { imageAddresses } from './product.fields.ts'

const PRODUCTS_AT_ONCE = 16
const FETCHES_AT_ONCE = 4
const MOST_BYTES = 5 * 1024 * 1024
const SMALLEST_SIDE = 500
const IDLE_MS = 10_000
const FORMATS = ['jpg', 'gif', 'webp', 'png']

const unchecked = statement(
  'ads_products_unchecked',
  { product_key: 'int8', image_link: 'text', additional_image_link: 'text?' },
  'select product_key, image_link, additional_image_link from ads_product where not images_checked order by product_key limit $1',
)
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
    const products = await unchecked.all(runtime.database, PRODUCTS_AT_ONCE)
    if (products.length === 0) return 0
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
  },
}

async function pictureError(runtime: Runtime, url: string, stopping: AbortSignal): Promise<string | undefined> {
  let bytes: Buffer
  try {
    const download = await runtime.outgoing.download({ url, idleMs: IDLE_MS, maxBytes: MOST_BYTES, stopping })
    if (download.status !== 200) {
      download.close()
      return `the server answered with status ${download.status} when the picture was fetched`
    }
    const chunks: Buffer[] = []
    for await (const chunk of download.chunks) chunks.push(chunk)
    bytes = Buffer.concat(chunks)
  } catch (error) {
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
