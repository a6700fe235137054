import { idAt, LARGEST_ID } from '../../process/ids.ts'
import { type Parameter, type ParameterDescription, type QueryValues, textParameter } from '../declaring/parameters.ts'
import { DateTime, type TSchema, Type } from '../declaring/schema.ts'
import type { Naming } from '../naming/naming.ts'
import { type Fault, invalidRequest } from '../writing/problems.ts'

type BoundName = 'since_id' | 'until_id' | 'start_time' | 'end_time'

/** The range of a list that a request asks for, by ids, times or both. */
export interface TimeBounds {
  sinceId: string | undefined
  untilId: string | undefined
  startMs: number | undefined
  endMs: number | undefined
  /** The bounds in the request, with their texts. */
  given: ReadonlyMap<BoundName, string>
}

/**
 * The `since_id`, `until_id`, `start_time` and `end_time` parameters. `id` is the schema of the listed objects' ids; without it
 * there are only the times. `required` refuses requests without both times.
 */
export function timeBounds(
  id?: TSchema,
  { required = false }: { required?: boolean } = {},
): { bounds: Parameter<TimeBounds> } {
  const idText = textParameter(id ?? Type.String()) as Parameter<string | undefined>
  const timeText = required ? textParameter(Type.String(), { required }) : textParameter(Type.String())
  return {
    bounds: {
      describe: (): ParameterDescription[] => [
        ...(id ? [...idText.describe('since_id'), ...idText.describe('until_id')] : []),
        { name: 'start_time', required, schema: DateTime },
        { name: 'end_time', required, schema: DateTime },
      ],
      compile: (_name: string, naming: Naming) => {
        const sinceId = idText.compile('since_id', naming)
        const untilId = idText.compile('until_id', naming)
        const startTime = timeText.compile('start_time', naming)
        const endTime = timeText.compile('end_time', naming)
        return (query: QueryValues, faults: Fault[]): TimeBounds => {
          const texts: Record<BoundName, string | undefined> = {
            since_id: id && sinceId(query, faults),
            until_id: id && untilId(query, faults),
            start_time: startTime(query, faults),
            end_time: endTime(query, faults),
          }
          return {
            sinceId: texts.since_id,
            untilId: texts.until_id,
            startMs: readTime('start_time', texts.start_time, faults),
            endMs: readTime('end_time', texts.end_time, faults),
            given: new Map(
              Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name as BoundName, text]])),
            ),
          }
        }
      },
    },
  }
}

const TIME = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

function readTime(name: BoundName, text: string | undefined, faults: Fault[]): number | undefined {
  if (text === undefined) return undefined
  const ms = TIME.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text.toUpperCase()) : Number.NaN
  // Fractions are accepted and cut off: many clients send milliseconds, and bounds have a resolution of a second.
  if (!Number.isNaN(ms)) return Math.floor(ms / 1000) * 1000
  faults.push({
    parameters: { [name]: [text] },
    message: `The \`${name}\` query parameter value [${text}] is not a valid RFC3339 date-time`,
  })
  return undefined
}

// `Date` accepts the 31st of any month and continues into the next.
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** Refuses times outside of the list: before `earliestMs`, or after `latestMs` when the list is not yet complete there. */
export function checkTimes(bounds: TimeBounds, limits: { earliestMs: number; latestMs?: number }): void {
  const { startMs, endMs } = bounds
  const faults: Fault[] = []
  const refuse = (name: BoundName, rule: string) => {
    const text = bounds.given.get(name)!
    faults.push({ parameters: { [name]: [text] }, message: `Invalid '${name}':'${text}'. ${rule}` })
  }
  for (const [name, ms] of [['start_time', startMs] as const, ['end_time', endMs] as const])
    if (ms !== undefined && ms < limits.earliestMs)
      refuse(name, `'${name}' must be on or after ${secondOf(limits.earliestMs)}`)
  if (endMs !== undefined && limits.latestMs !== undefined && endMs > limits.latestMs)
    refuse('end_time', `'end_time' must be a minimum of 10 seconds prior to the request time.`)
  if (startMs !== undefined && endMs !== undefined && startMs >= endMs)
    refuse('start_time', `'start_time' must be before 'end_time'.`)
  if (faults.length > 0) throw invalidRequest(faults)
}

const secondOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** Ids between two others, both exclusive. */
export interface IdRange {
  after: string
  before: string
}

/** The bounds as ids; on each side an id wins over a time. */
export function idRange(bounds: TimeBounds): IdRange {
  const after = bounds.sinceId ?? (bounds.startMs === undefined ? '-1' : below(idAt(bounds.startMs)))
  const before = bounds.untilId ?? (bounds.endMs === undefined ? LARGEST_ID : idAt(bounds.endMs))
  return { after: smaller(after, LARGEST_ID), before: smaller(before, LARGEST_ID) }
}

const below = (id: string): string => (BigInt(id) - 1n).toString()
const smaller = (left: string, right: string): string => (BigInt(left) < BigInt(right) ? left : right)

/** The part of a range on one side of a page's key. */
export function narrow(range: IdRange, direction: 'older' | 'newer', key: string): IdRange {
  if (direction === 'older') return { ...range, before: smaller(range.before, key) }
  return { ...range, after: smaller(range.after, key) === key ? range.after : key }
}
