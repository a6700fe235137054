import './streams.css'
import type { appListCommand } from '../../../control/app-commands.ts'
import { command } from '../kit/client.ts'
import { useLoaded } from '../kit/load.tsx'
import { OpenStreams } from './open-streams.tsx'
import { Rules } from './rules.tsx'
import { Tail } from './tail.tsx'

/** Open streams, the rules of apps, and the posts that match them as they are written. */
export function StreamsPage() {
  const apps = useLoaded(() => command<typeof appListCommand>('app.list'))
  const names = (apps.value?.apps ?? []).map((app): [string, string] => [app.id, app.name])
  return (
    <>
      <h1>Streams</h1>
      <OpenStreams apps={names} />
      <Tail apps={names} />
      <Rules />
    </>
  )
}
