import { rm, stat, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { every } from '../process/every.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import type { Logger } from '../process/logger.ts'

const CHECK_MS = 1_000
const MEGABYTE = 1024 * 1024
/** With less, nothing more is written: PostgreSQL ends when it cannot write its log. */
const TOO_LITTLE = 64 * MEGABYTE
const ENOUGH = 96 * MEGABYTE
/** Given up when PostgreSQL has ended for lack of space: it needs some to start, so that reading goes on. */
const RESERVE = 48 * MEGABYTE
const RESERVE_FILE = 'reserve'
// Not during the start, and not for a server that runs for a moment only.
const RESERVE_AFTER_MS = 60_000

/** The space on the disk of the embedded database. */
export interface DiskSpace extends Stoppable {
  readonly isLow: boolean
  /** Removes the reserve: PostgreSQL could not write, and is started again. */
  giveUpReserve(): Promise<void>
}

/** Looks at the disk of a folder every second. `onChange` is called when space has run out, and when there is enough again. */
export function watchDiskSpace(folder: string, log: Logger, onChange: (isLow: boolean) => void): DiskSpace {
  const reserve = path.join(folder, RESERVE_FILE)
  const began = performance.now()
  let isLow = false
  const look = async () => {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    const hasReserve = await stat(reserve).then(
      () => true,
      () => false,
    )
    const isTime = performance.now() - began > RESERVE_AFTER_MS
    if (!hasReserve && isTime && free > ENOUGH + RESERVE) await writeFile(reserve, Buffer.alloc(RESERVE, 1))
    const becomes = isLow ? free < ENOUGH : free < TOO_LITTLE
    if (becomes === isLow) return
    isLow = becomes
    const shown = Math.round(free / MEGABYTE)
    if (isLow) log.error(`the disk of the database has ${shown} MB left: writes are refused until there is more`)
    else log.warn(`the disk of the database has ${shown} MB left: writes are accepted again`)
    onChange(isLow)
  }
  const looking = every(CHECK_MS, look, (error) => log.warn({ err: error }, 'the free space cannot be read'), {
    atOnce: true,
  })
  return {
    get isLow() {
      return isLow
    },
    giveUpReserve: () => rm(reserve, { force: true }),
    stop: () => looking.stop(),
  }
}
