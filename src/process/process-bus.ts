/** Messages between the worker processes of one machine. */
export interface ProcessBus {
  /** Handles messages of a topic from other processes; what it returns, or resolves to, goes back to who asked. */
  answer(topic: string, handler: (payload: never) => unknown): void
  /** Resolves when every other process has handled the message, or stands still. Messages of one turn travel together. */
  sendAll(topic: string, payload: unknown): Promise<void>
  /** Asks every other process and collects what they return. */
  askAll<T>(topic: string, payload: unknown): Promise<T[]>
  /** Wakes the supervisor, once per turn: there may be something to do. Nothing answers. */
  wake(topic: string): void
}

/** The bus of a process without others. */
export function createLocalBus(): ProcessBus {
  return { answer: () => {}, sendAll: async () => {}, askAll: async () => [], wake: () => {} }
}

type FromWorker =
  | { rostra: 'wake'; topic: string }
  | { rostra: 'ask'; call: number; topic: string; payload: unknown }
  | { rostra: 'reply'; call: number; value: unknown }
type ToWorker =
  | { rostra: 'question'; call: number; topic: string; payload: unknown }
  | { rostra: 'answers'; call: number; values: unknown[] }

/** The connection to the supervisor, as a worker process has it. */
export interface SupervisorChannel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** A worker's side: everything goes through the supervisor, which forwards it to the other workers. */
export function createWorkerBus(channel: SupervisorChannel): ProcessBus {
  const handlers = new Map<string, (payload: never) => unknown>()
  const waiting = new Map<number, (values: unknown[]) => void>()
  let calls = 0

  const ask = (topic: string, payload: unknown): Promise<unknown[]> =>
    new Promise((resolve) => {
      calls += 1
      waiting.set(calls, resolve)
      channel.send({ rostra: 'ask', call: calls, topic, payload } satisfies FromWorker)
    })

  channel.onMessage((raw) => {
    const message = raw as ToWorker
    if (message?.rostra === 'answers') {
      waiting.get(message.call)?.(message.values)
      waiting.delete(message.call)
    } else if (message?.rostra === 'question') {
      const handler = handlers.get(message.topic) as ((payload: unknown) => unknown) | undefined
      const reply = (value: unknown) =>
        channel.send({ rostra: 'reply', call: message.call, value: value ?? null } satisfies FromWorker)
      const value = handler?.(message.payload)
      // Whoever asks for work waits for its end, even if it fails.
      if (value instanceof Promise) value.then(reply, () => reply(null))
      else reply(value)
    }
  })

  // Messages of one turn share one round trip; each topic's handler gets the payloads one by one, in order.
  let unsent: { topic: string; payload: unknown }[] = []
  let round: Promise<void> | undefined
  handlers.set(SEVERAL, ((items: { topic: string; payload: unknown }[]) => {
    for (const item of items) (handlers.get(item.topic) as ((payload: unknown) => unknown) | undefined)?.(item.payload)
  }) as (payload: never) => unknown)

  const woken = new Set<string>()

  return {
    wake: (topic) => {
      if (woken.has(topic)) return
      woken.add(topic)
      setImmediate(() => {
        woken.delete(topic)
        channel.send({ rostra: 'wake', topic } satisfies FromWorker)
      })
    },
    answer: (topic, handler) => handlers.set(topic, handler),
    askAll: async <T>(topic: string, payload: unknown) => (await ask(topic, payload)) as T[],
    sendAll: (topic, payload) => {
      unsent.push({ topic, payload })
      round ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
        const items = unsent
        unsent = []
        round = undefined
        await ask(SEVERAL, items)
      })
      return round
    },
  }
}

// The topic of messages that travel together.
const SEVERAL = 'several'

/** The payloads of a topic that a worker sends to the others with this message. */
export function payloadsSentTo(topic: string, message: unknown): unknown[] {
  const sent = message as FromWorker
  if (sent?.rostra !== 'ask' || sent.topic !== SEVERAL) return []
  return (sent.payload as { topic: string; payload: unknown }[])
    .filter((item) => item.topic === topic)
    .map((item) => item.payload)
}

/** A worker as the supervisor sees it. */
export interface BusWorker {
  id: number
  send(message: unknown): void
}

/** The supervisor's side: forwards questions and collects the answers. */
export interface BusRouter {
  join(worker: BusWorker): void
  leave(worker: BusWorker): void
  received(worker: BusWorker, message: unknown): void
  /** Sends something to every worker without waiting. */
  announce(topic: string, payload: unknown): void
  /** Sends something to one worker without waiting. */
  sendTo(worker: BusWorker, topic: string, payload: unknown): void
}

// A worker whose event loop stands still serves nothing meanwhile, and drops its cached data when it goes on (stall-watch.ts).
// So the others need not wait for it longer than this.
const ANSWER_WITHIN_MS = 5_000
const SILENT_AFTER_MS = 30_000

export interface BusRouterOptions {
  /** Called with a worker that has not answered for 30 s: it is not busy, but stuck. */
  onSilent(worker: BusWorker): void
  onWake(topic: string): void
}

export function createBusRouter({ onSilent, onWake }: BusRouterOptions): BusRouter {
  const workers = new Map<number, BusWorker>()
  const calls = new Map<
    number,
    { asker: BusWorker | undefined; askerCall: number; open: Set<number>; values: unknown[]; timers: NodeJS.Timeout[] }
  >()
  let count = 0

  const answer = (call: number) => {
    const state = calls.get(call)
    state?.asker?.send({ rostra: 'answers', call: state.askerCall, values: state.values } satisfies ToWorker)
    if (state) state.asker = undefined
  }

  const finish = (call: number) => {
    const state = calls.get(call)
    if (!state || state.open.size > 0) return
    for (const timer of state.timers) clearTimeout(timer)
    answer(call)
    calls.delete(call)
  }

  const forward = (asker: BusWorker | undefined, askerCall: number, topic: string, payload: unknown) => {
    const others = [...workers.values()].filter((worker) => worker.id !== asker?.id)
    count += 1
    const call = count
    const goOn = setTimeout(() => answer(call), ANSWER_WITHIN_MS)
    const giveUp = setTimeout(() => {
      for (const id of calls.get(call)?.open ?? []) {
        const silent = workers.get(id)
        if (silent) onSilent(silent)
      }
    }, SILENT_AFTER_MS)
    const timers = [goOn, giveUp]
    for (const timer of timers) timer.unref()
    calls.set(call, { asker, askerCall, open: new Set(others.map((worker) => worker.id)), values: [], timers })
    for (const worker of others) worker.send({ rostra: 'question', call, topic, payload } satisfies ToWorker)
    finish(call)
  }

  return {
    join: (worker) => workers.set(worker.id, worker),
    leave: (worker) => {
      workers.delete(worker.id)
      for (const [call, state] of calls) {
        state.open.delete(worker.id)
        if (state.asker?.id === worker.id) state.asker = undefined
        finish(call)
      }
    },
    received: (worker, raw) => {
      const message = raw as FromWorker
      if (message?.rostra === 'wake') onWake(message.topic)
      else if (message?.rostra === 'ask') forward(worker, message.call, message.topic, message.payload)
      else if (message?.rostra === 'reply') {
        const state = calls.get(message.call)
        if (!state?.open.delete(worker.id)) return
        state.values.push(message.value)
        finish(message.call)
      }
    },
    announce: (topic, payload) => forward(undefined, 0, topic, payload),
    sendTo: (worker, topic, payload) => worker.send({ rostra: 'question', call: 0, topic, payload } satisfies ToWorker),
  }
}
