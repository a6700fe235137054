import type { ReadContext } from '../api-kit/reading/read-context.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { LEGACY_TEXT_MODE } from '../legacy-words.ts'
import { isStorableId } from '../process/ids.ts'
import { postRow } from '../social/posts/post.parts.ts'
import { relation, type UserRow, userEmail, userMetrics, usernamePart, userRow } from '../social/users/user.parts.ts'
import type { V1Object } from '../social/v1/v1-json.ts'
import { authorsOf, judgePosts } from '../social/visibility.ts'
import { composeProfile } from './compose-profile.ts'
import { composePost, readPostOptions } from './show-posts.ts'
import { defineV1Operation } from './v1-operation.ts'
import type { V1Params } from './v1-params.ts'
import { parametersMissing, userIsSuspended, userNotFound } from './v1-problems.ts'

const PARAMS = {
  include_entities: '`false` leaves out the entities',
  skip_status: 'Leaves out the latest post',
  [LEGACY_TEXT_MODE]: '`extended`: the whole text of the latest post, as `full_text`',
}

export const verifyCredentials = defineV1Operation({
  id: 'v1VerifyCredentials',
  route: 'GET /1.1/account/verify_credentials.json',
  tag: 'Users',
  summary: 'Check the credentials and get the user whose token they contain',
  limit: { user: '75/15m' },
  params: { ...PARAMS, include_email: 'Adds the confirmed e-mail address, or null' },
  handle: async ({ params, caller, runtime, context }) => {
    const { id } = caller.user!
    const row = await context.parts.one(userRow, id)
    if (!row) throw userNotFound()
    const email = params.flag('include_email') ? await context.parts.one(userEmail, id) : undefined
    return {
      body: {
        ...(await showUser(runtime, context, row, params)),
        suspended: false,
        needs_phone_verification: false,
        email: params.flag('include_email') ? (email?.email ?? null) : undefined,
      },
    }
  },
})

export const v1ShowUser = defineV1Operation({
  id: 'v1ShowUser',
  route: 'GET /1.1/users/show.json',
  tag: 'Users',
  summary: 'Look up a user by id or username',
  app: true,
  limit: { app: '900/15m', user: '900/15m' },
  params: { user_id: 'The id of the user', screen_name: 'The username; either is required', ...PARAMS },
  handle: async ({ params, runtime, context }) => {
    const row = await findUser(context, params)
    if (!row) throw userNotFound()
    if (row.suspended) throw userIsSuspended()
    return { body: await showUser(runtime, context, row, params) }
  },
})

async function findUser(context: ReadContext, params: V1Params): Promise<UserRow | undefined> {
  const id = params.text('user_id')
  const name = params.text('screen_name')
  if (id === undefined && name === undefined) throw parametersMissing('user_id or screen_name')
  const known = id ?? (await context.parts.one(usernamePart, name!.replace(/^@/, '').toLowerCase()))
  return known !== undefined && isStorableId(known) ? context.parts.one(userRow, known) : undefined
}

/** A user with the latest post that the caller may see. */
async function showUser(runtime: Runtime, context: ReadContext, row: UserRow, params: V1Params): Promise<V1Object> {
  const viewer = context.caller?.user?.id
  const isOther = viewer !== undefined && viewer !== row.id
  const [counts, known] = await Promise.all([
    context.parts.one(userMetrics, row.id),
    isOther ? context.parts.one(relation, `${viewer}:${row.id}`) : undefined,
  ])
  const options = readPostOptions(params)
  const profile = composeProfile(context.baseUrl, row, counts, known, options)
  const latest = counts?.most_recent_post_id
  const post = latest && !params.flag('skip_status') ? await context.parts.one(postRow, latest) : undefined
  if (!post) return profile
  const [hidden] = await judgePosts(context, [authorsOf(post)])
  if (hidden) return profile
  const { user: _user, ...status } = (await composePost(runtime, context, post, { ...options, trimUser: true })) ?? {}
  return { ...profile, status: status.id === undefined ? undefined : status }
}
