import { closed, type Static, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { readDuration } from '../../process/quantity.ts'
import { defineCommand } from '../command.ts'
import { moveClock } from './move-clock.ts'

const optional = Type.Optional
const TEN_YEARS_MS = 10 * 365 * 24 * 3600_000
// Ids begin in November 2010 and end in July 2080.
const EARLIEST_MS = Date.UTC(2011, 0, 1)
const LATEST_MS = Date.UTC(2080, 0, 1)
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

const ClockArgs = closed({
  advance_ms: optional(Type.Integer({ minimum: 0, maximum: TEN_YEARS_MS })),
  advance: optional(Type.String({ minLength: 1, maxLength: 50 })),
  set: optional(Type.String({ minLength: 1, maxLength: 50 })),
  freeze: optional(Type.Boolean()),
  resume: optional(Type.Boolean()),
  reset: optional(Type.Boolean()),
})
type Args = Static<typeof ClockArgs>

export const clockCommand = defineCommand('clock', ClockArgs, async (runtime, args) => {
  const advanceMs = readAdvance(args)
  const setMs = readMoment(args.set)
  if (setMs !== undefined && advanceMs !== undefined)
    throw invalidParameter('set', args.set, 'set cannot be used together with advance')
  if (args.freeze && args.resume) throw invalidParameter('resume', 'true', 'resume cannot be used together with freeze')
  checkEnd(runtime, args, advanceMs ?? 0)
  const isChange = args.reset || args.freeze || args.resume || setMs !== undefined || advanceMs !== undefined
  const frozen = args.freeze ? true : args.resume ? false : undefined
  const change = { reset: args.reset === true, setMs, advanceMs: advanceMs ?? 0, frozen }
  const late = isChange ? await moveClock(runtime, change) : []
  return { ...shownClock(runtime), ...(late.length > 0 ? { unfinished: late } : {}) }
})

// In deterministic mode real time must not be seen.
export const shownClock = ({ clock, isDeterministic }: Runtime) => ({
  now: new Date(clock.now()).toISOString(),
  offset_ms: isDeterministic ? clock.now() - clock.home.frozen!.atMs : clock.offsetMs(),
  frozen: clock.state().frozen !== undefined,
})

function readAdvance(args: Args): number | undefined {
  if (args.advance === undefined) return args.advance_ms
  if (args.advance_ms !== undefined)
    throw invalidParameter('advance', args.advance, 'advance cannot be used together with advance_ms')
  const ms = readDuration(args.advance)
  if (ms === undefined || ms > TEN_YEARS_MS)
    throw invalidParameter(
      'advance',
      args.advance,
      `advance [${args.advance}] is not a duration of at most ten years such as [500ms], [90s], [15m], [2h], [1d] or [1d12h]`,
    )
  return ms
}

function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  if (!(ms >= EARLIEST_MS && ms <= LATEST_MS))
    throw invalidParameter(
      'set',
      text,
      `set [${text}] is not a moment from 2011-01-01 to 2080-01-01 such as [2030-01-01] or [2030-01-01T12:00:00Z]`,
    )
  return ms
}

function checkEnd({ clock }: Runtime, args: Args, advanceMs: number): void {
  if (clock.now() + advanceMs <= LATEST_MS) return
  const name = args.advance === undefined ? 'advance_ms' : 'advance'
  throw invalidParameter(name, String(args[name]), `${name} leads beyond 2080-01-01, where ids end`)
}
