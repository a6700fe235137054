import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../../settings.ts'
import { type Call, type CliCommand, numberFlag, UsageError } from '../command-line.ts'
import { callRunning } from '../reach-runtime.ts'
import { noServer } from '../where.ts'
import { pairs } from '../words.ts'

/** A life as the control interface shows it. */
interface Life extends Record<string, unknown> {
  id: string
  state: string
  reason?: string
  at: string
  ends_at: string
  personas: number
  seconds: number
  looks: number
  views: number
  actions: Record<string, number>
  refused: Record<string, number>
  ads: { impressions: number; engagements: number }
  made?: { personas: number; tied: number }
}

const LOOK_MS = 250
// Where lines are kept, as in the log of a CI run, a few of them are enough.
const LINE_MS = 5_000
const STOPPED_BY_SIGNAL = 130
const OVER = ['stopped', 'ended', 'failed']
const FASTEST = 1_000_000

/** A life is lived by a server, so one has to run. */
async function run<T = Life>(settings: Settings, name: string, args: Record<string, unknown> = {}): Promise<T> {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
  const answer = await callRunning(settings, 'POST', `/_rostra/commands/${name}`, given)
  if (answer === undefined) throw await noServer(settings)
  return answer as T
}

const liveCommand: CliCommand = {
  name: 'live',
  summary:
    'Lets a population live on the running server: personas look at their home timelines and do what people do. The clock follows.',
  flags: {
    personas: { value: '<number>', help: 'how many; default 1000' },
    speed: {
      value: '<number>|max',
      help: 'how much faster than time the clock runs; default 60, max as fast as can be',
    },
    seed: { value: '<number>', help: 'the same seed, clock and world give the same life; default 1' },
    for: { value: '<duration>', help: 'how long, in time of the world, such as 2h, 1d or 4w; default 1d' },
    order: { value: 'time|popularity|interest', help: 'in which order they see posts; default time' },
    behaviour: { value: '<file.js>', help: 'a file on the machine of the server that decides what personas do' },
    agent: { value: '<url>', help: 'an address that is asked what personas do' },
    sandbox: { value: '<account>', help: 'a dry life of a sandbox account: its ads are counted and not shown' },
    quiet: { help: 'show no progress' },
  },
  run: async (call) => {
    const { flags, settings } = call
    const begun = await run(settings, 'live.start', {
      personas: numberFlag(call, 'personas', 2, 1_000_000),
      speed: flags.speed === 'max' ? 'max' : numberFlag(call, 'speed', 0.1, FASTEST),
      seed: numberFlag(call, 'seed', 0, 99_999),
      for: flags.for,
      order: flags.order,
      behaviour: flags.behaviour === undefined ? undefined : path.resolve(String(flags.behaviour)),
      agent: flags.agent,
      sandbox: flags.sandbox,
    })
    const life = await follow(call, begun)
    if (life.state === 'failed') throw new UsageError(`The life failed. ${life.reason ?? ''}`)
    if (life.state === 'stopped') process.exitCode = STOPPED_BY_SIGNAL
    call.print(life, () => inWords(life))
  },
}

/** Shows how far a life is until it is over. Ctrl-C stops it; a second one leaves it to the server. */
async function follow({ settings, flags }: Call, begun: Life): Promise<Life> {
  let stops = 0
  const stop = () => {
    stops += 1
    if (stops > 1) process.exit(STOPPED_BY_SIGNAL)
    run(settings, 'live.stop').catch(() => {})
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const isTerminal = process.stderr.isTTY === true
  let life = begun
  let shown = ''
  let shownAt = performance.now()
  while (!OVER.includes(life.state)) {
    await sleep(LOOK_MS)
    life = await run(settings, 'live.show', { id: begun.id })
    const line = progress(life)
    if (flags.quiet === true || line === shown) continue
    if (!isTerminal && performance.now() - shownAt < LINE_MS) continue
    shown = line
    shownAt = performance.now()
    process.stderr.write(isTerminal ? `\r${line}\u001b[K` : `${line}\n`)
  }
  if (isTerminal && shown !== '') process.stderr.write('\r\u001b[K')
  process.off('SIGINT', stop)
  process.off('SIGTERM', stop)
  return life
}

const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const progress = (life: Life): string =>
  life.made
    ? `personas ${life.made.personas}/${life.personas}  with follows ${life.made.tied}`
    : `${life.at.slice(0, 16).replace('T', ' ')}  looks ${life.looks}  views ${life.views}  actions ${total(life.actions)}  ads ${life.ads.impressions}`

const inWords = (life: Life): string => {
  const { actions, refused, ads, made: _made, behaviour, ...others } = life
  const kinds = Object.entries(actions).sort(([, one], [, other]) => other - one)
  return pairs({
    ...others,
    behaviour: (behaviour as { kind: string }).kind,
    ads: `${ads.impressions} impressions, ${ads.engagements} engagements`,
    actions: `${total(actions)}: ${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
    refused: total(refused),
  })
}

const showCommand: CliCommand = {
  name: 'live show',
  summary: 'Shows the last life, or the one with an id.',
  flags: { id: { value: '<id>', help: 'which life' } },
  run: async (call) => {
    const life = await run(call.settings, 'live.show', { id: call.flags.id })
    call.print(life, () => inWords(life))
  },
}

const stopCommand: CliCommand = {
  name: 'live stop',
  summary: 'Stops the life that is not over. The clock runs on from where it is.',
  flags: {},
  run: async (call) => {
    const life = await run(call.settings, 'live.stop')
    call.print(life, () => inWords(life))
  },
}

const exportCommand: CliCommand = {
  name: 'live export',
  summary: 'Writes the decisions of a life, one line of JSON for each look that led to an action.',
  flags: {
    id: { value: '<id>', help: 'which life; default the last' },
    all: { help: 'also the looks that led to nothing' },
  },
  run: async (call) => {
    let after: number | undefined
    let { id } = call.flags
    do {
      const page: { id: string; decisions: unknown[]; next?: number } = await run(call.settings, 'live.export', {
        id,
        after,
        all: call.flags.all === true ? true : undefined,
      })
      for (const decision of page.decisions) process.stdout.write(`${JSON.stringify(decision)}\n`)
      id = page.id
      after = page.next
    } while (after !== undefined)
  },
}

export const liveCommands: CliCommand[] = [liveCommand, showCommand, stopCommand, exportCommand]
