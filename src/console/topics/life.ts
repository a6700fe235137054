import { onLifeNews } from '../../population/life-news.ts'
import { lastLife, shownLife } from '../../population/manage-life.ts'
import type { OpenTopic } from '../live-topic.ts'

// Every message has the whole state, so a reader that comes back needs only the last one.
const CURSOR = '1'

/** The last life of a population, as it goes on. */
export const openLife: OpenTopic = async (runtime, stream, given, writer) => {
  writer.at(CURSOR)
  let isReading = false
  let isAsked = false
  const send = async () => {
    isAsked = true
    if (isReading) return
    isReading = true
    try {
      while (isAsked && !stream.isClosed) {
        isAsked = false
        const life = await lastLife(runtime)
        if (life) writer.send(JSON.stringify([shownLife(life)]), CURSOR)
        await stream.drained()
      }
    } finally {
      isReading = false
    }
  }
  stream.onClose(onLifeNews(runtime, () => send().catch(() => stream.close())))
  if (given !== undefined) await send()
}
