import { randomBytes } from 'node:crypto'
import type { Invalidations, Runtime } from '../api-kit/runtime.ts'
import { defineSingleton } from '../api-kit/singleton.ts'
import { keepTrying, pauseFor, type Stoppable } from '../process/keep-trying.ts'
import { type OwnConnection, openOwnConnection } from '../storage/own-connection.ts'
import { statement } from '../storage/statement.ts'
import { followClock, startFollowingClock } from './follow-clock.ts'
import { natsLine } from './runtime-tail.ts'

const CHANNEL = 'rostra_invalidate'
const CHECK_MS = 1_000
// PostgreSQL takes less than 8,000 bytes in a notification.
const MOST_BYTES = 7_000

const notify = statement('machine_invalidations_notify', {}, `select pg_notify('${CHANNEL}', $1)`)

/**
 * Passes invalidations on to other machines on the same database, by NATS or else by a notification of PostgreSQL. A message
 * may be lost, so cached data on a shared database is also short-lived.
 */
export const machineInvalidations = defineSingleton<Stoppable | undefined>({
  name: 'invalidations between machines',
  create: (runtime) => (runtime.isShared ? startPassing(runtime) : undefined),
  stop: (passing) => passing?.stop(),
})

function startPassing(runtime: Runtime): Stoppable {
  const { database, log, parts } = runtime
  const line = runtime.singleton(natsLine)
  // A process has applied its own invalidations already.
  const own = randomBytes(6).toString('base64url')

  const receive = (text: string) => {
    const [sender, invalidations] = JSON.parse(text) as [string, Invalidations]
    if (sender === own) return
    for (const [kind, ids] of invalidations) {
      if (kind === 'clock') void followClock(runtime)
      else parts.invalidate(kind, ids)
    }
  }

  // While one message is being sent, the next ones are collected.
  let waiting: Invalidations = []
  let sending: Promise<void> | undefined
  const sendAll = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const texts = inMessages(own, waiting)
      waiting = []
      if (line?.isLive()) for (const text of texts) line.publishInvalidations(text)
      // What cannot be sent is noticed by its age.
      else for (const text of texts) await notify.first(database, text).catch(() => undefined)
    }
    sending = undefined
  }
  runtime.passOn = (invalidations) => {
    waiting.push(...invalidations)
    sending ??= sendAll()
  }

  const unsubscribe = line?.subscribe({ invalidations: receive })
  let listening: OwnConnection | undefined
  const stopListening = async () => {
    const dropped = listening
    listening = undefined
    await dropped?.close()
  }
  const following = keepTrying({
    attempt: async (_stopping, works) => {
      if (line?.isLive() || listening?.isLost) await stopListening()
      if (!line?.isLive() && !listening) {
        const opened = await openOwnConnection(database.connection, 'rostra invalidations', () => {})
        opened.client.on('notification', ({ payload }) => receive(payload ?? '["",[]]'))
        listening = opened
        await opened.client.query(`listen ${CHANNEL}`)
        // What changed before now was not heard of here.
        parts.invalidateAll()
      }
      works()
    },
    failed: (error) => log.warn({ err: error }, 'changes of other machines are seen late until the database is back'),
    pause: (stopping) => pauseFor(CHECK_MS, stopping),
  })
  const clock = startFollowingClock(runtime)
  return {
    stop: async () => {
      await clock.stop()
      unsubscribe?.()
      await following.stop()
      await sending
      await stopListening()
    },
  }
}

/** Texts that each fit into one notification. */
export function inMessages(sender: string, invalidations: Invalidations): string[] {
  const texts: string[] = []
  let part: Invalidations = []
  let bytes = 0
  const end = () => {
    if (part.length > 0) texts.push(JSON.stringify([sender, part]))
    part = []
    bytes = 0
  }
  for (const [kind, ids] of invalidations) {
    for (const id of ids) {
      const own = Buffer.byteLength(JSON.stringify([kind, [id]])) + 1
      if (bytes + own > MOST_BYTES) end()
      const last = part.at(-1)
      if (last?.[0] === kind) last[1].push(id)
      else part.push([kind, [id]])
      bytes += own
    }
  }
  end()
  return texts
}
