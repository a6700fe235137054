import { useEffect, useRef } from 'preact/hooks'
import { listen } from './live.ts'

const PAUSE_MS = 1_000

/** True where the news are only what the console itself asked for. */
const isOwn = (items: readonly object[]): boolean =>
  items.every((item) => 'path' in item && String(item.path).includes('/_rostra/'))

/** Does something soon after one of the topics has news, at most once in a second. */
export function useNews(topics: readonly ('requests' | 'events' | 'deliveries')[], work: () => unknown): void {
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let lastMs = 0
    const arrived = (items: readonly object[]) => {
      if (isOwn(items)) return
      timer ??= setTimeout(
        () => {
          timer = undefined
          lastMs = performance.now()
          void latest.current()
        },
        Math.max(100, lastMs + PAUSE_MS - performance.now()),
      )
    }
    const ends = topics.map((topic) => listen(topic, arrived))
    return () => {
      clearTimeout(timer)
      for (const end of ends) end()
    }
  }, [topics.join()])
}
