import { component, idSchema, Type } from '../api-kit/declaring/schema.ts'

export const PostId = idSchema('PostId')
export const UserId = idSchema('UserId')
export const PollId = idSchema('PollId')
export const CommunityId = idSchema('CommunityId')
export const ListId = idSchema('ListId')
export const MediaId = idSchema('MediaId')
export const PlaceId = component('PlaceId', Type.String())
export const UserName = component('UserName', Type.String({ pattern: '^[A-Za-z0-9_]{1,15}$' }))
export const MediaKey = component('MediaKey', Type.String({ pattern: '^([0-9]+)_([0-9]+)$' }))
export const CountryCode = component('CountryCode', Type.String({ pattern: '^[A-Z]{2}$' }))
