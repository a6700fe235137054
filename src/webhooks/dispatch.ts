import type { Runtime } from '../api-kit/runtime.ts'
import type { LoggedEvent } from '../events/catalog.ts'
import { startConsumer } from '../events/reader.ts'
import { tailOf } from '../events/runtime-tail.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import type { Tx } from '../storage/database.ts'
import { startLeader, untilEnd } from '../storage/leader.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { statement } from '../storage/statement.ts'
import { startChallenges } from './challenge-webhooks.ts'
import { deliveriesAdd } from './delivery.statements.ts'
import { deliveryChanges } from './delivery-changes.ts'
import { type PlannedDelivery, withheldEntry } from './planned-delivery.ts'
import { startReplays } from './replay-jobs.ts'
import { startSender } from './send-deliveries.ts'

const PAUSE_WITHOUT_WEBHOOKS_MS = 250

const anyValid = statement(
  'webhook_any_valid',
  { found: 'bool' },
  'select exists (select from webhook where valid) as found',
)

/** Plans the deliveries that events cause. */
export interface DeliverySource {
  plan(runtime: Runtime, events: LoggedEvent[]): Promise<PlannedDelivery[]>
  /** Called in the transaction that stores the plan. */
  stored?(tx: Tx, events: LoggedEvent[]): Promise<void>
}

/**
 * Plans and sends deliveries and challenges webhooks, in one process of all machines. The sequence of the reader moves in the
 * transaction that plans the deliveries, so none is lost or planned twice. `sources` is called when this process becomes the
 * leader.
 */
export function startDispatch(runtime: Runtime, sources: () => readonly DeliverySource[]): Stoppable {
  return startLeader({
    name: 'webhook dispatch',
    lock: [LOCK.deliveries],
    connection: () => runtime.database.connection,
    log: runtime.log,
    lead: async (_own, ending) => {
      const planners = sources()
      const sender = startSender(runtime)
      const changes = runtime.singleton(deliveryChanges)
      const challenges = startChallenges(runtime)
      const replays = startReplays(runtime, sender)
      // Without a webhook the log is only polled. It is followed event by event once there is one.
      let endListening: (() => void) | undefined
      const listen = async () => {
        if (endListening) return
        const tail = await tailOf(runtime)
        endListening ??= tail.listen(() => consumer.wake())
      }
      const consumer = startConsumer({
        name: 'webhooks',
        database: runtime.database,
        connection: runtime.database.connection,
        log: runtime.log,
        work: async (tx, events) => {
          // Most installations have no webhook, and then planning would read data for nothing.
          const isWanted = (await anyValid.first(tx))!.found
          if (isWanted) await listen()
          const plans = isWanted ? await Promise.all(planners.map((source) => source.plan(runtime, events))) : []
          const planned = plans.flat()
          for (const source of planners) await source.stored?.(tx, events)
          if (!isWanted) {
            // A crash may undo this commit. Then the same events are skipped again.
            await tx.query({ text: 'set local synchronous_commit = off' })
            return { restMs: PAUSE_WITHOUT_WEBHOOKS_MS }
          }
          if (planned.length === 0) return undefined
          planned.sort((left, right) => Number(BigInt(left.sequence) - BigInt(right.sequence)))
          const now = new Date(runtime.clock.now())
          const added = await deliveriesAdd.all(
            tx,
            planned.map((item) => item.webhookId),
            planned.map((item) => item.appId),
            planned.map((item) => item.kind),
            planned.map((item) => item.sequence),
            planned.map((item) => item.body),
            now,
            planned.map((item) => `{${item.required.public.join()}}`),
            planned.map((item) => `{${item.required.active.join()}}`),
            planned.map(({ withheld }) => (withheld === undefined ? null : withheldEntry(now, withheld))),
            planned.map((item) => item.postId ?? null),
          )
          logWithheld(runtime, planned)
          // This may run before the commit. The sender also polls.
          setTimeout(() => {
            sender.wake()
            changes.report(added.map(({ id }) => id))
          }, 5)
          return undefined
        },
      })
      await untilEnd(ending)
      await consumer.stop()
      endListening?.()
      await replays.stop()
      await challenges.stop()
      await sender.stop()
    },
  })
}

function logWithheld(runtime: Runtime, planned: readonly PlannedDelivery[]): void {
  for (const { webhookId, sequence, kind, withheld } of planned)
    if (withheld !== undefined)
      runtime.log.info(`the ${kind} delivery of event ${sequence} to webhook ${webhookId} is withheld: ${withheld}`)
}
