import type { deliveryRepeatCommand, deliveryShowCommand } from '../../../control/deliveries.ts'
import { command } from '../kit/client.ts'
import { Code } from '../kit/copy.tsx'
import { Detail, Facts } from '../kit/detail.tsx'
import { bytesOf, momentOf, msOf, prettyJson } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { go, href } from '../kit/router.ts'
import { attempt } from '../kit/toast.tsx'
import { State } from './state.tsx'

/** One delivery: what was sent, how each attempt went, and its signature. */
export function DeliveryDetail(props: { id: string; version: number; close: () => void }) {
  const { id } = props
  const loaded = useLoaded(() => command<typeof deliveryShowCommand>('delivery.show', { id }), [id, props.version])
  const repeat = async () => {
    const made = await attempt('The delivery was planned again.', () =>
      command<typeof deliveryRepeatCommand>('delivery.repeat', { id }),
    )
    if (made) go(href('deliveries', made.id))
  }
  const fail = (webhook: string) =>
    attempt('The next attempt to this webhook fails with 503.', () =>
      command('delivery.fail_next', { webhook_id: webhook, status: 503 }),
    )
  return (
    <Detail title={`Delivery ${id}`} close={props.close}>
      <Show loaded={loaded}>
        {(item) => (
          <>
            <Facts
              facts={[
                ['State', <State state={item.state} />],
                ['Event', item.event_type ?? item.kind],
                ['App', <bdi>{item.app}</bdi>],
                [
                  'Webhook',
                  <a href={href('deliveries', 'webhooks', item.webhook_id)}>{item.url ?? item.webhook_id}</a>,
                ],
                ['Planned', momentOf(item.created_at)],
                ['Next attempt', item.next_attempt_at && momentOf(item.next_attempt_at)],
                ['Sequence', item.event_place],
                ['Replay job', item.replay_job_id],
              ]}
            />
            {item.webhook_valid === false && (
              <p class="alert">The webhook is not valid: it gets nothing until it passes a challenge.</p>
            )}
            <div class="actions">
              <button type="button" class="button first" onClick={repeat} disabled={item.request.text === ''}>
                Send again
              </button>
              <button type="button" class="button" onClick={() => fail(item.webhook_id)}>
                Fail the next attempt
              </button>
            </div>
            <h3>Attempts</h3>
            {item.record.length === 0 && <p class="soft">No attempt yet.</p>}
            <ol class="attempts">
              {item.record.map((one, at) => (
                <li key={at}>
                  <span class={`badge ${one.status && one.status < 300 ? 'good' : 'bad'}`}>
                    {one.status ?? 'no answer'}
                  </span>{' '}
                  {one.at && momentOf(one.at)} <span class="soft">{msOf(one.ms)}</span>
                  {one.fault && <span class="badge">fault {one.fault}</span>}
                  {one.error && <p class="small">{one.error}</p>}
                  {one.answer && <Code text={one.answer} what={`Answer to attempt ${at + 1}`} />}
                </li>
              ))}
            </ol>
            {item.request.headers && (
              <>
                <h3>Signature</h3>
                <p class="small soft">
                  The HMAC-SHA256 of the body with the present API key secret of the app, in base 64. A receiver
                  computes the same.
                </p>
                <Code
                  what="Headers"
                  text={Object.entries(item.request.headers)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join('\n')}
                />
              </>
            )}
            <h3>Body{item.request.bytes > 0 && `, ${bytesOf(item.request.bytes)}`}</h3>
            {item.request.text === '' ? (
              <p class="soft">Withheld deliveries have no body.</p>
            ) : (
              <Code text={prettyJson(item.request.text)} what="Body" />
            )}
          </>
        )}
      </Show>
    </Detail>
  )
}
