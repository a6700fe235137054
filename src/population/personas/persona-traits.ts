import { createHash } from 'node:crypto'
import {
  DEVICE_OPTIONS,
  type OperatingSystem,
  platformOf,
  VERSION_OPTIONS,
} from '../../ads/targeting-options/device-options.ts'
import { APP_CATEGORY_OPTIONS, INTEREST_OPTIONS } from '../../ads/targeting-options/topics.ts'
import { once } from '../../process/once.ts'
import { VOCABULARIES, type Vocabulary } from '../../world/seed-words.data.ts'
import { SeededRandom } from '../../world/seeded-random.ts'
import { type Home, homesOf } from './places.ts'
import { TOPICS } from './topics.ts'

// Each purpose has its own stream of random numbers, apart from those of seeded worlds.
export const STREAM = { traits: 901, profile: 902, ties: 903, text: 904 } as const

/** What is fixed about a persona. It depends only on seed and position. */
export interface Traits {
  vocabulary: Vocabulary
  home: Home
  age: number
  gender: 1 | 2 | null
  platform: string
  platformVersion: string | null
  device: string | null
  networkOperator: string | null
  networkMonths: number | null
  wifiOnly: boolean
  interests: string[]
  appCategories: string[]
  deviceHash: string | null
  isVerified: boolean
  isProtected: boolean
  later: number
  looksPerDay: number
  activity: number
  topics: number[]
  follows: number
}

// Tenths of the population, from the least to the most. Few people do most of what is done.
const LOOKS = [3, 5, 7, 9, 12, 15, 19, 26, 38, 66] as const
const ACTIVITY = [0, 0.05, 0.1, 0.2, 0.35, 0.55, 0.85, 1.4, 2.3, 4.2] as const
const FOLLOWS = [4, 7, 10, 13, 17, 21, 26, 34, 48, 90] as const
const AGES = [15, 19, 22, 25, 28, 32, 37, 43, 51, 63] as const

const SPEAKERS = VOCABULARIES.flatMap((item) => Array<Vocabulary>(item.share).fill(item))
const DESKTOP = '4'
const MOBILE_WEB = '3'

const options = once(() => {
  const ofSystem = <O extends { os: OperatingSystem }>(all: readonly O[], os: OperatingSystem) =>
    all.filter((item) => item.os === os)
  const systems = (['Platform_A', 'Platform_B'] as const).map((os) => ({
    os,
    devices: ofSystem(DEVICE_OPTIONS, os).map((item) => item.value),
    // Few people have an old version.
    versions: ofSystem(VERSION_OPTIONS, os)
      .slice(-12)
      .map((item) => item.value),
  }))
  const interests = TOPICS.map((topic) =>
    INTEREST_OPTIONS.filter((item) => item.name.startsWith(`${topic}/`)).map((item) => item.value),
  )
  return { systems, interests }
})

/** Chooses everything about a persona. */
export function traitsOf(seed: number, position: number): Traits {
  const random = new SeededRandom(seed, STREAM.traits, position)
  const vocabulary = random.pick(SPEAKERS)
  const home = random.pick(random.pick(homesOf(vocabulary.lang)))
  const ageBand = random.below(10)
  const topics = chooseTopics(random)
  const device = chooseDevice(random, home)
  return {
    vocabulary,
    home,
    age: AGES[ageBand]! + random.below(4),
    gender: random.chance(50) ? null : random.chance(500) ? 1 : 2,
    ...device,
    interests: chooseInterests(random, topics),
    appCategories:
      device.device === null
        ? []
        : several(random, APP_CATEGORY_OPTIONS.length, 3).map((at) => APP_CATEGORY_OPTIONS[at]!.value),
    deviceHash: device.device === null ? null : createHash('sha256').update(`device ${seed} ${position}`).digest('hex'),
    isVerified: random.chance(60),
    isProtected: random.chance(20),
    later: random.below(7) - 2,
    looksPerDay: random.pick(LOOKS) + random.below(3) - 1,
    activity: random.pick(ACTIVITY),
    topics,
    follows: random.pick(FOLLOWS),
  }
}

// The first topics have more friends than the last.
function chooseTopics(random: SeededRandom): number[] {
  const chosen = new Set<number>()
  const count = 1 + random.below(3)
  while (chosen.size < count) chosen.add(Math.min(random.below(TOPICS.length), random.below(TOPICS.length)))
  return [...chosen]
}

function chooseInterests(random: SeededRandom, topics: readonly number[]): string[] {
  const { interests } = options()
  return topics.flatMap((topic) => {
    const known = interests[topic]!
    return several(random, known.length, 2).map((at) => known[at]!)
  })
}

function several(random: SeededRandom, below: number, count: number): number[] {
  const chosen = new Set<number>()
  for (let tries = 0; tries < count; tries++) chosen.add(random.below(below))
  return [...chosen]
}

function chooseDevice(random: SeededRandom, home: Home) {
  const mark = random.below(100)
  const none = { platformVersion: null, device: null, networkOperator: null, networkMonths: null, wifiOnly: false }
  if (mark < 16) return { ...none, platform: DESKTOP }
  if (mark < 18) return { ...none, platform: MOBILE_WEB }
  const { os, devices, versions } = options().systems[mark < 58 ? 0 : 1]!
  const wifiOnly = random.chance(120)
  const networkOperator = wifiOnly || home.operators.length === 0 ? null : random.pick(home.operators)
  return {
    platform: platformOf(os),
    platformVersion: random.pick(versions),
    device: random.pick(devices),
    networkOperator,
    networkMonths: networkOperator === null ? null : random.below(60),
    wifiOnly,
  }
}
