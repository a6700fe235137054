import { changeByStatement, type Runtime } from '../../../api-kit/runtime.ts'
import { defineSingleton } from '../../../api-kit/singleton.ts'
import { realNow } from '../../../process/clock.ts'
import { every } from '../../../process/every.ts'
import type { Stoppable } from '../../../process/keep-trying.ts'
import type { StoredType } from '../categories.ts'
import { uploadFail, uploadProgress, uploadsLeft, uploadTake } from '../media.statements.ts'
import { LONG_VIDEO_SECONDS, probeMedia, VIDEO_SECONDS } from '../probing/probe-media.ts'
import { storedBytes } from '../stored-bytes.ts'
import { storeShape } from './store-shape.ts'

const AT_ONCE = 2
/** How long a process may work on an upload before another one may claim it. */
const CLAIM_MS = 60_000
/** How often a process looks for uploads that others did not finish. */
const SWEEP_MS = 30_000

interface Queue {
  ids: string[]
  running: number
  isClosed: boolean
}

/** The media items that this process has yet to process. */
export const mediaQueue = defineSingleton<Queue>({
  name: 'media queue',
  create: () => ({ ids: [], running: 0, isClosed: false }),
})

/** Processes a media item as soon as this process has a free slot. Its row is marked as waiting, so another process takes over if this one dies. */
export function processSoon(runtime: Runtime, ...ids: string[]): void {
  const queue = runtime.singleton(mediaQueue)
  queue.ids.push(...ids.filter((id) => !queue.ids.includes(id)))
  while (!queue.isClosed && queue.running < AT_ONCE && queue.ids.length > 0) {
    const id = queue.ids.shift()!
    queue.running += 1
    runtime.inFlight.begin()
    setImmediate(async () => {
      try {
        await processMedia(runtime, id)
      } catch (error) {
        runtime.log.warn({ err: error, media: id }, 'Processing of this media item will be retried')
      }
      queue.running -= 1
      runtime.inFlight.end()
      processSoon(runtime)
    })
  }
}

/** Checks the bytes of a waiting media item, and makes it usable or stores why it is not. */
async function processMedia(runtime: Runtime, id: string): Promise<void> {
  const { database } = runtime
  const now = realNow()
  const upload = await uploadTake.first(database, id, new Date(now), new Date(now + CLAIM_MS))
  if (!upload) return
  const isLong = upload.category === 'amplify_video' && upload.subscription_type !== 'None'
  const bytes = storedBytes(database, id, Number(upload.total_bytes))
  const { shape, fault } = await probeMedia(bytes, {
    type: upload.type as StoredType,
    mediaType: upload.media_type,
    maxSeconds: isLong ? LONG_VIDEO_SECONDS : VIDEO_SECONDS,
  })
  await uploadProgress.count(database, id, 90)
  await changeByStatement(runtime, async (db, invalidate) => {
    invalidate('media', upload.media_key)
    if (shape) await storeShape(runtime, db, upload, shape, null)
    else await uploadFail.count(db, id, JSON.stringify(fault))
  })
}

/** Processes uploads that other processes did not finish, at the start and at intervals. Uploads that end in this process are processed at once. */
export function startMediaWork(runtime: Runtime): Stoppable {
  const sweep = async () => {
    const left = await uploadsLeft.all(runtime.database, new Date(realNow()))
    processSoon(runtime, ...left.map((row) => row.id))
  }
  const failed = (error: unknown) => runtime.log.warn({ err: error }, 'Waiting media items could not be read')
  const sweeps = every(SWEEP_MS, sweep, failed, { atOnce: true })
  return {
    stop: () => {
      runtime.singleton(mediaQueue).isClosed = true
      return sweeps.stop()
    },
  }
}
