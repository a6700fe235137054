import { command } from '../kit/client.ts'
import { Facts } from '../kit/detail.tsx'
import { countOf, momentOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { useNews } from '../kit/soon.ts'
import { Table } from '../kit/table.tsx'
import type { Audience } from './shapes.ts'

interface FeedRun {
  started_at: string
  finished_at: string | null
  outcome: string | null
  problem: string | null
  created: number
  updated: number
  unchanged: number
  failed: number
  faults: unknown[]
}

interface Catalog {
  id: string
  name: string
  username: string
  products: number
  sets: number
  feeds: { id: string; feed_url: string; feed_format: string; frequency: string; last_run: FeedRun | null }[]
}

/** The audiences of an account, or the catalogs of its users with their feeds. */
export function Assets(props: { account: string; kind: 'audiences' | 'catalogs' }) {
  const { account } = props
  const loaded = useLoaded(
    () => command('ads.account.show', { account }) as Promise<{ audiences: Audience[]; catalogs: Catalog[] }>,
    [account],
  )
  useNews(['requests'], loaded.reload)
  return (
    <Show loaded={loaded}>
      {({ audiences, catalogs }) =>
        props.kind === 'audiences' ? <Audiences audiences={audiences} /> : <Catalogs catalogs={catalogs} />
      }
    </Show>
  )
}

function Audiences(props: { audiences: Audience[] }) {
  return (
    <Table
      label="Audiences"
      rows={props.audiences}
      keyOf={(row) => row.id}
      empty="The account has no audience."
      columns={[
        { title: 'Name', show: (row) => <bdi>{row.name}</bdi>, isWide: true },
        { title: 'Id', show: (row) => row.id, isMono: true, isExtra: true },
        { title: 'Type', show: (row) => row.audience_type, isMono: true, isExtra: true },
        {
          title: 'Size',
          show: (row) => (row.audience_size === null ? 'not counted' : countOf(row.audience_size)),
          isNumber: true,
        },
        {
          title: 'Targetable',
          show: (row) =>
            row.targetable ? (
              <span class="badge good">yes</span>
            ) : (
              <span class="reason">
                {row.reasons_not_targetable.join(', ').toLowerCase().replaceAll('_', ' ') || 'no'}
              </span>
            ),
        },
        { title: 'Access', show: (row) => (row.is_owner ? 'own' : row.permission_level), isExtra: true },
      ]}
    />
  )
}

function Catalogs(props: { catalogs: Catalog[] }) {
  if (props.catalogs.length === 0) return <div class="empty">The users of this account have no catalog.</div>
  return (
    <>
      {props.catalogs.map((catalog) => (
        <section key={catalog.id} class="card">
          <h2>
            <bdi>{catalog.name}</bdi>{' '}
            <span class="soft">
              of @{catalog.username}, {countOf(catalog.products)} products, {countOf(catalog.sets)} sets
            </span>
          </h2>
          {catalog.feeds.length === 0 && <p class="soft">No feed fills it.</p>}
          {catalog.feeds.map((feed) => (
            <div key={feed.id}>
              <h3>{feed.feed_url}</h3>
              <Facts
                facts={[
                  ['Format', `${feed.feed_format}, ${feed.frequency.toLowerCase()}`],
                  ['Last run', feed.last_run ? momentOf(feed.last_run.started_at) : 'not yet'],
                  ['Result', feed.last_run && <RunResult run={feed.last_run} />],
                ]}
              />
              {feed.last_run && feed.last_run.faults.length > 0 && (
                <ul class="small">
                  {feed.last_run.faults.map((fault, at) => (
                    <li key={at} class="mono">
                      {JSON.stringify(fault)}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          ))}
        </section>
      ))}
    </>
  )
}

function RunResult(props: { run: FeedRun }) {
  const { run } = props
  const tone = run.outcome === 'IMPORTED' ? 'good' : run.outcome === 'FAILED' ? 'bad' : ''
  return (
    <>
      <span class={`badge ${tone}`}>{(run.outcome ?? 'running').toLowerCase()}</span> {run.problem} {run.created}{' '}
      created, {run.updated} updated, {run.unchanged} unchanged, {run.failed} failed
    </>
  )
}
