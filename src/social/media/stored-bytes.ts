import type { Db } from '../../storage/database.ts'
import { segmentsRead } from './media.statements.ts'
import type { MediaBytes } from './probed.ts'

/** The bytes of an upload whose segments are laid out. */
export const storedBytes = (db: Db, mediaId: string, size: number): MediaBytes => ({
  size,
  read: async (from, length) => {
    const rows = await segmentsRead.all(db, mediaId, String(from), String(from + length))
    return Buffer.concat(rows.flatMap((row) => row.bytes ?? []))
  },
})

const PIECE = 512 * 1024

/** The bytes from one place to before another, a piece at a time. */
export async function* bytesBetween(source: MediaBytes, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += PIECE) yield source.read(at, Math.min(PIECE, to - at))
}
