import { convertExpected, expectConversions } from '../ads/measurement/expected-conversions.ts'
import { serveLooks } from '../ads/serving/ad-server.ts'
import type { Look, Shown, ShownPlacement } from '../ads/serving/look.ts'
import { hasOutcome, type OutcomeName } from '../ads/serving/outcomes.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { idAt } from '../process/ids.ts'
import type { PlannedAction } from './actions/perform-actions.ts'
import { actionCount, type StoredDecision } from './life.ts'
import type { Persona } from './personas/load-personas.ts'
import { typedText } from './personas/persona-text.ts'

const LOOKS_AT_ONCE = 2_000
const TIMELINE_SLOTS = 2
// The ids of a look and of its impressions follow each other.
const IDS_OF_LOOK = 8
const IDS_OF_MS = 4_096
// No running process has such a machine number; see process/ids.ts.
const LOOK_MACHINE = 507
const MOST_WORDS = 10

/** Besides home timelines, what personas open has room for ads too. */
const PLACEMENTS: Partial<Record<string, ShownPlacement>> = {
  search: 'PLATFORM_SEARCH',
  read_profile: 'PLATFORM_PROFILE',
  read_post: 'PLATFORM_REPLIES',
}

/** A look at ads, and whose it is. */
interface OwnLook {
  persona: Persona
  look: Look
}

/** The looks of a tick at which ads can be shown. Their ids follow from the tick: repeated ones are not counted again. */
function looksOf(
  looked: readonly number[],
  decisions: readonly StoredDecision[],
  personas: readonly Persona[],
  atMs: number,
): OwnLook[] {
  const looks: OwnLook[] = []
  const add = (position: number, placement: ShownPlacement, slots: number, words?: readonly string[]) => {
    const persona = personas[position]!
    const at = looks.length * IDS_OF_LOOK
    const id = idAt(atMs + Math.floor(at / IDS_OF_MS), LOOK_MACHINE, at % IDS_OF_MS)
    const look: Look = { id, at: atMs, viewer: persona.viewer, placement, slots, ...(words ? { words } : {}) }
    looks.push({ persona, look })
  }
  for (const position of looked) add(position, 'PLATFORM_TIMELINE', TIMELINE_SLOTS)
  for (const { p, a } of decisions)
    for (const { kind, query } of a) {
      const placement = PLACEMENTS[kind]
      if (placement) add(p, placement, 1, query?.split(/\s+/).slice(0, MOST_WORDS))
    }
  return looks
}

/** Whom ads are shown to in a tick, and how. */
interface TickOfAds {
  seed: number
  /** The id of the account of a dry life. */
  sandboxAccount: string | null
  looked: readonly number[]
  decisions: readonly StoredDecision[]
  personas: readonly Persona[]
  atMs: number
  /** Some of it may have been done before. */
  isRepeated: boolean
}

/** What ads did in a tick. */
interface AdsOfTick {
  impressions: number
  engagements: number
  /** What personas did with them, to be done by operations too. */
  actions: PlannedAction[]
}

/** Shows ads to everybody who looks in a tick. In a dry life nobody sees them, so nothing follows. */
export async function showAds(runtime: Runtime, tick: TickOfAds): Promise<AdsOfTick> {
  const { seed, sandboxAccount } = tick
  const looks = looksOf(tick.looked, tick.decisions, tick.personas, tick.atMs)
  const done: AdsOfTick = { impressions: 0, engagements: 0, actions: [] }
  let number = actionCount(tick.decisions)
  // What was to happen on websites and in apps before this tick.
  await convertExpected(runtime)
  for (let from = 0; from < looks.length; from += LOOKS_AT_ONCE) {
    const some = looks.slice(from, from + LOOKS_AT_ONCE)
    const answers = await serveLooks(
      runtime,
      some.map(({ look }) => look),
      {
        responds: 'model',
        seed,
        areNew: !tick.isRepeated,
        ...(sandboxAccount === null ? {} : { dryAccountId: sandboxAccount }),
      },
    )
    await expectConversions(
      runtime,
      seed,
      answers.flatMap((shown, at) => shown.map((ad) => clickedAd(ad, some[at]!))),
    )
    for (const [at, shown] of answers.entries())
      for (const ad of shown) {
        done.impressions += 1
        if (hasOutcome(ad.outcomes, 'engagements')) done.engagements += 1
        if (sandboxAccount !== null) continue
        for (const action of actionsOn(ad, some[at]!.persona, seed))
          done.actions.push({ persona: some[at]!.persona, action, number: number++ })
      }
  }
  return done
}

const clickedAd = ({ impressionId, accountId, outcomes }: Shown, { look }: OwnLook) => ({
  viewer: look.viewer.number,
  impressionId,
  accountId,
  outcomes,
  at: look.at,
})

/** What an outcome is as an operation. */
function actionsOn(ad: Shown, persona: Persona, seed: number): PlannedAction['action'][] {
  const has = (name: OutcomeName) => hasOutcome(ad.outcomes, name)
  const { postId, userId } = ad
  const actions: PlannedAction['action'][] = []
  if (has('follows') && userId !== persona.userId) actions.push({ kind: 'follow', user_id: userId })
  if (postId === null) return actions
  if (has('likes')) actions.push({ kind: 'like', post_id: postId })
  if (has('reposts')) actions.push({ kind: 'repost', post_id: postId })
  if (has('replies')) {
    const number = Number(BigInt(ad.impressionId) & 0x7fff_ffffn)
    const text = typedText(persona.vocabulary, 'reply', persona.topics[0]!, [seed, persona.position, number])
    actions.push({ kind: 'reply', post_id: postId, text })
  }
  return actions
}
