import type { Logger } from '../process/logger.ts'
import type { Settings } from '../settings.ts'
import { type OpenStorage, openStorage } from './open-storage.ts'

/** A database that is started again when it ends by itself. */
interface WatchedStorage extends OpenStorage {
  /** Resolves with the reason when it could not be started again. */
  failed: Promise<Error>
}

export async function openWatchedStorage(settings: Settings, log: Logger): Promise<WatchedStorage> {
  let storage = await openStorage(settings, log)
  let reopening: Promise<unknown> = Promise.resolve()
  let closing = false
  let fail: (reason: Error) => void
  const failed = new Promise<Error>((resolve) => {
    fail = resolve
  })
  const watch = () => {
    void storage.embedded?.died.then(({ reason }) => {
      if (closing) return
      log.error(`PostgreSQL ended (${reason}) and is started again`)
      reopening = openStorage(settings, log).then((opened) => {
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
    failed,
    close: async () => {
      closing = true
      // A server that is just being started would outlive this process.
      await reopening
      await storage.close()
    },
  }
}
