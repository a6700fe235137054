import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg, NatsConnection, ConnectionOptions as NatsOptions } from '@nats-io/transport-node'
import type { Logger } from '../process/logger.ts'
import { type SecretBox, sameText } from '../process/secret-box.ts'
import type { Db } from '../storage/database.ts'
import type { LoggedEvent } from './catalog.ts'
import { databaseMark } from './log.statements.ts'

const RETRY_MS = 1_000
const FLUSH_MS = 500
const PING_MS = 5_000
// The leader speaks every second: who heard nothing for this long does not count on the line.
const SILENT_MS = 3_000
const SIGNATURE_LENGTH = 43

/** What can be heard on the line. */
export interface NatsEar {
  /** A part of the log, as the leader stored it. */
  events?(events: LoggedEvent[]): void
  /** The last place that was given out. */
  head?(place: string): void
  /** Somebody wrote to the outbox. */
  call?(): void
  /** The connection broke. */
  broken?(): void
}

/** Carries events between the machines of one installation. It may lose any message: PostgreSQL has them all. */
export interface NatsLine {
  /** True while this process is connected and hears the leader. */
  isLive(): boolean
  tellEvents(events: LoggedEvent[]): void
  tellHead(place: string): void
  callLeader(): void
  /** Returns how to end it. */
  hear(ear: NatsEar): () => void
  close(): Promise<void>
}

type Subject = 'events' | 'head' | 'call'

