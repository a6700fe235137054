import { pauseFor } from '../process/keep-trying.ts'
import type { Logger } from '../process/logger.ts'
import type { Settings } from '../settings.ts'
import { watchDiskSpace } from './disk-space.ts'
import { type OpenStorage, openStorage } from './open-storage.ts'

const REOPEN_MS = 2_000

/** A database that is started again when it ends by itself. */
interface WatchedStorage extends OpenStorage {
  /** True while the disk of the embedded database has too little space for writing. */
  readonly isFull: boolean
  /** Called when that changes. */
  onFullChange(listener: (isFull: boolean) => void): void
  /** Resolves with the reason when it could not be started again. */
  failed: Promise<Error>
}

export async function openWatchedStorage(settings: Settings, log: Logger): Promise<WatchedStorage> {
  let storage = await openStorage(settings, log)
  let reopening: Promise<unknown> = Promise.resolve()
  let closing = false
  const stopping = new AbortController()
  let fail: (reason: Error) => void
  const failed = new Promise<Error>((resolve) => {
    fail = resolve
  })
  let listener: (isFull: boolean) => void = () => {}
  const space = storage.embedded && watchDiskSpace(storage.embedded.folder, log, (isFull) => listener(isFull))
  // Without space it cannot be started: it is tried until there is some.
  const reopen = async (): Promise<OpenStorage | undefined> => {
    while (!closing) {
      try {
        return await openStorage(settings, log)
      } catch (error) {
        if (!space?.isLow && !isFull(error)) throw error
        log.error('PostgreSQL cannot be started while the disk is full; trying again')
        await space?.giveUpReserve()
        await pauseFor(REOPEN_MS, stopping.signal)
      }
    }
    return undefined
  }
  const watch = () => {
    void storage.embedded?.died.then(async ({ reason }) => {
      if (closing) return
      log.error(`PostgreSQL ended (${reason}) and is started again`)
      if (space?.isLow || isFull(reason)) await space?.giveUpReserve()
      reopening = reopen().then((opened) => {
        if (!opened) return
        storage = opened
        watch()
      }, fail)
    })
  }
  watch()
  return {
    get connection() {
      return storage.connection
    },
    get embedded() {
      return storage.embedded
    },
    get isFull() {
      return space?.isLow ?? false
    },
    onFullChange: (added) => {
      listener = added
    },
    failed,
    close: async () => {
      closing = true
      stopping.abort()
      await space?.stop()
      // A server that is just being started would outlive this process.
      await reopening
      await storage.close()
    },
  }
}

const isFull = (error: unknown): boolean => /No space left on device|disk is full|ENOSPC/i.test(String(error))
