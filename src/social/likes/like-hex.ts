import { createHash } from 'node:crypto'

/** The id of a like in the form that clients know: 32 hexadecimal digits, the same wherever it is told. */
export const likeHex = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32)
