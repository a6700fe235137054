/** Wakes one waiting loop. A signal that comes while nothing waits ends the next wait. */
interface WakeSignal {
  readonly isSet: boolean
  set(): void
  /** Called before the loop looks for work: what the signal announced is found from here on. */
  clear(): void
  /** Resolves when the signal is set, or after this time. */
  wait(ms: number): Promise<void>
}

export function createWakeSignal(): WakeSignal {
  let isSet = false
  let end = () => {}
  return {
    get isSet() {
      return isSet
    },
    set: () => {
      isSet = true
      end()
    },
    clear: () => {
      isSet = false
    },
    wait: (ms) =>
      new Promise<void>((resolve) => {
        if (isSet) return resolve()
        const timer = setTimeout(resolve, ms)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
