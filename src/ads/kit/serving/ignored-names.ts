import type { Exchange } from '../../../api-kit/serving/serve-request.ts'
import { cutText } from '../../../process/cut-text.ts'
import type { Ignores } from '../operation.ts'

const MOST_NAMES = 20
const LONGEST_NAME = 60

/** How a request treats names that its operation does not know: refused when strict, otherwise ignored and noted in the request log. */
export function ignoresUnknown(strict: 'on' | 'off', exchange: Pick<Exchange, 'naming' | 'notes'>): Ignores {
  if (strict === 'on') return () => false
  const names = new Set<string>()
  const { notes } = exchange
  return (name) => {
    if (names.size < MOST_NAMES) {
      names.add(cutText(exchange.naming.rename(name), LONGEST_NAME))
      notes.details = { ...notes.details, ignored: [...names].join(', ') }
    }
    return true
  }
}
