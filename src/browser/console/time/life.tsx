import { useEffect } from 'preact/hooks'
import type { liveShow } from '../../../control/population/life-commands.ts'
import type { stateShow } from '../../../control/world/state-command.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { Facts } from '../kit/detail.tsx'
import { Form, Select, TextField } from '../kit/fields.tsx'
import { countOf, manyOf, momentOf } from '../kit/format.ts'
import { listen } from '../kit/live.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { attempt, say } from '../kit/toast.tsx'

type LifeState = ResultOf<typeof liveShow>

const OVER = ['ended', 'stopped', 'failed']

/** The last life; null before the first. */
const readLife = async (): Promise<LifeState | null> =>
  (await command<typeof stateShow>('state.show', { days: 1 })).life

/** A population that lives on this server: how far it is, with buttons to start and stop it. */
export function Life(props: { changed: () => Promise<void> }) {
  const loaded = useLoaded(readLife)
  const isLiving = loaded.value !== undefined && loaded.value !== null && !OVER.includes(loaded.value.state)
  useEffect(() => listen('life', (lives) => loaded.set(lives.at(-1)!)), [])
  useEffect(() => {
    // The clock has moved when it is over.
    if (isLiving) return () => void props.changed()
  }, [isLiving])
  const start = async (fields: Record<string, string>) => {
    await command('live.start', {
      personas: Number(fields.personas || 1_000),
      for: fields.for || '1d',
      speed: fields.speed === 'max' ? 'max' : Number(fields.speed),
    })
    say('The population lives.')
    await loaded.reload()
  }
  const stop = async () => {
    await attempt('The population has stopped.', () => command('live.stop'))
    await loaded.reload()
  }
  return (
    <section class="card">
      <h2>Population</h2>
      <Show loaded={loaded}>
        {(life) => (
          <>
            {life === null ? (
              <p class="soft small">
                Personas look at their home timelines and do what people do, while the clock follows.
              </p>
            ) : (
              <Shown life={life} isLiving={isLiving} />
            )}
            {isLiving ? (
              <div class="actions">
                <button type="button" class="button" onClick={stop}>
                  Stop
                </button>
              </div>
            ) : (
              <Form action="Start" send={start}>
                <TextField label="Personas" name="personas" type="number" placeholder="1000" min={2} max={1_000_000} />
                <TextField label="For" name="for" placeholder="1d" maxLength={50} />
                <Select
                  label="Speed"
                  name="speed"
                  value="60"
                  options={[
                    ['1', 'as fast as time'],
                    ['60', '60 times'],
                    ['600', '600 times'],
                    ['max', 'as fast as can be'],
                  ]}
                />
              </Form>
            )}
          </>
        )}
      </Show>
    </section>
  )
}

function Shown(props: { life: LifeState; isLiving: boolean }) {
  const { life } = props
  const tone = props.isLiving ? 'good' : life.state === 'failed' ? 'bad' : ''
  const actions = Object.values(life.actions).reduce((sum, count) => sum + count, 0)
  return (
    <Facts
      facts={[
        [
          'State',
          <>
            <span class={`badge ${tone}`}>{life.state}</span> {life.reason}
          </>,
        ],
        ['Time', `${momentOf(life.at)}, until ${momentOf(life.ends_at)}`],
        ['Personas', countOf(life.personas)],
        ['Looks', countOf(life.looks)],
        ['Actions', countOf(actions)],
        ['Ads', `${manyOf(life.ads.impressions, 'impression')}, ${manyOf(life.ads.engagements, 'engagement')}`],
      ]}
    />
  )
}
