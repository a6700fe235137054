import { cutText } from '../../process/cut-text.ts'
import { quote } from '../../search/post-terms.ts'
import { tokenize } from '../../search/tokenize.ts'
import { categoryOf } from '../annotations/category.ts'
import { type AnnotationEntity, entitiesOf } from '../annotations/dictionary.ts'
import type { ClusterPost, PostCluster } from './cluster-posts.ts'

/** A post with the text that a story quotes. */
export interface StoryPost extends ClusterPost {
  /** As typed. */
  text: string
}

/** What a story is about. */
export interface StoryContexts {
  entities?: Partial<Record<'events' | 'organizations' | 'people' | 'places' | 'products', string[]>>
  topics?: string[]
  finance?: { tickers: string[] }
  sports?: { teams: string[] }
}

/** The text of a story, taken from its posts. */
export interface StoryText {
  name: string
  summary: string
  hook: string
  category: string
  contexts: StoryContexts
  keywords: string[]
}

const LONGEST_NAME = 90
const LONGEST_HOOK = 160
const LONGEST_SUMMARY = 480
const SENTENCES = 3
const MOST_KEYWORDS = 10

const cut = (text: string, length: number): string => {
  const characters = [...text]
  if (characters.length <= length) return text
  const head = characters.slice(0, length - 1).join('')
  return `${cutText(head, Math.max(head.lastIndexOf(' '), Math.floor(head.length / 2))).trimEnd()}…`
}

/** The words of a post without links, leading mentions and trailing hashtags. */
const plain = (text: string): string =>
  text
    .replace(/https?:\/\/\S+/g, '')
    .replace(/^(?:@\w+\s+)+/, '')
    .replace(/(?:\s*[#$][\p{L}\p{N}_]+)+\s*$/u, '')
    .replace(/\s+/g, ' ')
    .trim()

const firstSentence = (text: string): string => /^.{20,}?[.!?。！？](?=\s|$)/u.exec(text)?.[0] ?? text

/** Writes a story: its name is the sentence of the post that has most in common with the others. */
export function writeStory(cluster: PostCluster<StoryPost>): StoryText {
  const texts = [...new Set(cluster.posts.map((post) => plain(post.text)).filter((text) => text !== ''))]
  const sentences = [...new Set(texts.map(firstSentence))]
  const loudest = [...cluster.posts].sort((one, other) => other.engagement - one.engagement)[0]!
  const ofFeature = (kind: string) =>
    cluster.features.filter((feature) => feature.startsWith(kind)).map((feature) => feature.slice(2))
  const entityIds = ofFeature('e:')
  const tags = ofFeature('h:')
  const name = cut(sentences[0] ?? `#${tags[0] ?? 'news'}`, LONGEST_NAME).replace(/[.。]$/, '')
  return {
    name,
    summary: cut(sentences.slice(0, SENTENCES).join(' ') || name, LONGEST_SUMMARY),
    hook: cut(plain(loudest.text) || name, LONGEST_HOOK),
    category: categoryOf(entityIds),
    contexts: contextsOf(entitiesOf(entityIds), tags),
    keywords: [
      ...new Set([
        ...entitiesOf(entityIds).map((entity) => entity.name),
        ...tags.map((tag) => (tag.startsWith('$') ? tag : `#${tag}`)),
        ...ofFeature('w:'),
      ]),
    ].slice(0, MOST_KEYWORDS),
  }
}

const TYPES = { Person: 'people', Place: 'places', Product: 'products', Organization: 'organizations' } as const
const EVENT_DOMAIN = '29'
const TEAM_DOMAIN = '12'

function contextsOf(entities: readonly AnnotationEntity[], tags: readonly string[]): StoryContexts {
  const named: NonNullable<StoryContexts['entities']> = {}
  const [topics, teams]: [string[], string[]] = [[], []]
  for (const { name, type, domains } of entities) {
    if (domains.includes(TEAM_DOMAIN)) teams.push(name)
    const list = domains.includes(EVENT_DOMAIN) ? 'events' : type && type !== 'Other' ? TYPES[type] : undefined
    if (list === undefined) topics.push(name)
    else named[list] = [...(named[list] ?? []), name]
  }
  const tickers = tags.filter((tag) => tag.startsWith('$')).map((tag) => tag.slice(1).toUpperCase())
  return {
    ...(Object.keys(named).length > 0 ? { entities: named } : {}),
    ...(topics.length > 0 ? { topics } : {}),
    ...(tickers.length > 0 ? { finance: { tickers } } : {}),
    ...(teams.length > 0 ? { sports: { teams } } : {}),
  }
}

/** The words that find a story, as a `tsvector` literal. */
export function storyTerms({ name, summary, hook, keywords }: StoryText): string {
  const words = tokenize([name, summary, hook, ...keywords].join(' | ')).slice(0, 400)
  return words.map((word, at) => `${quote(cutText(word, 100))}:${at + 1}`).join(' ')
}
