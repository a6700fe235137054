import { closed, component, ownBound, type Static, Type } from '../../api-kit/declaring/schema.ts'
import { ActionSignatures } from './action-signatures.ts'
import { KeyVersion, MOST_LISTED, ParticipantKeys } from './key-changes.ts'
import { LONGEST_GROUP_TEXT } from './wire/details.ts'

const optional = Type.Optional
const UserIds = ownBound(Type.Array(ownBound(Type.String(), 19)), MOST_LISTED)
const GroupText = ownBound(Type.String(), LONGEST_GROUP_TEXT)

/** The body that creates a group. */
export const CreateRequest = component(
  'ChatCreateConversationRequest',
  closed({
    action_signatures: optional(ActionSignatures),
    base64_encoded_key_rotation: optional(ownBound(Type.String(), 131_072)),
    conversation_id: ownBound(Type.String(), 100),
    conversation_key_version: KeyVersion,
    conversation_participant_keys: ParticipantKeys,
    group_admins: optional(UserIds),
    group_avatar_url: optional(GroupText),
    group_description: optional(GroupText),
    group_members: UserIds,
    group_name: optional(GroupText),
    ttl_msec: optional(ownBound(Type.String(), 19)),
  }),
)
export type CreateGroupRequest = Static<typeof CreateRequest>

/** The body that adds members to a group. */
export const AddRequest = component(
  'ChatAddGroupMembersRequest',
  closed({
    action_signatures: optional(ActionSignatures),
    conversation_key_version: optional(KeyVersion),
    conversation_participant_keys: optional(ParticipantKeys),
    encrypted_avatar_url: optional(GroupText),
    encrypted_title: optional(GroupText),
    user_ids: UserIds,
  }),
)
export type AddMembersRequest = Static<typeof AddRequest>
