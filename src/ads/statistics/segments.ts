import type { Naming } from '../../api-kit/naming/naming.ts'
import { toBase36 } from '../kit/values.ts'
import { countryOfTargetingValue } from '../targeting-options/country-of.ts'
import { METROS } from '../targeting-options/data/metros.data.ts'
import { PLATFORMS } from '../targeting-options/data/platforms.data.ts'
import { targetingValue } from '../targeting-options/targeting-value.ts'
import type { SegmentationType } from './metrics.data.ts'

export interface Segment {
  segment_name: string
  segment_value: string
}

/** Viewers about whom the answer is not known: with them, segments add up to the whole. */
const UNKNOWN: Segment = { segment_name: 'Unknown', segment_value: 'UNKNOWN' }

/** Where an age class begins. Every class of targeting is made of some of these. */
export const AGE_CLASSES = [13, 18, 21, 25, 35, 50, 55] as const

const ages = AGE_CLASSES.map((from, at): [string, Segment] => {
  const next = AGE_CLASSES[at + 1]
  // width_bucket numbers the classes from 1.
  const key = String(at + 1)
  return next === undefined
    ? [key, { segment_name: `${from}+`, segment_value: `AGE_OVER_${from}` }]
    : [key, { segment_name: `${from}-${next - 1}`, segment_value: `AGE_${from}_TO_${next - 1}` }]
})

const genders: [string, Segment][] = [
  ['1', { segment_name: 'Male', segment_value: '1' }],
  ['2', { segment_name: 'Female', segment_value: '2' }],
]

/** A metro of a viewer is a targeting value or the code of a market area; the segment has the code. */
function metrosOf(country: string | null): [string, Segment][] {
  const code = country === null ? undefined : countryOfTargetingValue(country)
  const listed = code === undefined ? undefined : METROS[code]
  return (listed?.split('|') ?? []).flatMap((text): [string, Segment][] => {
    const cut = text.indexOf(' ')
    const segment = { segment_name: text.slice(cut + 1), segment_value: text.slice(0, cut) }
    return [
      [segment.segment_value, segment],
      [targetingValue('metro', `${code}-${segment.segment_value}`), segment],
    ]
  })
}

/** Which segment the facts about a viewer lead to. */
export interface Segments {
  /** What is known about a viewer, and the value of its segment at the same position. */
  keys: string[]
  values: string[]
  /** The segment of a value; that of an empty one is unknown. */
  of(value: string): Segment
}

/** `tags` are the names of event tags by their ids. */
export function segmentsBy(
  type: SegmentationType,
  country: string | null,
  tags: ReadonlyMap<string, string>,
  naming: Naming,
): Segments {
  const known: Record<SegmentationType, () => [string, Segment][]> = {
    AGE: () => ages,
    GENDER: () => genders,
    METROS: () => metrosOf(country),
    PLATFORMS: () =>
      PLATFORMS.map(({ value, name }) => [value, { segment_name: naming.rename(name), segment_value: value }]),
    CONVERSION_TAGS: () => [...tags].map(([id, name]) => [id, { segment_name: name, segment_value: toBase36(id) }]),
  }
  const pairs = known[type]()
  const byValue = new Map(pairs.map(([, segment]) => [segment.segment_value, segment]))
  return {
    keys: pairs.map(([key]) => key),
    values: pairs.map(([, segment]) => segment.segment_value),
    of: (value) => byValue.get(value) ?? UNKNOWN,
  }
}
