import './advertising.css'
import type { adsAccountList } from '../../../control/ads/account-commands.ts'
import { command } from '../kit/client.ts'
import { Select } from '../kit/fields.tsx'
import { Show, useLoaded } from '../kit/load.tsx'
import { go, href, path, query } from '../kit/router.ts'
import { Tabs } from '../kit/tabs.tsx'
import { Assets } from './assets.tsx'
import { Statistics } from './statistics.tsx'
import { Tree } from './tree.tsx'

const TABS = ['statistics', 'audiences', 'catalogs'] as const

/**
 * Advertising accounts: `advertising` has the tree, `advertising/statistics` what was shown and spent, `advertising/audiences` and
 * `advertising/catalogs` what campaigns refer to.
 */
export function AdvertisingPage() {
  const accounts = useLoaded(() => command<typeof adsAccountList>('ads.account.list'))
  const tab = TABS.find((name) => name === path.value[1]) ?? ''
  return (
    <Show loaded={accounts}>
      {(all) => {
        const account = query.value.get('account') ?? all[0]?.id
        return (
          <>
            <div class="bar">
              <h1>Advertising</h1>
              {all.length > 0 && (
                <Select
                  label="Account"
                  name="account"
                  value={account}
                  options={all.map((item): [string, string] => [
                    item.id,
                    `${item.name}${item.sandbox ? ' (sandbox)' : ''}${item.deleted ? ' (deleted)' : ''}`,
                  ])}
                  onValue={(value) => go(href(...path.value, { account: value }), { replace: true })}
                />
              )}
            </div>
            <Tabs
              label="Parts of advertising"
              page="advertising"
              current={tab}
              query={{ account }}
              tabs={[
                ['', 'Campaigns'],
                ['statistics', 'Statistics'],
                ['audiences', 'Audiences'],
                ['catalogs', 'Catalogs and feeds'],
              ]}
            />
            {account === undefined ? (
              <div class="empty">
                There is no advertising account. <code>rostra ads account create</code> creates one.
              </div>
            ) : tab === '' ? (
              <Tree key={account} account={account} />
            ) : tab === 'statistics' ? (
              <Statistics key={account} account={account} />
            ) : (
              <Assets key={account} account={account} kind={tab} />
            )}
          </>
        )
      }}
    </Show>
  )
}
