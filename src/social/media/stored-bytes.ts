import type { Db } from '../../storage/database.ts'
import { segmentsRead } from './media.statements.ts'
import type { MediaBytes } from './probing/probed.ts'

/** The bytes of an upload whose segments have offsets. */
export const storedBytes = (db: Db, mediaId: string, size: number): MediaBytes => ({
  size,
  read: async (from, length) => {
    const rows = await segmentsRead.all(db, mediaId, String(from), String(from + length))
    return Buffer.concat(rows.flatMap((row) => row.bytes ?? []))
  },
})

const CHUNK_BYTES = 512 * 1024

/** The bytes from one offset to before another, chunk by chunk. */
export async function* bytesBetween(source: MediaBytes, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += CHUNK_BYTES) yield source.read(at, Math.min(CHUNK_BYTES, to - at))
}
