/** A sleep that can be ended; a call that comes while nobody sleeps ends the next one. */
export interface Alarm {
  readonly rings: boolean
  ring(): void
  /** Forgets a call: what it told of is looked at from here on. */
  quiet(): void
  sleep(ms: number): Promise<void>
}

/** For one sleeper. */
export function createAlarm(): Alarm {
  let rings = false
  let end = () => {}
  return {
    get rings() {
      return rings
    },
    ring: () => {
      rings = true
      end()
    },
    quiet: () => {
      rings = false
    },
    sleep: (ms) =>
      new Promise<void>((resolve) => {
        if (rings) return resolve()
        const timer = setTimeout(resolve, ms)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
