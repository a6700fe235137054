import type { clockCommand } from '../../../control/clock/clock-command.ts'
import { command, get } from '../kit/client.ts'
import { Facts } from '../kit/detail.tsx'
import { momentOf, msOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { href } from '../kit/router.ts'
import { attempt } from '../kit/toast.tsx'

interface Fault {
  id: string
  match?: string
  target: string
  used: number
  times?: number
  active: boolean
}

const readState = async () => {
  const [health, clock, { faults }] = await Promise.all([
    get<{ status: string; database_ms: number }>('/health'),
    command<typeof clockCommand>('clock'),
    command<{ types?: { args: Record<string, never>; result: { faults: Fault[] } } }>('fault.list'),
  ])
  return { health, clock, faults: faults.filter((fault) => fault.active) }
}

/** Health, clock and what fails on purpose. */
export function State() {
  const loaded = useLoaded(readState)
  const clear = async () => {
    await attempt('Nothing fails on purpose any more.', () => command('fault.clear'))
    await loaded.reload()
  }
  return (
    <section class="card">
      <h2>State</h2>
      <Show loaded={loaded}>
        {({ health, clock, faults }) => (
          <>
            <Facts
              facts={[
                [
                  'Health',
                  <span key="health">
                    <span class={`badge ${health.status === 'ok' ? 'good' : 'bad'}`}>{health.status}</span> the database
                    answers in {msOf(health.database_ms)}
                  </span>,
                ],
                [
                  'Clock',
                  <span key="clock">
                    {momentOf(clock.now)} UTC{clock.frozen ? ', stands still' : ''} ·{' '}
                    <a href={href('time')}>change it</a>
                  </span>,
                ],
                ['Faults', faults.length === 0 ? 'none' : undefined],
              ]}
            />
            {faults.length > 0 && (
              <>
                <h3>What fails on purpose</h3>
                <ul class="plain-list">
                  {faults.map((fault) => (
                    <li key={fault.id}>
                      <code>{fault.match ?? 'deliveries to webhooks'}</code>{' '}
                      <span class="soft small">
                        {fault.used}
                        {fault.times === undefined ? '' : ` of ${fault.times}`} used
                      </span>
                    </li>
                  ))}
                </ul>
                <button type="button" class="button small" onClick={clear}>
                  Clear all
                </button>
              </>
            )}
          </>
        )}
      </Show>
    </section>
  )
}
