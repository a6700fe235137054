import { useSignal } from '@preact/signals'
import { command } from '../kit/client.ts'
import { Select, TextField } from '../kit/fields.tsx'
import { Show, useLoaded } from '../kit/load.tsx'
import { go, href, query, setQuery } from '../kit/router.ts'
import { useNews } from '../kit/soon.ts'
import { LineItemDetail } from './line-item-detail.tsx'
import { type Campaign, type Creative, type Instrument, type LineItem, moneyOf, type TreeAnswer } from './shapes.ts'

const STATUSES: [string, string][] = [
  ['', 'Any status'],
  ['RUNNING', 'Running'],
  ['ACTIVE', 'Active, but not serving'],
  ['PAUSED', 'Paused'],
  ['UNKNOWN', 'Draft'],
]

/** What something does, and why it does not serve. */
function Status(props: { status: string; reasons: readonly string[]; words?: string }) {
  const tone = props.status === 'RUNNING' ? 'good' : props.status === 'ACTIVE' ? 'bad' : ''
  return (
    <span class="status">
      <span class={`badge ${tone}`}>{props.words ?? props.status.toLowerCase()}</span>
      {props.reasons.map((reason) => (
        <span key={reason} class="reason">
          {reason.toLowerCase().replaceAll('_', ' ')}
        </span>
      ))}
    </span>
  )
}

/** Campaigns, line items and creatives of an account. */
export function Tree(props: { account: string }) {
  const { account } = props
  const name = query.value.get('name') ?? ''
  const status = query.value.get('status') ?? ''
  const after = query.value.get('after') ?? ''
  const asked = { account, ...(name === '' ? {} : { q: name }), ...(after === '' ? {} : { after }) }
  const loaded = useLoaded(() => command('ads.tree', asked) as Promise<TreeAnswer>, [account, name, after])
  // Changes of advertising records are requests, not events.
  useNews(['requests'], loaded.reload)
  const opened = query.value.get('item') ?? undefined
  const fits = (campaign: Campaign) =>
    status === '' ||
    campaign.effective_status === status ||
    campaign.line_items.some((item) => item.effective_status === status)
  return (
    <>
      <div class="row">
        <TextField
          label="Name"
          name="name"
          type="search"
          value={name}
          isFilter
          maxLength={255}
          onValue={(value) => setQuery('name', value)}
        />
        <Select
          label="Status"
          name="status"
          value={status}
          options={STATUSES}
          onValue={(value) => setQuery('status', value)}
        />
      </div>
      <div class="split">
        <div>
          <Show loaded={loaded}>
            {(tree) => {
              const campaigns = tree.campaigns.filter(fits)
              return (
                <>
                  <Instruments instruments={tree.funding_instruments} />
                  {campaigns.length === 0 ? (
                    <div class="empty">No campaign fits.</div>
                  ) : (
                    <ul class="tree" aria-label="Campaigns">
                      {campaigns.map((campaign) => (
                        <CampaignNode key={campaign.id} account={account} campaign={campaign} opened={opened} />
                      ))}
                    </ul>
                  )}
                  {tree.creatives_cut && <p class="soft small">Some creatives are left out.</p>}
                  {tree.next && (
                    <p>
                      <a href={href('advertising', { account, name, status, after: tree.next })}>More campaigns</a>
                    </p>
                  )}
                </>
              )
            }}
          </Show>
        </div>
        {opened && (
          <LineItemDetail
            key={opened}
            account={account}
            id={opened}
            close={() => go(href('advertising', { account, name, status, after }))}
          />
        )}
      </div>
    </>
  )
}

function Instruments(props: { instruments: Instrument[] }) {
  return (
    <section aria-label="Funding instruments">
      <ul class="instruments">
        {props.instruments.map((item) => (
          <li key={item.id}>
            <strong>{item.description ?? item.type}</strong> <code>{item.id}</code>{' '}
            {moneyOf(item.credit_remaining_local_micro ?? item.funded_amount_local_micro, item.currency) ||
              item.currency}{' '}
            <Status
              status={item.able_to_fund ? 'RUNNING' : 'ACTIVE'}
              reasons={item.reasons_not_able_to_fund}
              words={item.able_to_fund ? 'can fund' : 'cannot fund'}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function CampaignNode(props: { account: string; campaign: Campaign; opened: string | undefined }) {
  const { campaign } = props
  const isOpen = useSignal(true)
  const budget = moneyOf(campaign.daily_budget_amount_local_micro, campaign.currency)
  const count = campaign.line_items.length
  return (
    <li>
      <details open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>
          <strong>
            <bdi>{campaign.name}</bdi>
          </strong>{' '}
          <code>{campaign.id}</code>{' '}
          <span class="soft small">
            {count} {count === 1 ? 'line item' : 'line items'}
            {budget && `, ${budget} a day`}
          </span>{' '}
          <Status status={campaign.effective_status} reasons={campaign.reasons_not_servable} />
        </summary>
        <p class="small">
          <a href={href('advertising', 'statistics', { account: props.account, campaign: campaign.id })}>Statistics</a>
        </p>
        <ul>
          {campaign.line_items.map((item) => (
            <LineItemNode key={item.id} item={item} isOpened={item.id === props.opened} />
          ))}
        </ul>
      </details>
    </li>
  )
}

function LineItemNode(props: { item: LineItem; isOpened: boolean }) {
  const { item } = props
  return (
    <li>
      <button
        type="button"
        class="node"
        data-row={item.id}
        aria-current={props.isOpened ? 'true' : undefined}
        onClick={() => setQuery('item', item.id)}
      >
        <bdi>{item.name ?? 'Line item'}</bdi> <code>{item.id}</code>{' '}
        <span class="soft small">{item.objective.toLowerCase().replaceAll('_', ' ')}</span>{' '}
        <Status status={item.effective_status} reasons={item.reasons_not_servable} />
      </button>
      {item.creatives.length > 0 && (
        <ul>
          {item.creatives.map((creative) => (
            <li key={creative.id} class="creative">
              {creativeWords(creative)} <code>{creative.id}</code>{' '}
              <span class="badge">{creative.approval_status.toLowerCase()}</span>
              {creative.entity_status !== 'ACTIVE' && <span class="badge">{creative.entity_status.toLowerCase()}</span>}
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

const creativeWords = (creative: Creative): string =>
  creative.kind === 'promoted_post'
    ? `Post ${creative.post_id}`
    : creative.kind === 'promoted_account'
      ? `User ${creative.user_id}`
      : `Media ${creative.creative_type?.toLowerCase() ?? ''}`
