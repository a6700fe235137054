import type {
  webhookChallenge,
  webhookShow,
  webhooksList,
  webhooksRefused,
} from '../../../control/listeners/webhook-commands.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { Detail, Facts } from '../kit/detail.tsx'
import { momentOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { go, href, path, query } from '../kit/router.ts'
import { Table } from '../kit/table.tsx'
import { attempt, say } from '../kit/toast.tsx'
import { Transcript } from './challenge.tsx'

type Webhook = ResultOf<typeof webhooksList>['webhooks'][number]

const Valid = (props: { isValid: boolean }) => (
  <span class={`badge ${props.isValid ? 'good' : 'bad'}`}>{props.isValid ? 'valid' : 'not valid'}</span>
)

const gets = (row: Webhook): string =>
  [
    row.activity_subscriptions > 0 && `${row.activity_subscriptions} subscriptions`,
    row.account_activity_users > 0 && `activity of ${row.account_activity_users} users`,
    row.stream_link !== null && 'posts that match rules',
  ]
    .filter(Boolean)
    .join(', ') || 'nothing'

/** The webhooks of all apps, and the registrations that a challenge refused. */
export function Webhooks() {
  const after = query.value.get('after') ?? undefined
  const list = useLoaded(
    () => command<typeof webhooksList>('webhooks.list', after === undefined ? {} : { after }),
    [after],
  )
  const refused = useLoaded(() => command<typeof webhooksRefused>('webhooks.refused', { limit: 20 }))
  const opened = path.value[2]
  return (
    <div class="split">
      <div>
        <Show loaded={list}>
          {({ webhooks, next }) => (
            <>
              <Table
                label="Webhooks"
                rows={webhooks}
                keyOf={(row) => row.id}
                opened={opened}
                open={(row) => go(href('deliveries', 'webhooks', row.id))}
                toneOf={(row) => (row.valid ? undefined : 'bad')}
                empty={
                  <>
                    No app has registered a webhook. <code>POST /2/webhooks</code> registers one.
                  </>
                }
                columns={[
                  { title: 'State', show: (row) => <Valid isValid={row.valid} /> },
                  { title: 'App', show: (row) => <bdi>{row.app}</bdi> },
                  { title: 'Address', show: (row) => row.url, isWide: true },
                  { title: 'Gets', show: gets, isExtra: true },
                  { title: 'Waiting', show: (row) => row.pending, isNumber: true, isExtra: true },
                ]}
              />
              {next && (
                <p>
                  <a href={href('deliveries', 'webhooks', { after: next })}>More webhooks</a>
                </p>
              )}
            </>
          )}
        </Show>
        <Show loaded={refused}>
          {({ challenges }) =>
            challenges.length > 0 && (
              <section class="card refused">
                <h2>Registrations that were refused</h2>
                {challenges.map((challenge) => (
                  <div key={challenge.id}>
                    <h3>
                      {challenge.url}{' '}
                      <span class="soft">
                        of <bdi>{challenge.app}</bdi>
                      </span>
                    </h3>
                    <Transcript challenge={challenge} />
                  </div>
                ))}
              </section>
            )
          }
        </Show>
      </div>
      {opened && <WebhookDetail key={opened} id={opened} changed={list.reload} />}
    </div>
  )
}

function WebhookDetail(props: { id: string; changed: () => Promise<void> }) {
  const { id } = props
  const loaded = useLoaded(() => command<typeof webhookShow>('webhook.show', { id }), [id])
  const challenge = async () => {
    const result = await attempt(undefined, () => command<typeof webhookChallenge>('webhook.challenge', { id }))
    if (!result) return
    const isPassed = result.challenge?.passed === true
    say(isPassed ? 'The webhook passed the challenge.' : 'The webhook failed the challenge.', { isBad: !isPassed })
    await Promise.all([loaded.reload(), props.changed()])
  }
  return (
    <Detail title="Webhook" close={() => go(href('deliveries', 'webhooks'))}>
      <Show loaded={loaded}>
        {(item) => (
          <>
            <Facts
              facts={[
                ['State', <Valid isValid={item.valid} />],
                ['Address', item.url],
                ['App', <bdi>{item.app}</bdi>],
                ['Id', item.id],
                ['Registered', momentOf(item.created_at)],
                ['Last success', item.last_success_at && momentOf(item.last_success_at)],
                ['Last failure', item.last_failure],
                ['Naming', item.naming],
                ['Waiting', String(item.pending)],
                ['Rule matches', item.stream_link === null ? undefined : item.stream_link || 'with the default fields'],
              ]}
            />
            <div class="actions">
              <button type="button" class="button first" onClick={challenge}>
                Challenge now
              </button>
              <a class="button" href={href('deliveries', { webhook: item.id })}>
                Its deliveries
              </a>
            </div>
            {item.subscriptions.length > 0 && (
              <>
                <h3>Activity subscriptions</h3>
                <ul class="plain">
                  {item.subscriptions.map((one) => (
                    <li key={one.id}>
                      <code>{one.event_type}</code> <span class="soft mono">{JSON.stringify(one.filter)}</span>
                    </li>
                  ))}
                </ul>
              </>
            )}
            {item.users.length > 0 && (
              <>
                <h3>Account activity</h3>
                <p>{item.users.map((user) => `@${user.username}`).join(', ')}</p>
              </>
            )}
            {item.replays.length > 0 && (
              <>
                <h3>Replays</h3>
                <ul class="plain">
                  {item.replays.map((one) => (
                    <li key={one.id}>
                      {one.state}: {momentOf(one.from_at)} to {momentOf(one.to_at)}
                    </li>
                  ))}
                </ul>
              </>
            )}
            <h3>Challenges</h3>
            {item.challenges.length === 0 && <p class="soft">It was not challenged.</p>}
            {item.challenges.map((one) => (
              <Transcript key={one.id} challenge={one} />
            ))}
          </>
        )}
      </Show>
    </Detail>
  )
}
