import type { adsStatistics } from '../../../control/ads/statistics-command.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { Facts } from '../kit/detail.tsx'
import { Select } from '../kit/fields.tsx'
import { countOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { go, href, query, setQuery } from '../kit/router.ts'
import { useNews } from '../kit/soon.ts'
import { Table } from '../kit/table.tsx'
import { Bars } from '../time/bars.tsx'
import { moneyOf, type TreeAnswer } from './shapes.ts'

type Answer = ResultOf<typeof adsStatistics>

const MEASURES = [
  ['impressions', 'Impressions'],
  ['engagements', 'Engagements'],
  ['billed_charge_local_micro', 'Spend'],
] as const
const DAYS = { hour: ['1', '2', '7'], day: ['7', '14', '30', '90'] }
const FIRST_DAYS = { hour: '1', day: '14' }

/** What an account, a campaign or a line item showed, what followed and what it cost. */
export function Statistics(props: { account: string }) {
  const { account } = props
  const by = query.value.get('by') === 'day' ? 'day' : 'hour'
  const days = query.value.get('days') ?? FIRST_DAYS[by]
  const campaign = query.value.get('campaign') ?? ''
  const item = query.value.get('item') ?? ''
  const asked = {
    account,
    by,
    days: Number(days),
    ...(item !== '' ? { line_item: item } : campaign !== '' ? { campaign } : {}),
  } as const
  const loaded = useLoaded(
    () => command<typeof adsStatistics>('ads.statistics', asked),
    [account, by, days, campaign, item],
  )
  const after = query.value.get('after') ?? ''
  const tree = useLoaded(
    () => command('ads.tree', { account, ...(after === '' ? {} : { after }) }) as Promise<TreeAnswer>,
    [account, after],
  )
  // People who look cause events and requests.
  useNews(['requests', 'events'], loaded.reload)
  const choose = (value: string) => {
    const [kind, id] = value.split(' ')
    // Another page of campaigns leaves what is shown as it is.
    const chosen =
      kind === 'after'
        ? { campaign, item, after: id }
        : { after, ...(kind === 'item' ? { item: id } : { campaign: id }) }
    go(href('advertising', 'statistics', { account, by, days, ...chosen }), { replace: true })
  }
  return (
    <>
      <div class="row">
        <Select
          label="Of"
          name="of"
          value={item !== '' ? `item ${item}` : campaign !== '' ? `campaign ${campaign}` : ''}
          options={choicesOf(tree.value, { campaign, item, after })}
          onValue={choose}
        />
        <Select
          label="By"
          name="by"
          value={by}
          options={[
            ['hour', 'Hour'],
            ['day', 'Day'],
          ]}
          onValue={(value) =>
            go(href('advertising', 'statistics', { account, campaign, item, after, by: value }), { replace: true })
          }
        />
        <Select label="Days" name="days" value={days} options={DAYS[by]} onValue={(value) => setQuery('days', value)} />
      </div>
      <Show loaded={loaded}>{(answer) => <Shown answer={answer} />}</Show>
    </>
  )
}

/** The account, a page of its campaigns and their line items, and the other pages. One that the address names is always among them. */
function choicesOf(
  tree: TreeAnswer | undefined,
  { campaign, item, after }: { campaign: string; item: string; after: string },
): [string, string][] {
  const found = (tree?.campaigns ?? []).flatMap((one): [string, string][] => [
    [`campaign ${one.id}`, one.name],
    ...one.line_items.map((line): [string, string] => [
      `item ${line.id}`,
      `${one.name}: ${line.name ?? `line item ${line.id}`}`,
    ]),
  ])
  const named = item !== '' ? `item ${item}` : campaign !== '' ? `campaign ${campaign}` : ''
  if (named !== '' && !found.some(([value]) => value === named)) found.push([named, named])
  if (after !== '') found.push(['after ', 'First campaigns'])
  if (tree?.next) found.push([`after ${tree.next}`, 'More campaigns'])
  return [['', 'The whole account'], ...found]
}

/** The time of a bar where the account is. */
const localOf = (iso: string, timeZone: string, by: 'hour' | 'day'): string =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    ...(by === 'hour' ? { timeStyle: 'short' } : {}),
  }).format(new Date(iso))

function Shown(props: { answer: Answer }) {
  const { answer } = props
  const { totals, currency, by } = answer
  const amount = (micros: number | null | undefined) =>
    micros === null || micros === undefined || currency === null
      ? undefined
      : moneyOf(Math.round(micros / 10_000) * 10_000, currency)
  const times = answer.series.map((slice) => localOf(slice.at, answer.timezone, by))
  const left = answer.budget_left_today_local_micro
  return (
    <>
      <section class="card totals">
        <h2>Totals</h2>
        <Facts
          facts={[
            ['Impressions', countOf(totals.impressions)],
            ['Reach', totals.reach === undefined ? undefined : `${countOf(totals.reach)} people`],
            [
              'Engagements',
              `${countOf(totals.engagements)}${totals.engagement_rate === null ? '' : ` (${(totals.engagement_rate * 100).toFixed(2)} %)`}`,
            ],
            ['Results', countOf(totals.billed_engagements)],
            ['Spend', amount(totals.billed_charge_local_micro) ?? 'in several currencies'],
            ['Cost per result', amount(totals.cost_per_result_local_micro)],
            ['Budget left today', left === null ? 'no limit' : amount(left)],
          ]}
        />
      </section>
      {totals.impressions === 0 ? (
        <div class="empty">Nothing was shown in this time.</div>
      ) : (
        <>
          {MEASURES.filter(([name]) => name !== 'billed_charge_local_micro' || currency !== null).map(
            ([name, title]) => {
              const isMoney = name === 'billed_charge_local_micro'
              const values = answer.series.map((slice) => (isMoney ? slice[name] / 1_000_000 : slice[name]))
              const label = isMoney ? `${title} in ${currency}` : title
              return (
                <section key={name} class="card">
                  <h2>{label}</h2>
                  <Bars
                    label={`${label} of each ${by}`}
                    days={times}
                    series={[{ name: title, values }]}
                    write={(value) => (isMoney ? moneyOf(value * 1_000_000, currency!) : countOf(value))}
                    writeAxis={(value) => (isMoney ? String(Number(value.toPrecision(3))) : countOf(value))}
                    writeDay={(time) => (by === 'hour' && times.length <= 48 ? time.slice(11) : time.slice(5, 10))}
                  />
                </section>
              )
            },
          )}
          <Slices answer={answer} times={times} />
        </>
      )}
    </>
  )
}

/** The same as a table, without the hours or days in which nothing was shown. */
function Slices(props: { answer: Answer; times: readonly string[] }) {
  const { series, by, currency } = props.answer
  const rows = series.map((slice, at) => ({ ...slice, time: props.times[at]! })).filter((row) => row.impressions > 0)
  return (
    <Table
      label="Sums"
      rows={rows}
      keyOf={(row) => row.at}
      empty=""
      columns={[
        { title: by === 'hour' ? 'Hour' : 'Day', show: (row) => row.time, isMono: true, isWide: true },
        { title: 'Impressions', show: (row) => countOf(row.impressions), isNumber: true },
        { title: 'Engagements', show: (row) => countOf(row.engagements), isNumber: true },
        {
          title: 'Spend',
          show: (row) => (currency === null ? '' : moneyOf(row.billed_charge_local_micro, currency)),
          isNumber: true,
        },
      ]}
    />
  )
}
