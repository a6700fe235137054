import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg, NatsConnection, ConnectionOptions as NatsOptions } from '@nats-io/transport-node'
import { keepTrying, pauseFor } from '../process/keep-trying.ts'
import type { Logger } from '../process/logger.ts'
import { type SecretBox, sameText } from '../process/secret-box.ts'
import type { Db } from '../storage/database.ts'
import type { LoggedEvent } from './catalog.ts'
import { databaseMark } from './log.statements.ts'

const RETRY_MS = 1_000
const FLUSH_MS = 500
const PING_MS = 5_000
// The leader publishes every second: after this long without a message the line does not count as live.
const SILENT_MS = 3_000
const SIGNATURE_LENGTH = 43

/** What a listener can get from the line. */
interface NatsListener {
  /** A part of the log, as the leader stored it. */
  events?(events: LoggedEvent[]): void
  /** The sequence of the newest event. */
  head?(sequence: string): void
  /** Cached data that a change of another process has made stale, as that process wrote it. */
  invalidations?(text: string): void
  /** Some machine wrote to the outbox. */
  wake?(): void
  disconnected?(): void
}

/** Carries events between the machines of one installation. It may lose any message: PostgreSQL has them all. */
export interface NatsLine {
  /** True while this process is connected and receives messages of the leader. */
  isLive(): boolean
  publishEvents(events: LoggedEvent[]): void
  publishHead(sequence: string): void
  publishInvalidations(text: string): void
  wakeLeader(): void
  /** Returns how to end it. */
  subscribe(listener: NatsListener): () => void
  close(): Promise<void>
}

type Subject = 'events' | 'head' | 'call' | 'invalidations'

/** Opens a line and connects in the background: nothing waits for a NATS server that cannot be reached. */
export function openNatsLine(options: {
  url: string
  db: Db
  secretBox: Pick<SecretBox, 'sign' | 'fingerprint'>
  log: Logger
}): NatsLine {
  const { log, secretBox } = options
  let mark = ''
  const subject = (name: Subject) => `rostra.${secretBox.fingerprint}.${mark}.${name}`
  // Installations may share a NATS server: a message that was not signed with our key for this subject is ignored.
  const sign = (name: Subject, body: string) => secretBox.sign(`${subject(name)}\n${body}`)
  const listeners = new Set<NatsListener>()
  const wanted = new Set<Subject>(['head'])
  let connection: NatsConnection | undefined
  let isUp = false
  let receivedAt = Number.NEGATIVE_INFINITY
  let hasWarnedOfSignature = false

  const read = (name: Subject, message: Msg): unknown => {
    const text = Buffer.from(message.data.buffer, message.data.byteOffset, message.data.byteLength).toString('utf8')
    const body = text.slice(SIGNATURE_LENGTH)
    if (sameText(text.slice(0, SIGNATURE_LENGTH), sign(name, body))) return JSON.parse(body)
    if (!hasWarnedOfSignature)
      log.warn('NATS messages that are not signed with the key of this installation are ignored')
    hasWarnedOfSignature = true
    return undefined
  }
  const received = (name: Subject, message: Msg) => {
    if (name === 'call') {
      for (const listener of listeners) listener.wake?.()
      return
    }
    const value = read(name, message)
    if (value === undefined) return
    if (name === 'invalidations') {
      for (const listener of listeners) listener.invalidations?.(value as string)
      return
    }
    receivedAt = performance.now()
    if (name === 'head') for (const listener of listeners) listener.head?.(value as string)
    else {
      const events = (value as WireEvent[]).map(fromWire)
      for (const listener of listeners) listener.events?.(events)
    }
  }
  const subscribeTo = (name: Subject) =>
    connection?.subscribe(subject(name), {
      // An exception here would end the connection.
      callback: (error, message) => {
        try {
          if (error) throw error
          received(name, message)
        } catch (failure) {
          log.warn({ err: failure }, 'a NATS message could not be handled')
        }
      },
    })
  const want = (name: Subject) => {
    if (wanted.has(name)) return
    wanted.add(name)
    if (connection && !connection.isClosed()) subscribeTo(name)
  }
  const publish = (name: Subject, body: string) => {
    // The client would keep messages without a connection and send them late, when they are of no use.
    if (isUp) connection?.publish(subject(name), name === 'call' ? '' : sign(name, body) + body)
  }
  const disconnected = () => {
    isUp = false
    receivedAt = Number.NEGATIVE_INFINITY
    for (const listener of listeners) listener.disconnected?.()
  }

  const { host, ...address } = readAddress(options.url)
  const stay = async (current: NatsConnection) => {
    for await (const status of current.status()) {
      if (status.type === 'disconnect') {
        log.warn(`the connection to NATS at ${host} is lost; events come from PostgreSQL until it is back`)
        disconnected()
      } else if (status.type === 'reconnect') {
        log.info(`connected to NATS at ${host} again`)
        isUp = true
      } else if (status.type === 'error') log.warn(`NATS at ${host} reports: ${status.error.message}`)
    }
  }
  const staying = keepTrying({
    attempt: async (stopping, works) => {
      // Loaded here: a start without NATS does not need it.
      const { connect } = await import('@nats-io/transport-node')
      if (mark === '') mark = (await databaseMark.first(options.db))!.mark
      connection = await connect({ ...address, name: 'rostra', ...PATIENCE })
      if (stopping.aborted) return connection.close()
      for (const name of wanted) subscribeTo(name)
      isUp = true
      works()
      log.info(`connected to NATS at ${host}`)
      await stay(connection)
      disconnected()
    },
    failed: (error) =>
      log.warn(
        `NATS at ${host} cannot be reached (${(error as Error).message}); events come from PostgreSQL until it can`,
      ),
    pause: (stopping) => pauseFor(RETRY_MS, stopping),
  })

  return {
    isLive: () => isUp && performance.now() - receivedAt < SILENT_MS,
    publishEvents: (events) => {
      if (!isUp) return
      const room = (connection?.info?.max_payload ?? 0) - SIGNATURE_LENGTH - 2
      for (const body of splitEvents(events, room)) publish('events', body)
    },
    publishHead: (sequence) => publish('head', JSON.stringify(sequence)),
    publishInvalidations: (text) => publish('invalidations', JSON.stringify(text)),
    wakeLeader: () => publish('call', ''),
    subscribe: (listener) => {
      listeners.add(listener)
      if (listener.events) want('events')
      if (listener.wake) want('call')
      if (listener.invalidations) want('invalidations')
      return () => listeners.delete(listener)
    },
    close: async () => {
      const stopped = staying.stop()
      const late = sleep(FLUSH_MS, undefined, { ref: false })
      if (isUp) await Promise.race([connection?.flush().catch(() => {}), late])
      await connection?.close().catch(() => {})
      // An attempt to connect that is in progress closes its connection by itself.
      await Promise.race([stopped, late])
    },
  }
}

