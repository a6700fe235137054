import { SCRIPTS } from './scripts.ts'
import type { TextEntity } from './text-entity.ts'

// The platform's codes for texts without words.
const ONLY = { url: 'zxx', mention: 'qam', hashtag: 'qht', cashtag: 'qct' } as const
const VERY_SHORT = 'qst'
const UNDETERMINED = 'und'

// Where the model's code differs from the platform's. The model does not distinguish Malay from Indonesian.
const PLATFORM_CODES: Record<string, string> = { he: 'iw', ms: 'in', ku: 'ckb' }
// The model detects these languages, but the platform does not have them.
const NOT_ON_PLATFORM = ['az', 'be', 'sq', 'yo']

const LONGEST_SAMPLE = 160
const FEWEST_LETTERS = 12
const LEAST_SCORE = 0.65

type Model = typeof import('eld/extrasmall').eld

// The model takes a third of a second and much memory to load, so only processes that store texts load it.
let loading: Promise<Model> | undefined
async function loadModel(): Promise<Model> {
  const { eld } = await import('eld/extrasmall')
  const model = eld.newInstance()
  model.setLanguageSubset(Object.values(eld.info().Languages).filter((code) => !NOT_ON_PLATFORM.includes(code)))
  return model
}

/** The platform's language code for a text with the given entities. */
export async function detectLanguage(text: string, entities: readonly TextEntity[]): Promise<string> {
  const words = wordsOf(text, entities)
  const letters = countLetters(words)
  if (letters.total === 0) return codeOfWordless(words, entities)
  const byScript = languageOfScript(letters)
  if (byScript !== undefined) return byScript
  loading ??= loadModel()
  return languageOfModel(await loading, words, letters.total)
}

function wordsOf(text: string, entities: readonly TextEntity[]): string {
  let words = ''
  let at = 0
  for (const entity of entities) {
    words += `${text.slice(at, entity.start)} `
    at = entity.end
    if (words.length > LONGEST_SAMPLE) break
  }
  words += text.slice(at, at + LONGEST_SAMPLE)
  return words.length > LONGEST_SAMPLE ? words.slice(0, LONGEST_SAMPLE) : words
}

function codeOfWordless(words: string, entities: readonly TextEntity[]): string {
  if (words.trim() !== '') return UNDETERMINED
  const kinds = new Set(entities.map((entity) => entity.kind))
  // A link next to mentions or tags does not matter.
  if (kinds.size > 1) kinds.delete('url')
  if (kinds.size > 1) return UNDETERMINED
  const [kind] = kinds
  return ONLY[kind ?? 'url']
}

interface Letters {
  total: number
  byLanguage: Map<string, number>
}

function countLetters(words: string): Letters {
  const byLanguage = new Map<string, number>()
  let total = 0
  for (let at = 0; at < words.length; at++) {
    const code = words.charCodeAt(at)
    if (code < 0x80) {
      if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) total++
      continue
    }
    const script = SCRIPTS.find((one) => code >= one.from && code <= one.to)
    if (!script) continue
    total++
    if (script.language) byLanguage.set(script.language, (byLanguage.get(script.language) ?? 0) + 1)
  }
  return { total, byLanguage }
}

function languageOfScript({ total, byLanguage }: Letters): string | undefined {
  const kana = byLanguage.get('ja') ?? 0
  const han = byLanguage.get('zh') ?? 0
  // Japanese mixes both, but Chinese names may contain a few kana.
  if (kana > 0 && han > 0) {
    const language = kana * 8 >= han ? 'ja' : 'zh'
    byLanguage.delete(language === 'ja' ? 'zh' : 'ja')
    byLanguage.set(language, kana + han)
  }
  for (const [language, count] of byLanguage) {
    // One character of these scripts carries as much as several letters.
    const others = total - count
    if (['ja', 'zh', 'ko'].includes(language) ? count * 2 >= others : count >= others) return language
  }
  return undefined
}

function languageOfModel(model: Model, words: string, letters: number): string {
  const result = model.detect(words)
  const undecided = letters < FEWEST_LETTERS ? VERY_SHORT : UNDETERMINED
  if (result.language === '') return undecided
  if (!result.isReliable()) {
    // Related languages (Danish, Norwegian) tie: unreliable, but still the best answer for a sentence.
    const score = result.getScores()[result.language] ?? 0
    if (letters < FEWEST_LETTERS || score < LEAST_SCORE) return undecided
  }
  return PLATFORM_CODES[result.language] ?? result.language
}
