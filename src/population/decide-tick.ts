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
import type { Phases } from './phases.ts'
import type { LifeViews } from './views.ts'
import type { LookPlan } from './who-looks.ts'

const TURN_MS = 20
const CHECK_STREAM = 41
const LOOKS_PER_CHECK = 1_000
const CHECKS_AT_ONCE = 8
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
  phases: Phases
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
  const { phases } = stage
  await phases.time('mirror', () => stage.mirror.sync())
  const looked = await phases.time('plan', () => stage.plan.lookers(atMs))
  const deciding = new Deciding(stage, tick, atMs)
  await phases.time('looks', () => deciding.lookAll(looked))
  await phases.time('checks', async () => {
    await deciding.checkSome()
    await deciding.lookByOperation()
  })
  await phases.time('behaviour', () => deciding.askBehaviour())
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
  readonly #different: Persona[] = []
  readonly #beyondMirror: Persona[] = []
  readonly #toAsk: { persona: Persona; posts: readonly MirrorPost[]; sinceMs: number }[] = []
  #actions = 0

  constructor(stage: Stage, tick: number, atMs: number) {
    this.#stage = stage
    this.#tick = tick
    this.#atMs = atMs
  }

  /** Lets everybody look in the mirror. Other work of the process gets its turn in between. */
  async lookAll(positions: readonly number[]): Promise<void> {
    let began = performance.now()
    for (const position of positions) {
      this.look(position)
      if (performance.now() - began < TURN_MS) continue
      await turn()
      began = performance.now()
    }
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
    const { memory } = persona
    const actions = decideByDefault({
      seed,
      tick: this.#tick,
      persona,
      timeline: posts,
      sinceMs,
      userIds: mirror.mirror.ids,
      madeId: (nth) => idOfAction(this.#atMs, before + nth, 0),
    })
    // A new object says that it has changed.
    const changed = persona.memory !== memory && persona.memory ? { memory: persona.memory } : {}
    if (actions) this.#add(position, { actions, ...changed })
  }

  #add(position: number, { actions, memory }: Decision): void {
    if (actions.length === 0 && !memory) return
    this.decisions.push({ p: position, a: actions, ...(memory ? { m: memory } : {}) })
    this.#actions += actions.length
    for (const action of actions) this.#stage.views.action(action, this.#atMs)
  }

  /** Reads some looks by the operation too. They must be equal: else nothing that was seen can be trusted. */
  async checkSome(): Promise<void> {
    this.#stage.counts.checked += this.#toCheck.length
    for (let from = 0; from < this.#toCheck.length; from += CHECKS_AT_ONCE)
      await Promise.all(this.#toCheck.slice(from, from + CHECKS_AT_ONCE).map((persona) => this.#check(persona)))
    for (const persona of this.#different) await this.#checkAgain(persona)
  }

  async #check(persona: Persona): Promise<void> {
    if (await differentLook(this.#stage.runtime, persona, () => this.#readMirror(persona)))
      this.#different.push(persona)
  }

  async #readMirror({ position }: Persona): Promise<string[] | undefined> {
    await this.#stage.mirror.sync()
    return this.#stage.home.read(position)?.map((post) => post.id)
  }

  /** Some changes of the world are not events, such as an import. */
  async #checkAgain(persona: Persona): Promise<void> {
    const stage = this.#stage
    stage.mirror = await openMirror(stage)
    stage.home = new HomeReader(stage.mirror.mirror)
    stage.counts.reloads += 1
    const different = await differentLook(stage.runtime, persona, () => this.#readMirror(persona))
    if (different)
      throw new LifeError(
        `The home timeline of @${persona.username} at ${new Date(this.#atMs).toISOString()} is not the one that the life saw. The operation answered ${different.real.join(' ') || 'nothing'}, the life saw ${different.mirror.join(' ') || 'nothing'}.`,
      )
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
