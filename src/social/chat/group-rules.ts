import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { conflict, invalidParameter, invalidRequest } from '../../api-kit/writing/problems.ts'
import type { Db } from '../../storage/database.ts'
import type { OwnConversation } from './conversation.statements.ts'
import type { AddMembersRequest, CreateGroupRequest } from './group.schemas.ts'
import { MOST_MEMBERS } from './key-changes.ts'
import { newestKeyVersions } from './keys/public-key.statements.ts'
import { reachableUsers } from './reachable-users.ts'
import type { GroupCreate, MemberAdd } from './wire/details.ts'

const TOO_MANY = 'Too many members: adding these members would exceed the allowed group size.'
const CANNOT_ADD = 'Cannot add all members: one or more of the requested members cannot be added to this conversation.'

/** Checks that a signed creation is what the body describes. Returns the group as it will be. */
export function checkNewGroup(detail: GroupCreate, body: CreateGroupRequest, callerId: string) {
  const members = body.group_members
  checkDistinct('group_members', members)
  if (members.length > MOST_MEMBERS) throw invalidParameter('group_members', undefined, TOO_MANY)
  if (!members.includes(callerId))
    throw invalidParameter('group_members', undefined, `group_members must include the caller, [${callerId}].`)
  checkSameIds('group_members', members, detail.members)
  const admins = body.group_admins ?? (detail.admins.length > 0 ? detail.admins : [callerId])
  checkDistinct('group_admins', admins)
  const stranger = admins.find((id) => !members.includes(id))
  if (stranger !== undefined || admins.length === 0)
    throw invalidParameter('group_admins', stranger, 'group_admins must be members of the group, at least one of them.')
  if (detail.admins.length > 0) checkSameIds('group_admins', admins, detail.admins)
  checkVersion(detail.keyVersion, body.conversation_key_version)
  checkText('group_name', body.group_name, detail.title)
  checkText('group_avatar_url', body.group_avatar_url, detail.avatar)
  if (body.ttl_msec !== undefined && !/^[1-9][0-9]{0,11}$/.test(body.ttl_msec))
    throw invalidParameter(
      'ttl_msec',
      body.ttl_msec,
      'ttl_msec must be a number of milliseconds from 1 to 999999999999.',
    )
  if (detail.ttlMs !== undefined && !/^[1-9][0-9]{0,11}$/.test(detail.ttlMs))
    throw invalidParameter('ttl_msec', detail.ttlMs, 'The ttl of the signed creation must be from 1 to 999999999999.')
  checkText('ttl_msec', body.ttl_msec, detail.ttlMs)
  return { members, admins, ttlMs: body.ttl_msec ?? detail.ttlMs }
}

/** Checks that a signed addition is what the body describes, and that its author knew the group as it is. */
export function checkAddition(
  detail: MemberAdd,
  body: AddMembersRequest,
  group: OwnConversation,
  members: readonly { user_id: string; is_admin: boolean }[],
): void {
  checkDistinct('user_ids', body.user_ids)
  checkSameIds('user_ids', body.user_ids, detail.added)
  checkVersion(detail.keyVersion, body.conversation_key_version)
  const current = members.map((member) => member.user_id)
  const admins = members.filter((member) => member.is_admin).map((member) => member.user_id)
  if (!sameIds(current, detail.members) || !sameIds(admins, detail.admins))
    throw conflict(
      `The signed addition has other members or admins than the group: members are [${current.slice(0, 20).join(', ')}], admins [${admins.slice(0, 20).join(', ')}].`,
    )
  if (current.length + body.user_ids.length > MOST_MEMBERS) throw invalidParameter('user_ids', undefined, TOO_MANY)
  if (body.user_ids.some((id) => current.includes(id)))
    throw invalidRequest([
      { parameters: { user_ids: body.user_ids.filter((id) => current.includes(id)) }, message: CANNOT_ADD },
    ])
  checkKnown('title', detail.title, [group.group_name, body.encrypted_title])
  checkKnown('avatar', detail.avatar, [group.group_avatar_url, body.encrypted_avatar_url])
  checkKnown('ttl', detail.ttlMs, [group.ttl_msec])
  checkComma('encrypted_title', body.encrypted_title)
  checkComma('encrypted_avatar_url', body.encrypted_avatar_url)
}

/** Refuses users who cannot become members: unknown, suspended, blocked, unwilling or without a public key. */
export async function checkNewMembers(
  context: ReadContext,
  db: Db,
  callerId: string,
  ids: readonly string[],
  parameter: string,
): Promise<void> {
  if (ids.length === 0) throw invalidParameter(parameter, undefined, `${parameter} must name at least one user.`)
  const reachable = await reachableUsers(context, callerId, ids)
  const withKeys = new Set((await newestKeyVersions.all(db, [...reachable])).map((row) => row.user_id))
  const refused = ids.filter((id) => !withKeys.has(id))
  if (refused.length > 0) throw invalidRequest([{ parameters: { [parameter]: refused }, message: CANNOT_ADD }])
}

function checkDistinct(parameter: string, ids: readonly string[]): void {
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
  if (repeated !== undefined)
    throw invalidParameter(parameter, repeated, `${parameter} names the user [${repeated}] more than once.`)
}

const sameIds = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && new Set([...left, ...right]).size === left.length

function checkSameIds(parameter: string, given: readonly string[], signed: readonly string[]): void {
  if (sameIds(given, signed)) return
  throw invalidParameter(
    parameter,
    undefined,
    `${parameter} must be the users of the signed change, [${signed.slice(0, 20).join(', ')}].`,
  )
}

function checkVersion(signed: string, given: string | undefined): void {
  if (signed === given) return
  throw invalidParameter(
    'conversation_key_version',
    given?.slice(0, 30),
    `conversation_key_version must be the version of the signed group change, [${signed}].`,
  )
}

/** A text of the body must be the signed one; some clients sign none. */
function checkText(parameter: string, given: string | undefined, signed: string | undefined): void {
  checkComma(parameter, given)
  if (given === undefined || signed === undefined || given === signed) return
  throw invalidParameter(parameter, given.slice(0, 60), `${parameter} must be the same as in the signed group change.`)
}

// Later changes of the group sign its name, and the parts of what is signed are joined with commas.
function checkComma(parameter: string, text: string | undefined): void {
  if (text?.includes(','))
    throw invalidParameter(parameter, text.slice(0, 60), `${parameter} cannot contain a comma, which cannot be signed.`)
}

function checkKnown(what: string, signed: string | undefined, known: readonly (string | null | undefined)[]): void {
  const stored = known.filter((text) => text !== null && text !== undefined)
  if (signed === undefined || stored.length === 0 || stored.includes(signed)) return
  throw conflict(`The signed addition has another ${what} than the group.`)
}
