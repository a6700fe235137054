import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { longKind, timeKind } from '../kit/values.ts'
import { scheduledPosts } from './scheduled-post.entity.ts'
import { unsentMembers, unsentPostOperations } from './unsent-post-operations.ts'

export const scheduledPostOperations = unsentPostOperations({
  entity: scheduledPosts,
  data: component(
    'ScheduledPost',
    Type.Object({
      ...unsentMembers,
      scheduled_at: timeKind.schema,
      scheduled_status: words(['SCHEDULED', 'SUCCESS', 'FAILED', 'DELETED']),
      completed_at: nullable(timeKind.schema),
      post_id: nullable(longKind.schema),
    }),
  ),
  ids: {
    list: 'listScheduledPosts',
    get: 'getScheduledPost',
    create: 'createScheduledPost',
    update: 'updateScheduledPost',
    delete: 'deleteScheduledPost',
  },
  userKind: longKind,
  whenDeleted: { scheduled_status: 'DELETED' },
})