const PATIENCE: NatsOptions = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: RETRY_MS,
  timeout: 5_000,
  pingInterval: PING_MS,
  ignoreAuthErrorAbort: true,
}

// The member is called `place` on the wire.
type WireEvent = Omit<LoggedEvent, 'sequence' | 'happened_at'> & { place: string; happened_at: string }

const fromWire = ({ place, happened_at, ...event }: WireEvent): LoggedEvent => ({
  sequence: place,
  ...event,
  happened_at: new Date(happened_at),
})

const toWire = ({ sequence, ...event }: LoggedEvent): string => JSON.stringify({ place: sequence, ...event })

/** JSON lists that each fit into one message. An event that is too large by itself is left out: readers notice the gap. */
export function splitEvents(events: LoggedEvent[], room: number): string[] {
  const bodies: string[] = []
  let part: string[] = []
  let size = 0
  const end = () => {
    if (part.length > 0) bodies.push(`[${part.join(',')}]`)
    part = []
    size = 0
  }
  for (const event of events) {
    const text = toWire(event)
    const bytes = Buffer.byteLength(text) + 1
    if (size + bytes > room) end()
    if (bytes > room) continue
    part.push(text)
    size += bytes
  }
  end()
  return bodies
}

/** Splits NATS_URL, one address or several separated by commas, into options of the client; `host` has no secrets. */
export function readAddress(text: string): NatsOptions & { host: string } {
  const urls = text.split(',').map((part) => new URL(part.trim()))
  const servers = urls.map((url) => `${url.hostname}:${url.port || 4222}`)
  const named = urls.find((url) => url.username !== '')
  const user = decodeURIComponent(named?.username ?? '')
  const pass = decodeURIComponent(named?.password ?? '')
  return {
    host: servers.join(', '),
    servers,
    ...(urls.some((url) => url.protocol === 'tls:') ? { tls: {} } : {}),
    // A name without a password is a token, as in NATS itself.
    ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
  }
}
