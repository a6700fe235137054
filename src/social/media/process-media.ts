import { changeByStatement, type Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { realNow } from '../../process/clock.ts'
import { every } from '../../process/every.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import type { StoredType } from './categories.ts'
import { uploadFail, uploadProgress, uploadsLeft, uploadTake } from './media.statements.ts'
import { LONG_VIDEO_SECONDS, probeMedia, VIDEO_SECONDS } from './probe-media.ts'
import { storeShape } from './store-shape.ts'
import { storedBytes } from './stored-bytes.ts'

const AT_ONCE = 2
/** A process that took a media and says nothing for so long is taken to be gone. */
const TAKEN_MS = 60_000
/** How often a process looks for what others left behind. */
const LOOK_MS = 30_000

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

/** Looks at a media as soon as this process has a hand free. The row says that it waits: if this process dies, another looks. */
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
        runtime.log.warn({ err: error, media: id }, 'a media is looked at again later')
      }
      queue.running -= 1
      runtime.inFlight.end()
      processSoon(runtime)
    })
  }
}

/** Looks at the bytes of a media that waits, and makes it usable or says why not. */
async function processMedia(runtime: Runtime, id: string): Promise<void> {
  const { database } = runtime
  const now = realNow()
  const upload = await uploadTake.first(database, id, new Date(now), new Date(now + TAKEN_MS))
  if (!upload) return
  const isLong = upload.category === 'amplify_video' && upload.subscription_type !== 'None'
  const bytes = storedBytes(database, id, Number(upload.total_bytes))
  const { shape, fault } = await probeMedia(bytes, {
    type: upload.type as StoredType,
    mediaType: upload.media_type,
    seconds: isLong ? LONG_VIDEO_SECONDS : VIDEO_SECONDS,
  })
  await uploadProgress.count(database, id, 90)
  await changeByStatement(runtime, async (db, invalidate) => {
    invalidate('media', upload.media_key)
    if (shape) await storeShape(runtime, db, upload, shape, null)
    else await uploadFail.count(db, id, JSON.stringify(fault))
  })
}

/** Takes up what a process that is gone left behind, at the start and now and then; uploads that end here are looked at at once. */
export function startMediaWork(runtime: Runtime): Stoppable {
  const look = async () => {
    const left = await uploadsLeft.all(runtime.database, new Date(realNow()))
    processSoon(runtime, ...left.map((row) => row.id))
  }
  const failed = (error: unknown) => runtime.log.warn({ err: error }, 'media that wait could not be read')
  const looks = every(LOOK_MS, look, failed, { atOnce: true })
  return {
    stop: () => {
      runtime.singleton(mediaQueue).isClosed = true
      return looks.stop()
    },
  }
}
