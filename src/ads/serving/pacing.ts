/** How eagerly a line item or campaign takes part in auctions, so that its budget lasts for the day. */
export interface Pace {
  /** Multiplies the bid. */
  lambda: number
  /** The probability of taking part. */
  theta: number
  /** What a minute would cost with theta 1, as a moving average; with the weight that the average has so far. */
  open: number
  weight: number
  /** The expected charge of the present minute. */
  expected: number
}

const MEMORY = 0.95
const GAIN = 0.01
const CALM_THETA = 0.8
const LEAST_THETA = 0.0005
const LEAST_LAMBDA = 0.05
const FIRST_THETA = 0.1
/** At most this many times the planned charge of a minute, however far behind the plan. */
const MOST_CATCHING_UP = 3

export const newPace = (): Pace => ({ lambda: 1, theta: FIRST_THETA, open: 0, weight: 0, expected: 0 })

/** What pacing must know about a day. */
export interface PacedDay {
  /** The budget of the day. */
  budget: number
  spent: number
  /** The part of the day's looks that lies behind, 0 to 1. */
  gone: number
  /** The part of the day's looks that the next minute has. */
  next: number
  mostLambda: number
}

/**
 * Sets the pace of the next minute. Expected charges steer, because real ones come in lumps; real ones are what was spent. Theta
 * answers at once, lambda slowly: a bid that is too high for the budget buys less for more.
 */
export function setPace(pace: Pace, { budget, spent, gone, next, mostLambda }: PacedDay): void {
  pace.open = MEMORY * pace.open + (1 - MEMORY) * (pace.expected / pace.theta)
  pace.weight = MEMORY * pace.weight + (1 - MEMORY)
  pace.expected = 0
  const open = pace.open / pace.weight
  const left = Math.max(0, budget - spent)
  const wanted = Math.min(MOST_CATCHING_UP * budget * next, (left * next) / Math.max(1 - gone, next))
  pace.theta = open <= 0 ? Math.min(1, pace.theta * 1.5) : clamp(wanted / open, LEAST_THETA, 1)
  pace.lambda = clamp(
    pace.lambda * Math.exp(GAIN * clamp((pace.theta - CALM_THETA) / CALM_THETA, -1, 0.3)),
    LEAST_LAMBDA,
    mostLambda,
  )
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** Looks by hour of the week in UTC, learned as they come: the plan of a day follows them. */
export class Traffic {
  readonly looks = new Float64Array(168)
  #hour = -1
  #count = 0

  /** Counts looks; an hour is learned when it is over, half from what it had before. Returns true when one was learned. */
  add(at: number, count: number): boolean {
    const hour = Math.floor(at / HOUR_MS)
    const isOver = hour > this.#hour && this.#hour >= 0
    if (isOver) {
      const known = this.looks[hourOfWeek(this.#hour * HOUR_MS)]!
      this.looks[hourOfWeek(this.#hour * HOUR_MS)] = known > 0 ? (known + this.#count) / 2 : this.#count
    }
    if (hour !== this.#hour) this.#count = 0
    this.#hour = hour
    this.#count += count
    return isOver
  }

  /** How much of the looks between two moments an interval has, by what hours of the week had before. */
  weight(from: number, to: number): number {
    let sum = 0
    for (let start = from; start < to; ) {
      const end = Math.min(to, (Math.floor(start / HOUR_MS) + 1) * HOUR_MS)
      sum += this.#rate(start) * (end - start)
      start = end
    }
    return sum
  }

  /** An hour that was never seen counts as that hour of other days, or else as the mean of all. */
  #rate(at: number): number {
    const hour = hourOfWeek(at)
    const own = this.looks[hour]!
    if (own > 0) return own
    let days = 0
    let looks = 0
    for (let day = 0; day < 7; day++) {
      const other = this.looks[(hour % 24) + 24 * day]!
      if (other > 0) {
        days += 1
        looks += other
      }
    }
    return days > 0 ? looks / days : this.#mean()
  }

  #mean(): number {
    let seen = 0
    let looks = 0
    for (const count of this.looks)
      if (count > 0) {
        seen += 1
        looks += count
      }
    return seen > 0 ? looks / seen : 1
  }
}

const HOUR_MS = 3_600_000
/** The week begins on Monday; 1970 began on a Thursday. */
const hourOfWeek = (at: number): number => (Math.floor(at / HOUR_MS) + 3 * 24) % 168
