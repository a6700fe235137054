import { setTimeout as pause } from 'node:timers/promises'
import { MAX_DELIVERY_IDS, type ShownDelivery, writeDelivery } from '../control/shown-delivery.ts'
import { type Colour, coloured } from './colour.ts'
import { type Call, type CliCommand, numberFlag, only, UsageError } from './command-line.ts'
import { callRunning } from './reach-runtime.ts'
import { noServer } from './where.ts'
import { pairs } from './words.ts'

const POLL_MS = 400
const PAGE = 1_000
// Numbers are given before the commit: an older delivery can appear a moment after a newer one.
const OVERLAP = 100n

async function ask(call: Call, method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  const answer = await callRunning(call.settings, method, path, body)
  if (answer === undefined) throw await noServer(call.settings)
  return answer
}

async function read(call: Call, query: Record<string, string | undefined>): Promise<ShownDelivery[]> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const answer = await ask(call, 'GET', `/_rostra/deliveries?${new URLSearchParams(given)}`)
  return (answer as { deliveries: ShownDelivery[] }).deliveries
}

const COLOURS: Record<string, Colour> = { pending: 'yellow', delivered: 'green', given_up: 'red', withheld: 'grey' }

const clockTime = (iso: string): string => iso.slice(11, 23)

function line(item: ShownDelivery): string {
  const last = item.record.at(-1)
  const outcome = last?.status ?? last?.error ?? '-'
  const facts = [
    item.id.padStart(6),
    clockTime(item.created_at),
    coloured(COLOURS[item.state] ?? 'grey', item.state.padEnd(9)),
    `${item.attempts} tried`,
    outcome,
    item.kind,
    item.url ?? `webhook ${item.webhook_id}, which was deleted`,
  ]
  return `${facts.join('  ')}${waiting(item)}`
}

function waiting(item: ShownDelivery): string {
  if (item.state !== 'pending') return ''
  if (item.webhook_valid === false) return '\n        waits until the webhook passes its challenge'
  return item.attempts === 0 ? '' : `\n        next attempt at ${clockTime(item.next_attempt_at!)}`
}

const print = (call: Call, item: ShownDelivery): void => console.log(call.json ? writeDelivery(item) : line(item))

/** Shows each delivery as it appears and again whenever an attempt was made, until the process is ended. */
async function follow(call: Call, start: string, before: ShownDelivery[]): Promise<never> {
  const webhook_id = call.flags.webhook as string | undefined
  const stateOf = ({ state, attempts }: ShownDelivery) => `${state} ${attempts}`
  /** What was shown last of those that may still change or come again. */
  const known = new Map(before.map((item) => [item.id, stateOf(item)]))
  const show = (item: ShownDelivery) => {
    const isNews = known.get(item.id) !== stateOf(item)
    // The order of the map is the order in which they are looked at again.
    known.delete(item.id)
    known.set(item.id, stateOf(item))
    if (isNews && (call.flags.state === undefined || call.flags.state === item.state)) print(call, item)
  }
  let last = BigInt(start)
  for (;;) {
    const overlap = last > OVERLAP ? last - OVERLAP : 0n
    const found = await read(call, { after: String(overlap), limit: String(PAGE), webhook_id })
    const news = found.filter((item) => known.has(item.id) || BigInt(item.id) > BigInt(start))
    for (const item of news) show(item)
    const newest = BigInt(found.at(-1)?.id ?? 0)
    if (newest > last) last = newest
    await lookAgain(call, known, overlap, show)
    if (found.length < PAGE) await pause(POLL_MS)
  }
}

/** Reads some of the older pending deliveries again, and drops those that have ended. */
async function lookAgain(
  call: Call,
  known: Map<string, string>,
  upTo: bigint,
  show: (item: ShownDelivery) => void,
): Promise<void> {
  const waiting: string[] = []
  for (const [id, state] of known) {
    if (BigInt(id) > upTo) continue
    if (!state.startsWith('pending')) known.delete(id)
    else if (waiting.length < MAX_DELIVERY_IDS) waiting.push(id)
  }
  if (waiting.length === 0) return
  const found = await read(call, { ids: waiting.join() })
  for (const id of waiting) if (!found.some((item) => item.id === id)) known.delete(id)
  for (const item of found.reverse()) show(item)
}

