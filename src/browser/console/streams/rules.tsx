import type { streamsRules } from '../../../control/listeners/stream-commands.ts'
import { command } from '../kit/client.ts'
import { countOf, momentOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { href, query } from '../kit/router.ts'
import { useNews } from '../kit/soon.ts'
import { Table } from '../kit/table.tsx'

/** The rules of apps, each with the number of posts that it has matched. */
export function Rules() {
  const app = query.value.get('app') ?? ''
  const after = query.value.get('after') ?? ''
  const asked = { ...(app === '' ? {} : { app }), ...(after === '' ? {} : { after }) }
  const loaded = useLoaded(() => command<typeof streamsRules>('streams.rules', asked), [app, after])
  useNews(['events'], loaded.reload)
  return (
    <section class="card">
      <h2>Rules</h2>
      <p class="soft small">A post counts while its app has an open stream or a webhook that is linked to its rules.</p>
      <Show loaded={loaded}>
        {({ rules, next }) => (
          <>
            <Table
              label="Rules"
              rows={rules}
              keyOf={(row) => row.id}
              empty="There are no rules."
              columns={[
                { title: 'App', show: (row) => <bdi>{row.app}</bdi>, isExtra: true },
                { title: 'Rule', show: (row) => <bdi>{row.value}</bdi>, isMono: true, isWide: true },
                { title: 'Tag', show: (row) => <bdi>{row.tag}</bdi>, isExtra: true },
                { title: 'Since', show: (row) => momentOf(row.created_at), isMono: true, isExtra: true },
                { title: 'Matches', show: (row) => countOf(row.matches), isNumber: true },
                {
                  title: 'Last',
                  show: (row) => row.last_match_at && momentOf(row.last_match_at),
                  isMono: true,
                  isExtra: true,
                },
              ]}
            />
            {next && (
              <p>
                <a href={href('streams', { app, after: next })}>More rules</a>
              </p>
            )}
          </>
        )}
      </Show>
    </section>
  )
}
