import { setImmediate } from 'node:timers/promises'
import { onNewWorld, type Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { type Database, repeatingDeadlock, transaction } from '../../storage/database.ts'
import { countShown } from '../shown-ads/count-shown.ts'
import { chooseAds, type Win } from './choose-ads.ts'
import { earlierLooks, storedLooks, storeLooks } from './earlier-looks.ts'
import { AdFloor } from './floor.ts'
import { type Look, SHOWN_PLACEMENTS, type Shown } from './look.ts'
import { OUTCOME } from './outcomes.ts'
import { hasPaidEvent, respond } from './response-model.ts'
import { storeTurn, type TurnEvent } from './store-turn.ts'

/** How looks are answered. */
export interface LookOptions {
  /** What viewers do is drawn from the model at once, or told later by `recordOutcome`. */
  responds: 'model' | 'later'
  /** Only this sandbox account serves, and nobody sees it. */
  dryAccountId?: string
  /** Of the model. */
  seed?: number
  /** None of the looks was answered before: that need not be looked up. */
  areNew?: boolean
}

const MOST_SLOTS = 8
const YIELD_MS = 20

/** Shows ads. One turn after the other: a turn answers some looks in one transaction. */
class AdServer {
  readonly #runtime: Runtime
  readonly #floors = new Map<string, AdFloor>()
  readonly #endListening: () => void
  #turn: Promise<unknown> = Promise.resolve()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#endListening = onNewWorld(runtime, () => this.#floors.clear())
  }

  serve(looks: readonly Look[], options: LookOptions): Promise<Shown[][]> {
    const turn = this.#turn.then(() => this.#serve(looks, options))
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** What it knows about the items of an account, or of all that are no sandbox. */
  floor(dryAccountId = ''): AdFloor {
    let floor = this.#floors.get(dryAccountId)
    if (!floor) {
      floor = new AdFloor(this.#runtime, dryAccountId === '' ? null : dryAccountId)
      this.#floors.set(dryAccountId, floor)
    }
    return floor
  }

  async stop(): Promise<void> {
    this.#endListening()
    await this.#turn
    try {
      for (const floor of this.#floors.values()) await floor.save()
    } catch (error) {
      this.#runtime.log.warn({ err: error }, 'what was learned about pacing could not be kept')
    }
  }

  async #serve(looks: readonly Look[], options: LookOptions): Promise<Shown[][]> {
    if (looks.length === 0) return []
    const { database } = this.#runtime
    const floor = this.floor(options.dryAccountId)
    await floor.refresh(looks.at(-1)!.at, options.responds)
    const answered = await answeredBefore(database, looks, options)
    await floor.readSightings(looks)
    const chosen: { look: number; win: Win; event: TurnEvent }[] = []
    let began = performance.now()
    for (const [at, look] of looks.entries()) {
      if (answered.has(look.id)) continue
      floor.pass(look.at)
      if (floor.contenders.length === 0) continue
      for (const [slot, win] of chooseAds(
        floor,
        { ...look, slots: Math.min(look.slots, MOST_SLOTS) },
        floor.termsOf(look),
      ).entries()) {
        const event = eventOf(look, slot, win, options)
        floor.note(win, event)
        chosen.push({ look: at, win, event })
      }
      if (performance.now() - began > YIELD_MS) {
        await setImmediate()
        began = performance.now()
      }
    }
    if (options.responds === 'model' && chosen.length === 0) {
      await floor.saveSometimes()
      return looks.map((look) => answered.get(look.id) ?? [])
    }
    let shown: Shown[][]
    try {
      const turn = await repeatingDeadlock(() =>
        transaction(database, async (tx) => {
          const events = chosen.map(({ event }) => event)
          const stored = await storeTurn(tx, events, looks.at(-1)!.at, options.dryAccountId ?? null)
          const kept = new Map(stored.events.map((event) => [`${event.viewer} ${event.id}`, event]))
          const shown = looks.map((look) => [...(answered.get(look.id) ?? [])])
          for (const { look, win, event } of chosen) {
            const one = kept.get(`${event.viewer} ${event.id}`)
            if (one) shown[look]!.push(shownOf(win, one, shown[look]!.length))
          }
          if (options.responds === 'later')
            await storeLooks(
              tx,
              looks.flatMap((look, at) => (answered.has(look.id) ? [] : [{ look, shown: shown[at]! }])),
            )
          return { stored, shown }
        }),
      )
      shown = turn.shown
      floor.settle(turn.stored)
    } catch (error) {
      // What was chosen was not stored: budgets and sights are read again.
      this.#floors.delete(options.dryAccountId ?? '')
      throw error
    }
    // Nobody sees what a sandbox account would show.
    if (options.dryAccountId === undefined)
      await countShown(
        this.#runtime,
        looks.flatMap(({ id, at }, index) => (answered.has(id) ? [] : shown[index]!.map((ad) => ({ ...ad, at })))),
      )
    await floor.saveSometimes()
    return shown
  }
}

async function answeredBefore(
  database: Database,
  looks: readonly Look[],
  { responds, areNew = false }: LookOptions,
): Promise<Map<string, Shown[]>> {
  if (responds === 'later') return storedLooks(database, looks)
  return areNew ? new Map() : earlierLooks(database, looks)
}

function eventOf(look: Look, slot: number, win: Win, { responds, seed = 1 }: LookOptions): TurnEvent {
  const { item } = win.contender
  const { paid } = item.bid
  const outcomes =
    responds === 'model' ? respond(seed, look.viewer.number, win.creative, win.sight) : OUTCOME.impressions
  const isPaid = hasPaidEvent(paid, outcomes)
  return {
    id: String(BigInt(look.id) + BigInt(slot)),
    at: look.at,
    viewer: look.viewer.number,
    item,
    promotedId: win.creative.promotedId,
    placement: SHOWN_PLACEMENTS.indexOf(look.placement),
    outcomes,
    charge: isPaid ? win.price : 0,
    price: isPaid || responds === 'model' ? null : win.price,
    impressionId: null,
  }
}

const shownOf = ({ creative, contender: { item } }: Win, event: TurnEvent, slot: number): Shown => ({
  slot,
  impressionId: event.id,
  accountId: item.accountId,
  campaignId: item.campaignId,
  lineItemId: item.id,
  promotedId: creative.promotedId,
  postId: creative.postId,
  userId: creative.userId,
  outcomes: event.outcomes,
  charge: event.charge,
})

export const adServer = defineSingleton({
  name: 'ad server',
  create: (runtime: Runtime) => new AdServer(runtime),
  stop: (server) => server.stop(),
})

/** The ads of some looks, in order. They are stored and paid when this returns. */
export const serveLooks = (runtime: Runtime, looks: readonly Look[], options: LookOptions): Promise<Shown[][]> =>
  runtime.singleton(adServer).serve(looks, options)
