import { closed } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import { statement } from '../../storage/statement.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'

const userShow = statement(
  'inspect_user',
  {
    id: 'int8',
    username: 'text',
    name: 'text',
    description: 'text',
    location: 'text',
    url: 'text',
    profile_image_url: 'text?',
    protected: 'bool',
    suspended: 'bool',
    verified_type: 'text',
    subscription_type: 'text',
    receives_messages_from_everyone: 'bool',
    withheld_countries: 'text[]',
    pinned_post_id: 'int8?',
    created_at: 'timestamptz',
    email: 'text?',
    followers_count: 'int4',
    following_count: 'int4',
    post_count: 'int4',
    like_count: 'int4',
    listed_count: 'int4',
    open_reports: 'int4',
  },
  `select u.id, u.username, u.name, u.description, u.location, u.url, u.profile_image_url, u.protected, u.suspended, u.verified_type,
          u.subscription_type, u.receives_messages_from_everyone, u.withheld_countries, u.pinned_post_id, u.created_at, s.email,
          coalesce(m.followers_count, 0) as followers_count, coalesce(m.following_count, 0) as following_count,
          coalesce(m.post_count, 0) as post_count, coalesce(m.like_count, 0) as like_count, coalesce(m.listed_count, 0) as listed_count,
          (select count(*)::int from (select from report r where r.owner_id = u.id and r.state = 'open' limit 1000) r) as open_reports
     from user_account u left join user_metrics m on m.user_id = u.id left join user_sign_in s on s.user_id = u.id where u.id = $1`,
)

const appsOfUser = statement(
  'inspect_apps_of_user',
  { app_id: 'int8', app: 'text', kind: 'text', access: 'text', since: 'timestamptz' },
  `select a.id as app_id, a.name as app, g.kind, g.access, g.since from (
     select app_id, 'OAuth 1.0a' as kind, access_level as access, created_at as since from oauth1_access_token where user_id = $1
     union all
     select * from (select distinct on (app_id) app_id, 'OAuth 2.0', array_to_string(scopes, ' '), created_at from oauth2_grant
       where user_id = $1 and not revoked order by app_id, id desc) newest) g
     join client_app a on a.id = g.app_id order by a.id, g.kind limit 100`,
)

/** Everything an operator wants to know about a user. */
async function showUser(runtime: Runtime, id: string) {
  const [row, apps] = await Promise.all([userShow.first(runtime.database, id), appsOfUser.all(runtime.database, id)])
  // The text of a profile is stored as the interface shows it; operators read and edit what was typed.
  return { user: { ...row!, description: unescapeMarkup(row!.description) }, apps }
}

export const userShowCommand = defineCommand('user.show', closed({ user: NameOrId }), async (runtime, args) => {
  const user = await findUser(runtime, args.user, 'user')
  return showUser(runtime, user.id)
})

/** The command that shows a user to an operator. */
export const userInspection: readonly Command[] = [userShowCommand]
