import './home.css'
import { useEffect } from 'preact/hooks'
import type { Credentials } from '../../../process/credentials.ts'
import { get } from '../kit/client.ts'
import { Copy } from '../kit/copy.tsx'
import { timeOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { followRequests, requests } from '../kit/request-store.ts'
import { href } from '../kit/router.ts'
import { isOfProgram, isRefused } from '../requests/filter.ts'
import { Status } from '../requests/status.tsx'
import { Calls } from './calls.tsx'
import { Keys } from './keys.tsx'
import { Snippets } from './snippets.tsx'
import { State } from './state.tsx'

const LAST_REFUSALS = 6

function Refusals() {
  const refused = requests.value.filter((item) => isRefused(item) && isOfProgram(item)).slice(0, LAST_REFUSALS)
  return (
    <section class="card">
      <h2>Last refusals</h2>
      {refused.length === 0 ? (
        <p class="soft">None so far.</p>
      ) : (
        <ul class="plain-list">
          {refused.map((item) => (
            <li key={item.seq}>
              <a href={href('requests', item.seq)}>
                <Status status={item.status} /> <span class="mono">{`${item.method} ${item.path.split('?')[0]}`}</span>
              </a>
              <span class="soft small"> {timeOf(item.time).slice(0, 8)}</span>
              {item.reason && <span class="reason">{item.reason}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Where the server is, how to call it, and how that goes. */
export function HomePage() {
  useEffect(() => void followRequests(), [])
  const loaded = useLoaded(() => get<Credentials>('/_rostra/credentials'))
  return (
    <>
      <h1>Home</h1>
      <Show loaded={loaded}>
        {(credentials) => (
          <>
            <p class="address">
              <code>{credentials.base_url}</code> <Copy text={credentials.base_url} what="the address of the server" />
            </p>
            <Snippets />
            <div class="grid">
              <div>
                <Calls />
                <Refusals />
              </div>
              <div>
                <State />
                <Keys credentials={credentials} />
              </div>
            </div>
          </>
        )}
      </Show>
    </>
  )
}
