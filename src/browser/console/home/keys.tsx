import type { Credentials } from '../../../process/credentials.ts'
import { Copy, Secret } from '../kit/copy.tsx'
import { Facts } from '../kit/detail.tsx'

const secret = (value: string | undefined, what: string) =>
  value === undefined ? undefined : <Secret key={what} value={value} what={what} />

const plain = (value: string | undefined, what: string) =>
  value === undefined ? undefined : (
    <span key={what} class="secret">
      <code>{value}</code>
      <Copy text={value} what={what} />
    </span>
  )

/** Apps and users with their keys, which are hidden until they are clicked. */
export function Keys(props: { credentials: Credentials }) {
  const { apps, users } = props.credentials
  return (
    <section class="card">
      <h2>Apps and keys</h2>
      {apps.map((app, index) => (
        <details key={app.api_key} open={index === 0}>
          <summary>
            <bdi>{app.name}</bdi> <span class="badge">{app.tier}</span>
          </summary>
          <Facts
            facts={[
              ['API key', plain(app.api_key, `API key of ${app.name}`)],
              ['API key secret', secret(app.api_key_secret, `API key secret of ${app.name}`)],
              ['Bearer token', secret(app.bearer_token, `bearer token of ${app.name}`)],
              ['Client id', plain(app.client_id, `client id of ${app.name}`)],
              ['Client secret', secret(app.client_secret, `client secret of ${app.name}`)],
              ['Callbacks', app.callback_urls.join(' ') || 'none'],
              ['Owner', `@${app.owner}`],
            ]}
          />
        </details>
      ))}
      <h3>Users</h3>
      {users.map((user) => (
        <details key={user.id}>
          <summary>@{user.username}</summary>
          <Facts
            facts={[
              ['Id', plain(user.id, `id of ${user.username}`)],
              ['Password', secret(user.password, `password of ${user.username}`)],
              ['Access token', secret(user.access_token, `access token of ${user.username}`)],
              ['Access token secret', secret(user.access_token_secret, `access token secret of ${user.username}`)],
              ['OAuth 2.0 token', secret(user.oauth2_access_token, `OAuth 2.0 token of ${user.username}`)],
            ]}
          />
        </details>
      ))}
    </section>
  )
}
