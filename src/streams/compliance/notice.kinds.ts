import { component, DateTime, Type } from '../../api-kit/declaring/schema.ts'
import { CountryCode, PostId, UserId } from '../../social/ids.ts'
import { noticeKind } from './notice.ts'

const Text = Type.String()
const Countries = Type.Array(CountryCode, { minItems: 1 })

const OwnedPost = Type.Object({ author_id: UserId, id: PostId })
const quoted = { quote_post_id: Type.Optional(PostId) }
const PostFacts = component('PostComplianceSchema', Type.Object({ event_at: DateTime, ...quoted, post: OwnedPost }))

/** Notices about posts, in the order of the reference. Nothing here withholds or drops posts. */
export const postNotices = {
  delete: noticeKind('delete', 'PostDeleteComplianceSchema', PostFacts),
  withheld: noticeKind(
    'withheld',
    'PostWithheldComplianceSchema',
    component(
      'PostTakedownComplianceSchema',
      Type.Object({ event_at: DateTime, ...quoted, post: OwnedPost, withheld_in_countries: Countries }),
    ),
  ),
  drop: noticeKind('drop', 'PostDropComplianceSchema', PostFacts),
  undrop: noticeKind('undrop', 'PostUndropComplianceSchema', PostFacts),
  edit: noticeKind(
    'post_edit',
    'PostEditComplianceSchema',
    component(
      'PostEditComplianceObjectSchema',
      Type.Object({
        edit_post_ids: Type.Array(PostId, { minItems: 1 }),
        event_at: DateTime,
        initial_post_id: PostId,
        post: Type.Object({ id: PostId }),
      }),
    ),
  ),
}

const User = Type.Object({ id: UserId })
const UserFacts = component('UserComplianceSchema', Type.Object({ event_at: DateTime, user: User }))

/** Notices about users, in the order of the reference. Nothing here restores or withholds users or scrubs their places. */
export const userNotices = {
  protect: noticeKind('user_protect', 'UserProtectComplianceSchema', UserFacts),
  unprotect: noticeKind('user_unprotect', 'UserUnprotectComplianceSchema', UserFacts),
  delete: noticeKind('user_delete', 'UserDeleteComplianceSchema', UserFacts),
  undelete: noticeKind('user_undelete', 'UserUndeleteComplianceSchema', UserFacts),
  suspend: noticeKind('user_suspend', 'UserSuspendComplianceSchema', UserFacts),
  unsuspend: noticeKind('user_unsuspend', 'UserUnsuspendComplianceSchema', UserFacts),
  withheld: noticeKind(
    'user_withheld',
    'UserWithheldComplianceSchema',
    component(
      'UserTakedownComplianceSchema',
      Type.Object({ event_at: DateTime, user: User, withheld_in_countries: Countries }),
    ),
  ),
  scrubGeo: noticeKind(
    'scrub_geo',
    'UserScrubGeoSchema',
    component('UserScrubGeoObjectSchema', Type.Object({ event_at: DateTime, up_to_post_id: PostId, user: User })),
  ),
  profile: noticeKind(
    'user_profile_modification',
    'UserProfileModificationComplianceSchema',
    component(
      'UserProfileModificationObjectSchema',
      Type.Object({ event_at: DateTime, new_value: Text, profile_field: Text, user: User }),
    ),
  ),
}

/** Notices about likes. */
export const likeNotices = {
  delete: noticeKind(
    'delete',
    'LikeComplianceSchema',
    component(
      'UnlikeComplianceSchema',
      Type.Object({ event_at: DateTime, favorite: Type.Object({ id: PostId, user_id: UserId }) }),
    ),
  ),
}

/** Notices about labels of posts. */
export const labelNotices = {
  notice: noticeKind(
    'public_post_notice',
    'PostNoticeSchema',
    component(
      'PostNotice',
      Type.Object({
        application: Text,
        details: Type.Optional(Text),
        event_at: DateTime,
        event_type: Text,
        extended_details_url: Type.Optional(Text),
        label_title: Type.Optional(Text),
        post: OwnedPost,
      }),
    ),
  ),
  unviewable: noticeKind(
    'public_post_unviewable',
    'PostUnviewableSchema',
    component('PostUnviewable', Type.Object({ application: Text, event_at: DateTime, post: OwnedPost })),
  ),
}