/** Opens a line and connects in the background: a NATS that can not be reached is tried again, and nobody waits for it. */
export function openNatsLine(options: {
  url: string
  db: Db
  secretBox: Pick<SecretBox, 'sign' | 'fingerprint'>
  log: Logger
}): NatsLine {
  const { log, secretBox } = options
  let mark = ''
  const subject = (name: Subject) => `rostra.${secretBox.fingerprint}.${mark}.${name}`
  // One NATS may serve many: what was not written with our key, for this subject, is not believed.
  const sign = (name: Subject, body: string) => secretBox.sign(`${subject(name)}\n${body}`)
  const ears = new Set<NatsEar>()
  const wanted = new Set<Subject>(['head'])
  const closing = new AbortController()
  let connection: NatsConnection | undefined
  let isUp = false
  let heardAt = Number.NEGATIVE_INFINITY
  let hasWarnedOfStrangers = false

  const read = (name: Subject, message: Msg): unknown => {
    const text = Buffer.from(message.data.buffer, message.data.byteOffset, message.data.byteLength).toString('utf8')
    const body = text.slice(SIGNATURE_LENGTH)
    if (sameText(text.slice(0, SIGNATURE_LENGTH), sign(name, body))) return JSON.parse(body)
    if (!hasWarnedOfStrangers)
      log.warn('messages on NATS that were not signed with the key of this installation are ignored')
    hasWarnedOfStrangers = true
    return undefined
  }
  const received = (name: Subject, message: Msg) => {
    if (name === 'call') {
      for (const ear of ears) ear.call?.()
      return
    }
    const value = read(name, message)
    if (value === undefined) return
    heardAt = performance.now()
    if (name === 'head') for (const ear of ears) ear.head?.(value as string)
    else {
      const events = (value as LoggedEvent[]).map((event) => ({ ...event, happened_at: new Date(event.happened_at) }))
      for (const ear of ears) ear.events?.(events)
    }
  }
  const subscribe = (name: Subject) =>
    connection?.subscribe(subject(name), {
      // What is thrown here would end the connection.
      callback: (error, message) => {
        try {
          if (error) throw error
          received(name, message)
        } catch (failure) {
          log.warn({ err: failure }, 'a message on NATS could not be taken')
        }
      },
    })
  const want = (name: Subject) => {
    if (wanted.has(name)) return
    wanted.add(name)
    if (connection && !connection.isClosed()) subscribe(name)
  }
  const publish = (name: Subject, body: string) => {
    // What is published while there is no connection would be kept and sent late, to no use.
    if (isUp) connection?.publish(subject(name), name === 'call' ? '' : sign(name, body) + body)
  }
  const breakOff = () => {
    isUp = false
    heardAt = Number.NEGATIVE_INFINITY
    for (const ear of ears) ear.broken?.()
  }

  const { host, ...address } = readAddress(options.url)
  const stay = async (current: NatsConnection) => {
    for await (const status of current.status()) {
      if (status.type === 'disconnect') {
        log.warn(`the connection to NATS at ${host} is lost; events come from PostgreSQL until it is back`)
        breakOff()
      } else if (status.type === 'reconnect') {
        log.info(`connected to NATS at ${host} again`)
        isUp = true
      } else if (status.type === 'error') log.warn(`NATS at ${host} says: ${status.error.message}`)
    }
  }
  const run = async () => {
    // Loaded here, so that a start without NATS does not pay for it.
    const { connect } = await import('@nats-io/transport-node')
    let hasWarned = false
    while (!closing.signal.aborted) {
      try {
        if (mark === '') mark = (await databaseMark.first(options.db))!.mark
        connection = await connect({ ...address, name: 'rostra', ...PATIENCE })
        if (closing.signal.aborted) return await connection.close()
        for (const name of wanted) subscribe(name)
        isUp = true
        hasWarned = false
        log.info(`connected to NATS at ${host}`)
        await stay(connection)
        breakOff()
      } catch (error) {
        if (!hasWarned)
          log.warn(
            `events do not come by NATS at ${host} (${(error as Error).message}) but from PostgreSQL; it is tried again`,
          )
        hasWarned = true
      }
      await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const running = run()

  return {
    isLive: () => isUp && performance.now() - heardAt < SILENT_MS,
    tellEvents: (events) => {
      if (!isUp) return
      const room = (connection?.info?.max_payload ?? 0) - SIGNATURE_LENGTH - 2
      for (const body of split(events, room)) publish('events', body)
    },
    tellHead: (place) => publish('head', JSON.stringify(place)),
    callLeader: () => publish('call', ''),
    hear: (ear) => {
      ears.add(ear)
      if (ear.events) want('events')
      if (ear.call) want('call')
      return () => ears.delete(ear)
    },
    close: async () => {
      closing.abort()
      const late = sleep(FLUSH_MS, undefined, { ref: false })
      if (isUp) await Promise.race([connection?.flush().catch(() => {}), late])
      await connection?.close().catch(() => {})
      // An attempt to connect that is under way closes what it gets by itself.
      await Promise.race([running, late])
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

/** JSON lists that each fit into one message. An event that is too large alone is left out: readers notice the gap. */
function split(events: LoggedEvent[], room: number): string[] {
  const bodies: string[] = []
  let part: string[] = []
  let size = 0
  const end = () => {
    if (part.length > 0) bodies.push(`[${part.join(',')}]`)
    part = []
    size = 0
  }
  for (const event of events) {
    const text = JSON.stringify(event)
    const bytes = Buffer.byteLength(text) + 1
    if (size + bytes > room) end()
    if (bytes > room) continue
    part.push(text)
    size += bytes
  }
  end()
  return bodies
}

/** Splits NATS_URL, one address or several behind commas, into what the client wants; `host` may be shown to people. */
function readAddress(text: string): NatsOptions & { host: string } {
  const urls = text.split(',').map((part) => new URL(part.trim()))
  const servers = urls.map((url) => `${url.hostname}:${url.port || 4222}`)
  const named = urls.find((url) => url.username !== '')
  const user = decodeURIComponent(named?.username ?? '')
  const pass = decodeURIComponent(named?.password ?? '')
  return {
    host: servers.join(', '),
    servers,
    ...(urls.some((url) => url.protocol === 'tls:') ? { tls: {} } : {}),
    // A name alone is a token, as NATS has it.
    ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
  }
}
