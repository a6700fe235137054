import type { Operation } from '../api-kit/declaring/operation.ts'
import { complianceStreams } from './compliance/compliance-streams.ts'
import { connectionOperations } from './connections.ts'
import { streamPosts } from './filtered/filtered-stream.ts'
import { createWebhooksStreamLink, deleteWebhooksStreamLink, getWebhooksStreamLinks } from './filtered/webhook-links.ts'
import { likesStreams } from './likes/likes-streams.ts'
import { volumeStreams } from './posts/volume-streams.ts'
import { createPowerstreamRules, deletePowerstreamRules, getPowerstreamRules } from './rules/power-rules.ts'
import { getRuleCounts, getRules } from './rules/read-rules.ts'
import { updateRules } from './rules/update-rules.ts'

/** Every operation of the streams. */
export const streamOperations: readonly Operation[] = [
  streamPosts,
  createWebhooksStreamLink,
  getWebhooksStreamLinks,
  deleteWebhooksStreamLink,
  ...volumeStreams,
  ...likesStreams,
  ...complianceStreams,
  ...connectionOperations,
  getRules,
  getRuleCounts,
  updateRules,
  getPowerstreamRules,
  createPowerstreamRules,
  deletePowerstreamRules,
]
