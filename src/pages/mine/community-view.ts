/** A community as version 2 shows one. */
export interface CommunityView {
  id: string
  name: string
  description?: string
  access?: string
  join_policy?: string
  member_count?: number
}
