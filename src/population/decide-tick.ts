import { setImmediate as turn } from 'node:timers/promises'
import type { Runtime } from '../api-kit/runtime.ts'
import { hash } from '../process/hash.ts'
import { idOfAction } from './actions/perform-actions.ts'
import type { Behaviour, Decision } from './behaviours/behaviour.ts'
import { checkDecision } from './behaviours/check-decision.ts'
import { decideByDefault } from './behaviours/default-behaviour.ts'
import { seenTimeline } from './behaviours/seen-timeline.ts'
import { differentLook, readRealHome } from './check-looks.ts'
import { ORDERS, READ_POSTS } from './feed-orders.ts'
import { type FeedOrder, type LifeCounts, LifeError, type StoredDecision } from './life.ts'
import { FollowedMirror } from './mirror/fill-mirror.ts'
import { HomeReader } from './mirror/home.ts'
import type { MirrorPost } from './mirror/mirror.ts'
import type { Persona } from './personas/load-personas.ts'
import type { LifeViews } from './views.ts'
import type { LookPlan } from './who-looks.ts'

const TURN_MS = 20
const CHECK_STREAM = 41
const LOOKS_PER_CHECK = 1_000
const FALLBACKS_AT_ONCE = 8
const LOOKS_PER_ANSWER = 100
/** A persona who never looked has seen nothing of the last day. */
const FIRST_LOOK_MS = 24 * 3600_000

/** What a tick is decided with. */
export interface Stage {
  runtime: Runtime
  seed: number
  order: FeedOrder
  personas: readonly Persona[]
  plan: LookPlan
  mirror: FollowedMirror
  home: HomeReader
  behaviour: Behaviour | undefined
  views: LifeViews
  counts: LifeCounts
  /** By position: when somebody looked last. */
  lastLooks: Float64Array
}

export async function openStage(stage: Omit<Stage, 'mirror' | 'home'>): Promise<Stage> {
  const mirror = await openMirror(stage)
  return { ...stage, mirror, home: new HomeReader(mirror.mirror) }
}

const openMirror = ({ runtime, seed, personas }: Pick<Stage, 'runtime' | 'seed' | 'personas'>) =>
  FollowedMirror.open(runtime, { seed, userIds: personas.map((persona) => persona.userId) })

/** Lets everybody who looks at a moment look and decide. */
export async function decideTick(
  stage: Stage,
  tick: number,
  atMs: number,
): Promise<{ looked: number[]; decisions: StoredDecision[] }> {
  await stage.mirror.sync()
  const looked = stage.plan.lookers(atMs)
  const deciding = new Deciding(stage, tick, atMs)
  let began = performance.now()
  for (const position of looked) {
    deciding.look(position)
    if (performance.now() - began < TURN_MS) continue
    await turn()
    began = performance.now()
  }
  await deciding.checkSome()
  await deciding.lookByOperation()
  await deciding.askBehaviour()
  for (const position of looked) stage.lastLooks[position] = atMs
  stage.counts.looks += looked.length
  return { looked, decisions: deciding.decisions }
}

/** The decisions of one tick. */
class Deciding {
  readonly decisions: StoredDecision[] = []
  readonly #stage: Stage
  readonly #tick: number
  readonly #atMs: number
  readonly #toCheck: Persona[] = []
  readonly #beyondMirror: Persona[] = []
  readonly #toAsk: { persona: Persona; posts: readonly MirrorPost[]; sinceMs: number }[] = []
  #actions = 0

  constructor(stage: Stage, tick: number, atMs: number) {
    this.#stage = stage
    this.#tick = tick
    this.#atMs = atMs
  }

