import type { userShowCommand } from '../../../control/inspect/user-inspection.ts'
import type { userListCommand } from '../../../control/user-commands.ts'
import { command } from '../kit/client.ts'
import { Secret } from '../kit/copy.tsx'
import { Detail, Facts } from '../kit/detail.tsx'
import { confirm } from '../kit/dialog.tsx'
import { Checkbox, Select, TextArea, TextField } from '../kit/fields.tsx'
import { countOf, momentOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { href, query, setQuery } from '../kit/router.ts'
import { act, acting, callAs, run, usePages } from './calls.ts'
import { Act, Badges, FormButton, Listing, ReportButton, type TabProps, Words } from './parts.tsx'

const SUBSCRIPTIONS = ['None', 'Basic', 'Premium', 'PremiumPlus']
const VERIFIED = ['none', 'blue', 'business', 'government']

function CreateUser(props: { done: (username: string) => void }) {
  return (
    <FormButton
      button="New user"
      title="New user"
      action="Create"
      isFirst
      send={async ({ username, name, password, protected: isProtected }) => {
        const made = await run<{ types?: { args: object; result: { username: string; password: string } } }>(
          'user.create',
          { username, name, password, protected: isProtected === 'on' },
        )
        props.done(made.username)
        return made
      }}
      result={(made: { username: string; password: string }) => (
        <Facts
          facts={[
            ['Username', <bdi>@{made.username}</bdi>],
            ['Password', <Secret value={made.password} what="password" />],
          ]}
        />
      )}
    >
      <TextField label="Username" name="username" isRequired maxLength={15} help="Letters, digits and _" />
      <TextField label="Name" name="name" maxLength={50} />
      <TextField label="Password" name="password" type="password" help="Generated when empty" />
      <Checkbox label="Protected" name="protected" />
    </FormButton>
  )
}

export function UsersTab({ id, search, open, close }: TabProps) {
  const state = query.value.get('state') ?? undefined
  const pages = usePages(
    async (after) => {
      const { users, next } = await run<typeof userListCommand>('user.list', {
        query: search,
        state: search ? undefined : state,
        after,
        limit: 50,
      })
      return { rows: users, next }
    },
    [search, state],
    ['user.'],
  )
  return (
    <>
      <div class="row">
        <Select
          label="State"
          name="state"
          value={state ?? ''}
          options={[['', 'All'], 'suspended', 'protected']}
          onValue={(value) => setQuery('state', value)}
        />
        <CreateUser done={() => void pages.reload()} />
      </div>
      <div class="split">
        <Listing
          label="Users"
          pages={pages}
          keyOf={(user) => user.username}
          open={(user) => open(user.username)}
          opened={id}
          toneOf={(user) => (user.suspended ? 'soft' : undefined)}
          empty="No user fits."
          columns={[
            { title: 'Username', show: (user) => <bdi>@{user.username}</bdi> },
            { title: 'Name', show: (user) => <Words>{user.name}</Words>, isWide: true },
            {
              title: 'State',
              show: (user) => <Badges bad={[user.suspended && 'suspended']} soft={[user.protected && 'protected']} />,
            },
            { title: 'Posts', show: (user) => countOf(user.post_count), isNumber: true, isExtra: true },
            { title: 'Followers', show: (user) => countOf(user.followers_count), isNumber: true, isExtra: true },
          ]}
        />
        {id !== undefined && <UserDetail key={id} username={id} close={close} changed={pages.reload} />}
      </div>
    </>
  )
}

function UserDetail(props: { username: string; close: () => void; changed: () => Promise<void> }) {
  const { username } = props
  const loaded = useLoaded(() => run<typeof userShowCommand>('user.show', { user: username }), [username])
  const reload = async () => {
    await Promise.all([loaded.reload(), props.changed()])
  }
  const update = (done: string, changes: object) =>
    act(done, () => command('user.update', { user: username, ...changes }), reload)
  return (
    <Detail title={<bdi>@{username}</bdi>} close={props.close}>
      <Show loaded={loaded}>
        {({ user, apps }) => (
          <>
            <div class="acts">
              <Act
                onClick={async () => {
                  const isSure =
                    user.suspended ||
                    (await confirm({
                      title: `Suspend @${username}?`,
                      words:
                        'Nobody sees the account or its posts, and its tokens stop working, until it is allowed again.',
                      action: 'Suspend',
                    }))
                  if (isSure)
                    await update(user.suspended ? 'No longer suspended.' : 'Suspended.', { suspended: !user.suspended })
                }}
              >
                {user.suspended ? 'End suspension' : 'Suspend'}
              </Act>
              <Act
                onClick={() =>
                  update(user.protected ? 'No longer protected.' : 'Protected.', { protected: !user.protected })
                }
              >
                {user.protected ? 'Unprotect' : 'Protect'}
              </Act>
              <FormButton
                button="Edit"
                title={`Edit @${username}`}
                action="Save"
                send={async (fields) => {
                  await command('user.update', { user: username, ...fields })
                  await reload()
                }}
              >
                <TextField label="Name" name="name" value={user.name} isRequired maxLength={50} />
                <TextArea label="Description" name="description" value={user.description} />
                <TextField label="Location" name="location" value={user.location} />
                <Select label="Verified" name="verified_type" value={user.verified_type} options={VERIFIED} />
                <Select
                  label="Subscription"
                  name="subscription_type"
                  value={user.subscription_type}
                  options={SUBSCRIPTIONS}
                />
              </FormButton>
              <Token username={username} />
            </div>
            {acting.value !== '' && acting.value !== username && (
              <Towards id={user.id} username={username} done={reload} />
            )}
            <ComposeAs username={username} done={reload} />
            <Facts
              facts={[
                ['Name', <Words>{user.name}</Words>],
                ['Description', user.description && <Words>{user.description}</Words>],
                ['Id', <code>{user.id}</code>],
                ['E-mail', user.email && <Secret value={user.email} what="e-mail address" />],
                ['Created', momentOf(user.created_at)],
                [
                  'State',
                  <Badges
                    bad={[user.suspended && 'suspended']}
                    soft={[
                      user.protected && 'protected',
                      user.verified_type !== 'none' && user.verified_type,
                      user.subscription_type !== 'None' && user.subscription_type,
                    ]}
                  />,
                ],
                ['Followers', `${countOf(user.followers_count)}, follows ${countOf(user.following_count)}`],
                ['Posts', <a href={href('world', 'posts', { user: username })}>{countOf(user.post_count)}</a>],
                ['Lists', <a href={href('world', 'lists', { user: username })}>Lists</a>],
                ['Messages', <a href={href('world', 'messages', { user: username })}>Conversations</a>],
                [
                  'Open reports',
                  user.open_reports > 0 && (
                    <a href={href('moderation', 'reports', { user: username })}>{countOf(user.open_reports)}</a>
                  ),
                ],
              ]}
            />
            <h3>Apps with access</h3>
            {apps.length === 0 && <p class="soft">None.</p>}
            <ul class="thread">
              {apps.map((app) => (
                <li key={`${app.app_id} ${app.kind}`}>
                  <p>
                    <Words>{app.app}</Words>{' '}
                    <span class="soft small">
                      {app.kind}, since {momentOf(app.since)}
                    </span>{' '}
                    <Act
                      label={`Revoke the access of ${app.app} (${app.kind})`}
                      onClick={() =>
                        act(
                          'The access is revoked.',
                          () => command('user.revoke', { user: username, app: app.app_id }),
                          reload,
                        )
                      }
                    >
                      Revoke
                    </Act>
                  </p>
                </li>
              ))}
            </ul>
          </>
        )}
      </Show>
    </Detail>
  )
}

/** What the acting user can do about another. */
function Towards(props: { id: string; username: string; done: () => Promise<void> }) {
  const me = acting.value
  return (
    <div class="acts">
      <Act
        onClick={() =>
          act(
            `@${me} follows @${props.username}, or has asked to.`,
            () => callAs(me, 'POST', '/2/users/{me}/following', { target_user_id: props.id }),
            props.done,
          )
        }
      >
        {`Follow as @${me}`}
      </Act>
      <Act
        onClick={() =>
          act(
            `@${me} does not follow @${props.username}.`,
            () => callAs(me, 'DELETE', `/2/users/{me}/following/${props.id}`),
            props.done,
          )
        }
      >
        Unfollow
      </Act>
      {(['block', 'mute'] as const).map((kind) => (
        <Act
          key={kind}
          onClick={() =>
            act(
              `Done: ${kind}.`,
              () => command('relation.add', { kind, source: me, target: props.username }),
              props.done,
            )
          }
        >
          {kind === 'block' ? 'Block' : 'Mute'}
        </Act>
      ))}
      <ReportButton kind="user" id={props.id} done={props.done} />
      <FormButton
        button="Message"
        title={`A message from @${me} to @${props.username}`}
        action="Send"
        send={({ text }) => callAs(me, 'POST', `/2/dm_conversations/with/${props.id}/messages`, { text })}
      >
        <TextArea label="Text" name="text" isRequired />
      </FormButton>
    </div>
  )
}

function ComposeAs(props: { username: string; done: () => Promise<void> }) {
  return (
    <div class="acts">
      <FormButton
        button={`Post as @${props.username}`}
        title={`A post of @${props.username}`}
        action="Post"
        send={async ({ text }) => {
          await callAs(props.username, 'POST', '/2/posts', { text })
          await props.done()
        }}
      >
        <TextArea label="Text" name="text" isRequired />
      </FormButton>
    </div>
  )
}

interface NewTokens {
  app: string
  access_token: string
  access_token_secret?: string
  refresh_token?: string
}

function Token(props: { username: string }) {
  return (
    <FormButton
      button="Token"
      title={`A token of @${props.username}`}
      action="Create"
      send={({ app, kind, scopes }) =>
        run<{ types?: { args: object; result: NewTokens } }>('user.token', {
          user: props.username,
          app,
          oauth2: kind === 'oauth2' || undefined,
          scopes: kind === 'oauth2' && scopes ? scopes.split(/[\s,]+/) : undefined,
        })
      }
      result={(made: NewTokens) => (
        <Facts
          facts={[
            ['App', <Words>{made.app}</Words>],
            ['Access token', <Secret value={made.access_token} what="access token" />],
            [
              'Access token secret',
              made.access_token_secret && <Secret value={made.access_token_secret} what="access token secret" />,
            ],
            ['Refresh token', made.refresh_token && <Secret value={made.refresh_token} what="refresh token" />],
          ]}
        />
      )}
    >
      <Select
        label="Kind"
        name="kind"
        value="oauth2"
        options={[
          ['oauth2', 'OAuth 2.0'],
          ['oauth1', 'OAuth 1.0a'],
        ]}
      />
      <TextField label="App" name="app" help="Name or id; the oldest when empty" />
      <TextField label="Scopes" name="scopes" help="For OAuth 2.0; all when empty" />
    </FormButton>
  )
}
