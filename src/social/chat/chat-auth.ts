import type { AuthRule } from '../../api-kit/declaring/operation.ts'

// Encrypted messages need the same level as others.
const withLevel = (oauth2: readonly string[]): AuthRule => ({ oauth1: true, oauth2, level: 'read-write-messages' })

export const READS_CHAT = withLevel(['dm.read', 'post.read', 'users.read'])
export const LISTS_CHAT = withLevel(['dm.read', 'users.read'])
export const WRITES_CHAT = withLevel(['dm.write', 'post.read', 'users.read'])
export const STARTS_GROUPS = withLevel(['dm.write'])