function describe({ request, record, ...facts }: ShownDelivery): string {
  const attempts = record.map(({ at, ms, status, error, answer, fault }) => {
    const onPurpose = fault === undefined ? '' : `  fault ${fault}`
    const took = ms === undefined ? '' : `  ${ms} ms`
    return `  ${at ?? '-'}  ${status ?? error}${took}${onPurpose}${answer ? `\n    ${answer}` : ''}`
  })
  return [
    pairs(facts),
    '',
    attempts.length === 0 ? 'No attempt yet.' : 'Attempts:',
    ...attempts,
    '',
    ...(request.text === '' ? ['No body.'] : [`Body, ${request.bytes} bytes:`, request.text]),
  ].join('\n')
}

/** The headers that an attempt has now. */
const signed = (headers: Record<string, string> | null): string =>
  headers === null ? '' : `\n\nHeaders, signed with the present secret:\n${pairs(headers)}`

export const deliveriesCommands: CliCommand[] = [
  {
    name: 'deliveries',
    summary: 'Shows the last deliveries to webhooks of the running server, and how they went.',
    flags: {
      follow: { help: 'keep showing each new delivery and each attempt' },
      webhook: { value: '<webhook id>', help: 'only deliveries to this webhook' },
      state: { value: '<state>', help: 'only pending, delivered, given_up or withheld ones' },
      limit: { value: '<number>', help: 'how many to start with; default 20' },
    },
    run: async (call) => {
      const { webhook, state, limit } = call.flags as Record<string, string | undefined>
      const list = async () => {
        const listed = (await read(call, { webhook_id: webhook, state, limit: limit ?? '20' })).reverse()
        for (const item of listed) print(call, item)
        if (listed.length === 0 && !call.json)
          console.error(webhook || state ? 'There are no such deliveries.' : 'There are no deliveries.')
        return listed
      }
      if (!call.flags.follow) return void (await list())
      // Read before the list, so nothing is missed between the two.
      const [newest] = await read(call, { limit: '1' })
      const waiting = await read(call, { webhook_id: webhook, state: 'pending', limit: String(PAGE) })
      await follow(call, newest?.id ?? '0', [...waiting, ...(await list())])
    },
  },
  {
    name: 'deliveries show',
    summary: 'Shows one delivery: its body and every attempt.',
    positionals: '<delivery id>',
    flags: {},
    run: async (call) => {
      const id = only(call.positionals, 'delivery id')
      const [item] = await read(call, { ids: id })
      if (!item) throw new UsageError(`There is no delivery ${id}. Deliveries are kept for a day.`)
      if (call.json) return console.log(writeDelivery(item))
      const shown = (await ask(call, 'POST', '/_rostra/commands/delivery.show', { id })) as {
        request: { headers: Record<string, string> | null }
      }
      console.log(`${describe(item)}${signed(shown.request.headers)}`)
    },
  },
  {
    name: 'deliveries repeat',
    summary: 'Sends a delivery once more, as a new one.',
    positionals: '<delivery id>',
    flags: {},
    run: async (call) => {
      const id = only(call.positionals, 'delivery id')
      const made = (await ask(call, 'POST', '/_rostra/commands/delivery.repeat', { id })) as Record<string, unknown>
      call.print(made, () => pairs(made))
    },
  },
  {
    name: 'deliveries fail-next',
    summary: 'Lets the next attempts fail on purpose; they are retried like others.',
    flags: {
      webhook: { value: '<webhook id>', help: 'only attempts to this webhook' },
      times: { value: '<number>', help: 'how many attempts; default 1' },
      status: { value: '<status>', help: 'what the receiver seems to answer, 300 to 599; default 500' },
      kind: { value: '<kind>', help: 'timeout or connection, instead of a status' },
    },
    run: async (call) => {
      const args = {
        webhook_id: call.flags.webhook,
        times: numberFlag(call, 'times', 1),
        status: numberFlag(call, 'status'),
        kind: call.flags.kind,
      }
      const made = (await ask(call, 'POST', '/_rostra/commands/delivery.fail_next', args)) as Record<string, unknown>
      call.print(made, () => pairs(made))
    },
  },
]
