import { setTimeout as sleep } from 'node:timers/promises'
import { createControlClient } from './control-client.ts'
import { watchDeliveries } from './deliveries.ts'
import { RostraError } from './errors.ts'
import { createPeople } from './people.ts'
import { watchRequests } from './requests.ts'
import type {
  AppliedWorld,
  Credentials,
  Fault,
  FaultOptions,
  Life,
  Rostra,
  RostraClock,
  RostraStreams,
  Snapshot,
  StreamFaultOptions,
  Triggered,
} from './types.ts'
import { bytes, milliseconds } from './units.ts'

const LIFE_LOOK_MS = 50

type Args = Record<string, unknown>
type Run = <T>(name: string, args?: Args) => Promise<T>

/** What a controller is made from. */
export interface ControllerParts {
  /** Where the control interface is reached; it may differ from the public address. */
  controlUrl: string
  credentials: Credentials
  env: Record<string, string>
  /** Ends the server, if whoever made the controller started it. */
  stop?: () => Promise<void>
}

/** The control of a running server. */
export function createController({ controlUrl, credentials, env, stop }: ControllerParts): Rostra {
  const client = createControlClient(controlUrl, credentials.admin_key)
  const run: Run = (name, args = {}) => client.post(`/_rostra/commands/${name}`, given(args))
  const people = createPeople(client, credentials)
  const deliveries = watchDeliveries(client)
  const requests = watchRequests(client)
  const forget = () => {
    people.forget()
    deliveries.forget()
  }
  let stopped: Promise<void> | undefined
  const end = async () => {
    client.close()
    await stop?.()
  }
  const stopOnce = () => {
    stopped ??= end()
    return stopped
  }

  return {
    url: credentials.base_url,
    adsUrl: credentials.ads_url,
    adsSandboxUrl: credentials.ads_sandbox_url,
    credentials,
    env,
    app: people.app,
    user: people.user,
    createUser: people.createUser,
    createApp: people.createApp,
    applyWorld: async (world, { dryRun } = {}) => {
      const applied = await run<AppliedWorld>('world.apply', { world, dry_run: dryRun })
      await people.refresh()
      return { created: applied.created, changed: applied.changed, unchanged: applied.unchanged }
    },
    fault: (options) => run<Fault>('fault.add', faultArgs(options)),
    faults: {
      list: async () => (await run<{ faults: Fault[] }>('fault.list')).faults,
      clear: async (id) => (await run<{ cleared: number }>('fault.clear', { id })).cleared,
    },
    streams: createStreams(run),
    failNextDelivery: async ({ webhookId, ...others } = {}) => {
      await run('delivery.fail_next', { webhook_id: webhookId, ...others })
    },
    clock: createClock(run),
    reset: async () => {
      await client.post('/_rostra/reset')
      forget()
    },
    snapshot: async (name) => readSnapshot(await run<SentSnapshot>('snapshot.save', { name })),
    restore: async (name) => {
      await run('snapshot.restore', { name })
      forget()
    },
    snapshots: {
      list: async () => (await run<{ snapshots: SentSnapshot[] }>('snapshot.list')).snapshots.map(readSnapshot),
      delete: async (name) => {
        await run('snapshot.delete', { name })
      },
    },
    live: async (options = {}) => {
      const { id } = await run<{ id: string }>('live.start', { speed: 'max', ...options })
      for (;;) {
        const life = await run<Life>('live.show', { id })
        if (life.state === 'failed') throw new RostraError(String(life.reason), 200, life)
        if (life.state === 'ended' || life.state === 'stopped') return life
        await sleep(LIFE_LOOK_MS)
      }
    },
    trigger: async (eventType, { postId, ...others } = {}) =>
      readTriggered(await run<SentTriggered>('trigger', { event_type: eventType, post_id: postId, ...others })),
    deliveries: deliveries.list,
    requests: requests.list,
    waitForDelivery: deliveries.waitFor,
    waitForRequest: requests.waitFor,
    command: run,
    stop: stopOnce,
    [Symbol.asyncDispose]: stopOnce,
  }
}

/** Arguments without those that are undefined, which commands would refuse. */
const given = (args: Args): Args => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))

const inMs = (duration: number | string | undefined) => (duration === undefined ? undefined : milliseconds(duration))

const faultArgs = ({ delay, dropAfter, stall, ...others }: FaultOptions): Args => ({
  ...others,
  delay_ms: inMs(delay),
  drop_after_bytes: dropAfter === undefined ? undefined : bytes(dropAfter),
  stall_ms: inMs(stall),
})

function createClock(run: Run): RostraClock {
  const call = async (args: Args) => new Date((await run<{ now: string }>('clock', args)).now)
  return {
    now: () => call({}),
    advance: (by) => call({ advance_ms: milliseconds(by) }),
    set: (time) => call({ set: typeof time === 'string' ? time : time.toISOString() }),
    freeze: () => call({ freeze: true }),
    resume: () => call({ resume: true }),
    reset: () => call({ reset: true }),
  }
}

function createStreams(run: Run): RostraStreams {
  const act = async (action: string, options: StreamFaultOptions = {}, more: Args = {}) =>
    (await run<{ streams: number }>('stream.fault', { action, ...options, ...more })).streams
  return {
    drop: (options) => act('drop', options),
    stall: (options) => act('stall', options),
    resume: (options) => act('resume', options),
    disconnect: (type, options) => act('disconnect', options, { disconnect_type: type }),
  }
}

interface SentSnapshot {
  name: string
  created_at: string
  bytes?: number
}

const readSnapshot = (sent: SentSnapshot): Snapshot => ({
  name: sent.name,
  createdAt: new Date(sent.created_at),
  bytes: sent.bytes,
})

interface SentTriggered {
  event_type: string
  done: string
  first: string[]
  user_id: string
  event_place: string | null
  [member: string]: unknown
}

const readTriggered = (sent: SentTriggered): Triggered => ({
  eventType: sent.event_type,
  done: sent.done,
  first: sent.first,
  userId: sent.user_id,
  sequence: sent.event_place ?? undefined,
  facts: sent,
})
