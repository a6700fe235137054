/** Product time stands still. */
interface Frozen {
  atMs: number
  /** Real time when it was stopped. */
  sinceMs: number
  /** How long clocks of this installation had been frozen before, in real time. */
  spentMs: number
}

/** How product time follows from real time. All processes of an installation share it. */
export interface ClockState {
  /** How far product time is ahead of real time. Without a meaning while it is frozen. */
  offsetMs: number
  frozen?: Frozen
}

/** Product time in milliseconds: real time, unless the control interface has moved or frozen it for tests. */
export interface Clock {
  now(): number
  /** How far product time is ahead of real time at the moment. */
  offsetMs(): number
  state(): ClockState
  setState(state: ClockState): void
  /** The state that a reset restores. */
  home: ClockState
  /** Lets time run with this offset. */
  setOffset(offsetMs: number): void
  /** Calls a listener whenever the clock is moved, frozen or resumed. Returns how to end that. */
  onMove(listener: () => void): () => void
  /** Real time as this clock knows it: it never goes back. */
  reached(): number
}

/** A larger step back is not a correction of some drift: the clock was wrong before. */
export const LARGEST_STEP_MS = 7 * 24 * 3600_000

/** Product time is real time. */
export const RUNNING: ClockState = { offsetMs: 0 }

/**
 * The only place that reads real time for product purposes. When the system's clock is set back, this one goes on at half speed
 * until the system's has caught up, so no moment comes twice. A step of more than a week corrects a clock that was wrong, and is
 * followed. `reachedMs` is a moment that was reached before this process.
 */
export function createClock(reachedMs = 0, home = RUNNING): Clock {
  let state = home
  let last = reachedMs
  let readAt = performance.now()
  const listeners = new Set<() => void>()
  const reached = () => {
    const real = Date.now()
    const readNow = performance.now()
    const isBehind = real < last && last - real < LARGEST_STEP_MS
    last = isBehind ? last + (readNow - readAt) / 2 : real
    readAt = readNow
    return Math.floor(last)
  }
  const setState = (next: ClockState) => {
    state = next
    for (const listener of listeners) listener()
  }
  return {
    now: () => state.frozen?.atMs ?? reached() + state.offsetMs,
    offsetMs: () => (state.frozen ? state.frozen.atMs - reached() : state.offsetMs),
    state: () => state,
    setState,
    home,
    setOffset: (offsetMs) => setState({ offsetMs }),
    onMove: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    reached,
  }
}

/** Real time in milliseconds, for rules that clients compare with their own clock (signatures, rate-limit windows). */
export const realNow = (): number => Date.now()

/** The wire form of a time: UTC, three decimals, cut to the whole second as the platform does. */
export function wireTime(ms: number): string {
  const day = Math.floor(ms / DAY_MS)
  // Most times of an answer are close to each other, and writing a date takes longest.
  if (day !== lastDay) {
    lastDate = new Date(day * DAY_MS).toISOString().slice(0, -13)
    lastDay = day
  }
  const second = Math.floor((ms - day * DAY_MS) / 1000)
  return `${lastDate}${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}.000Z`
}

const DAY_MS = 24 * 3600_000
let lastDay: number | undefined
let lastDate = ''
const two = (number: number): string => (number < 10 ? `0${number}` : String(number))