  /** Lets somebody look in the mirror. Most looks end here, so this waits for nothing. */
  look(position: number): void {
    const { seed, personas, home, counts } = this.#stage
    const persona = personas[position]!
    const posts = home.read(position)
    if (!posts) {
      counts.fallbacks += 1
      this.#beyondMirror.push(persona)
      return
    }
    if (hash(seed, position, this.#tick, CHECK_STREAM) % LOOKS_PER_CHECK === 0) this.#toCheck.push(persona)
    this.#decide(persona, posts)
  }

  #decide(persona: Persona, home: readonly MirrorPost[]): void {
    const { seed, order, behaviour, lastLooks, views, counts, mirror } = this.#stage
    const { position } = persona
    const posts = order === 'time' ? home : ORDERS[order](persona, home).slice(0, READ_POSTS)
    const sinceMs = lastLooks[position]! || this.#atMs - FIRST_LOOK_MS
    for (let at = 0; at < posts.length; at++) {
      const post = posts[at]!
      if (post.atMs < sinceMs) continue
      views.view(post.originalId ?? post.id, this.#atMs)
      counts.views += 1
    }
    if (behaviour) {
      this.#toAsk.push({ persona, posts: [...posts], sinceMs })
      return
    }
    const before = this.#actions
    const actions = decideByDefault({
      seed,
      tick: this.#tick,
      persona,
      timeline: posts,
      sinceMs,
      userIds: mirror.mirror.ids,
      madeId: (nth) => idOfAction(this.#atMs, before + nth, 0),
    })
    if (actions) this.#add(position, { actions })
  }

  #add(position: number, { actions }: Decision): void {
    if (actions.length === 0) return
    this.decisions.push({ p: position, a: actions })
    this.#actions += actions.length
    for (const action of actions) this.#stage.views.action(action, this.#atMs)
  }

  /** Reads some looks by the operation too. They must be equal: else nothing that was seen can be trusted. */
  async checkSome(): Promise<void> {
    const stage = this.#stage
    for (const persona of this.#toCheck) {
      stage.counts.checked += 1
      const readMirror = async () => {
        await stage.mirror.sync()
        return stage.home.read(persona.position)?.map((post) => post.id)
      }
      if (!(await differentLook(stage.runtime, persona, readMirror))) continue
      // Some changes of the world are not events, such as an import.
      stage.mirror = await openMirror(stage)
      stage.home = new HomeReader(stage.mirror.mirror)
      stage.counts.reloads += 1
      const different = await differentLook(stage.runtime, persona, readMirror)
      if (different)
        throw new LifeError(
          `The home timeline of @${persona.username} at ${new Date(this.#atMs).toISOString()} is not the one that the life saw. The operation answered ${different.real.join(' ') || 'nothing'}, the life saw ${different.mirror.join(' ') || 'nothing'}.`,
        )
    }
  }

  /** Lets those look by the operation for whom the mirror does not reach far enough. */
  async lookByOperation(): Promise<void> {
    const { runtime, mirror } = this.#stage
    for (let from = 0; from < this.#beyondMirror.length; from += FALLBACKS_AT_ONCE) {
      const some = this.#beyondMirror.slice(from, from + FALLBACKS_AT_ONCE)
      const pages = await Promise.all(some.map((persona) => readRealHome(runtime, persona)))
      const posts = await mirror.describe(pages.flat())
      for (const [at, persona] of some.entries())
        this.#decide(
          persona,
          pages[at]!.flatMap((id) => posts.get(id) ?? []),
        )
    }
  }

  /** Asks a behaviour of a file or an agent, in batches. */
  async askBehaviour(): Promise<void> {
    const { behaviour, mirror, seed } = this.#stage
    if (!behaviour) return
    for (let from = 0; from < this.#toAsk.length; from += LOOKS_PER_ANSWER) {
      const some = this.#toAsk.slice(from, from + LOOKS_PER_ANSWER)
      const looks = some.map(({ persona, posts, sinceMs }) =>
        seenTimeline(persona, posts, {
          seed,
          tick: this.#tick,
          atMs: this.#atMs,
          sinceMs,
          userIds: mirror.mirror.ids,
        }),
      )
      const decisions = await behaviour.decide(looks)
      if (decisions.length !== some.length)
        throw new LifeError(`The behaviour answered ${decisions.length} decisions for ${some.length} looks.`)
      for (const [at, { persona }] of some.entries()) {
        const decision = checkDecision(decisions[at]!, persona)
        if (decision.memory) persona.memory = decision.memory
        this.#add(persona.position, decision)
      }
    }
  }
}
