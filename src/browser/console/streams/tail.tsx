import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { streamMatches } from '../../../control/listeners/matches-command.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { Select } from '../kit/fields.tsx'
import { momentOf } from '../kit/format.ts'
import { query, setQuery } from '../kit/router.ts'
import { useNews } from '../kit/soon.ts'
import { attempt } from '../kit/toast.tsx'

type Match = ResultOf<typeof streamMatches>['matches'][number]
const KEPT = 100

/** The posts that match the rules of an app, as they are written. */
export function Tail(props: { apps: [id: string, name: string][] }) {
  const app = query.value.get('tail') ?? props.apps[0]?.[0]
  const matches = useSignal<Match[]>([])
  const after = useRef<string | undefined>(undefined)
  const isReading = useRef(false)
  const read = async () => {
    if (app === undefined || isReading.current) return
    isReading.current = true
    try {
      for (let hasMore = true; hasMore; ) {
        const asked = after.current === undefined ? { app } : { app, after: after.current }
        const answer = await attempt(undefined, () => command<typeof streamMatches>('streams.matches', asked))
        if (!answer) return
        // The log has begun again.
        if (after.current !== undefined && BigInt(answer.last) < BigInt(after.current)) matches.value = []
        after.current = answer.last
        hasMore = answer.has_more
        if (answer.matches.length > 0) matches.value = [...answer.matches.reverse(), ...matches.value].slice(0, KEPT)
      }
    } finally {
      isReading.current = false
    }
  }
  useEffect(() => {
    after.current = undefined
    matches.value = []
    void read()
  }, [app])
  useNews(['events'], read)
  return (
    <section class="card">
      <div class="bar">
        <h2>Live tail</h2>
        <Select
          label="Rules of"
          name="tail"
          value={app}
          options={props.apps}
          onValue={(value) => setQuery('tail', value)}
        />
      </div>
      {matches.value.length === 0 ? (
        <div class="empty">
          No recent post matches the rules of this app. Matching posts appear here as they are written.
        </div>
      ) : (
        <ul class="tail" aria-label="Matching posts">
          {matches.value.map((match) => (
            <li key={match.sequence}>
              <p class="small soft">
                <span class="mono">{momentOf(match.happened_at)}</span> @{match.author}{' '}
                <span class="mono">
                  {match.event_type}, rules {match.rule_ids.join(', ')}
                </span>
              </p>
              <p>
                <bdi>{match.text}</bdi>
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
