import type { Parameter } from '../../api-kit/declaring/parameters.ts'
import { Type } from '../../api-kit/declaring/schema.ts'
import { readChecked, writeChecked } from '../../api-kit/reading/checked-number.ts'
import { LANGUAGES } from '../../search/operators.ts'

/** How many posts each feed has. */
export const FEED_SIZES = { small: 250, large: 1_000, xl: 4_000, xxl: 16_000 } as const
export type FeedSize = keyof typeof FEED_SIZES

/** Which posts a writer asks for. */
export interface PostSelection {
  size: FeedSize
  /** Undefined for all languages. */
  lang: string | undefined
}

const SIZES = Object.keys(FEED_SIZES)
const LANGS = ['all', ...LANGUAGES]

/** The parameter `post_selection`: `feed_size: small, feed_lang: en`, both parts optional. */
export const postSelection = (): Parameter<PostSelection> => ({
  describe: (name) => [{ name, required: false, schema: Type.String() }],
  compile: (name, naming) => {
    const spelled = naming.rename(name)
    return (query, faults) => {
      const texts = query.get(spelled)
      const found = texts === undefined ? {} : texts.length === 1 ? readSelection(texts[0]!) : undefined
      if (found === undefined)
        faults.push({
          parameters: { [spelled]: texts ?? [] },
          message:
            `The \`${spelled}\` query parameter must be like [feed_size: small, feed_lang: en]. ` +
            `feed_size is one of [${SIZES.join(',')}], feed_lang one of [${LANGS.join(',')}]`,
        })
      const { feed_size: size = 'small', feed_lang: lang = 'all' } = found ?? {}
      return { size: size as FeedSize, lang: lang === 'all' ? undefined : lang }
    }
  },
})

function readSelection(text: string): Record<string, string> | undefined {
  const found: Record<string, string> = {}
  for (const part of text.split(',')) {
    const [, name, value] = /^\s*(feed_size|feed_lang)\s*:\s*([a-z-]{2,5})\s*$/i.exec(part.slice(0, 100)) ?? []
    if (name === undefined || value === undefined) return undefined
    const [key, word] = [name.toLowerCase(), value.toLowerCase()]
    const allowed = key === 'feed_size' ? SIZES : LANGS
    if (found[key] !== undefined || !allowed.includes(word)) return undefined
    found[key] = word
  }
  return found
}

/** Where a page of a feed begins, and how many posts the feed has from there. */
export interface FeedStart {
  before: string
  left: number
}

/** The parameter `pagination_token` of a feed. */
export const feedToken = (): Parameter<FeedStart | undefined> => ({
  describe: (name) => [{ name, required: false, schema: Type.String() }],
  compile: (name, naming) => {
    const spelled = naming.rename(name)
    return (query, faults) => {
      const texts = query.get(spelled)
      if (texts === undefined) return undefined
      const start = texts.length === 1 ? readFeedToken(texts[0]!) : undefined
      if (!start)
        faults.push({
          parameters: { [spelled]: texts },
          message: `The \`${spelled}\` query parameter value [${texts.join()}] is not valid`,
        })
      return start
    }
  },
})

const LEFT_BITS = 16n

// A feed ends after a number of posts. A token carries how many are left, so no page has to count those before it.
export const writeFeedToken = ({ before, left }: FeedStart): string =>
  writeChecked((BigInt(before) << LEFT_BITS) | BigInt(left))

function readFeedToken(text: string): FeedStart | undefined {
  const number = readChecked(text)
  if (number === undefined || number >> LEFT_BITS >= 1n << 63n) return undefined
  return { before: (number >> LEFT_BITS).toString(), left: Number(number & ((1n << LEFT_BITS) - 1n)) }
}
