import { useEffect, useState } from 'preact/hooks'
import type { clockCommand } from '../../../control/clock/clock-command.ts'
import type { stateShow } from '../../../control/world/state-command.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { Facts } from '../kit/detail.tsx'
import { Form, TextField } from '../kit/fields.tsx'
import { attempt, say } from '../kit/toast.tsx'

type ClockState = ResultOf<typeof stateShow>['clock']
type Change = NonNullable<Parameters<typeof command<typeof clockCommand>>[1]>

const STEPS: [label: string, duration: string][] = [
  ['+1 min', '1m'],
  ['+1 h', '1h'],
  ['+1 day', '1d'],
]

/** How far the clock is from real time, in words. */
function offsetOf(ms: number): string {
  const rest = Math.round(Math.abs(ms) / 1_000)
  if (rest === 0) return 'real time'
  const parts = [
    [Math.floor(rest / 86_400), 'd'],
    [Math.floor(rest / 3_600) % 24, 'h'],
    [Math.floor(rest / 60) % 60, 'min'],
    [rest % 60, 's'],
  ].filter(([count]) => count !== 0)
  return `${parts.map(([count, unit]) => `${count} ${unit}`).join(' ')} ${ms > 0 ? 'ahead of' : 'behind'} real time`
}

/** Product time: moved forward, set, stopped. What falls due is done before the server answers. */
export function Clock(props: { clock: ClockState; changed: () => Promise<void> }) {
  const { clock } = props
  const [now, setNow] = useState(clock.now)
  useEffect(() => {
    setNow(clock.now)
    if (clock.frozen) return
    const from = Date.now() - Date.parse(clock.now)
    const timer = setInterval(() => setNow(new Date(Date.now() - from).toISOString()), 1_000)
    return () => clearInterval(timer)
  }, [clock.now, clock.frozen])
  const change = async (given: Change) => {
    const result = await command<typeof clockCommand>('clock', given)
    if (result.unfinished) say(`Not done in time: ${result.unfinished.join(', ')}`, { isBad: true })
    await props.changed()
  }
  const press = (done: string, given: Change) => () => attempt(done, () => change(given))
  return (
    <section class="card">
      <h2>Clock</h2>
      <p class="clock">
        <time dateTime={now}>
          {now.slice(0, 10)} <span>{now.slice(11, 19)}</span>
        </time>{' '}
        <span class="soft small">UTC</span>
      </p>
      <Facts
        facts={[
          [
            'State',
            <span class={`badge ${clock.frozen ? 'bad' : 'good'}`}>{clock.frozen ? 'frozen' : 'running'}</span>,
          ],
          ['Offset', offsetOf(clock.offset_ms)],
          ['Mode', clock.deterministic ? 'deterministic' : undefined],
        ]}
      />
      <div class="actions">
        {STEPS.map(([label, advance]) => (
          <button key={advance} type="button" class="button" onClick={press(`Time moved: ${label}.`, { advance })}>
            {label}
          </button>
        ))}
        {clock.frozen ? (
          <button type="button" class="button" onClick={press('Time goes on.', { resume: true })}>
            Resume
          </button>
        ) : (
          <button type="button" class="button" onClick={press('Time stands still.', { freeze: true })}>
            Freeze
          </button>
        )}
        <button type="button" class="button" onClick={press('The clock has its first time again.', { reset: true })}>
          Reset the clock
        </button>
      </div>
      <Form action="Advance" send={(fields) => change({ advance: fields.advance ?? '' })}>
        <TextField label="Advance by" name="advance" placeholder="1d12h" isRequired maxLength={50} />
      </Form>
      <Form action="Set" send={(fields) => change({ set: `${fields.set}Z` })}>
        <TextField label="Set to (UTC)" name="set" type="datetime-local" isRequired />
      </Form>
    </section>
  )
}
