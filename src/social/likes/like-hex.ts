import { createHash } from 'node:crypto'

/** The id of a like as clients see it: 32 hexadecimal digits, the same everywhere. */
export const likeHex = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32)
