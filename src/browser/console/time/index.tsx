import './time.css'
import type { stateShow } from '../../../control/world/state-command.ts'
import { command } from '../kit/client.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { query } from '../kit/router.ts'
import { useNews } from '../kit/soon.ts'
import { Clock } from './clock.tsx'
import { Faults } from './faults.tsx'
import { Life } from './life.tsx'
import { Snapshots } from './snapshots.tsx'
import { Usage } from './usage.tsx'
import { WorldActions } from './world-actions.tsx'

/** The clock, copies of the world, faults, the population, and what was used and spent. */
export function TimePage() {
  const days = Number(query.value.get('days') ?? 14)
  const loaded = useLoaded(() => command<typeof stateShow>('state.show', { days }), [days])
  // Requests use faults and cost something.
  useNews(['requests'], loaded.reload)
  return (
    <div class="timepage">
      <h1>Time and state</h1>
      <Show loaded={loaded}>
        {(state) => (
          <>
            <div class="grid">
              <Clock clock={state.clock} changed={loaded.reload} />
              <Snapshots snapshots={state.snapshots} changed={loaded.reload} />
            </div>
            <Faults faults={state.faults} failures={state.failures} changed={loaded.reload} />
            <Life changed={loaded.reload} />
            <Usage usage={state.usage} days={days} />
            <WorldActions changed={loaded.reload} />
          </>
        )}
      </Show>
    </div>
  )
}
