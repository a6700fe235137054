import { VOCABULARIES } from '../../world/seed-words.data.ts'

/** What personas talk about. Each is a category of interests, and has a hashtag in every language. */
export const TOPICS = [
  'Books and literature',
  'Food and drink',
  'Sports',
  'Music and radio',
  'Travel',
  'Technology and computing',
  'Science',
  'Home and garden',
  'Hobbies and interests',
  'Movies and television',
  'Gaming',
  'Business',
] as const

/** The hashtag of a topic in a language. */
export const tagOf = (tags: readonly string[], topic: number): string => tags[topic % tags.length]!

const topicsOfTags = new Map<string, number>()
for (const { tags } of VOCABULARIES)
  for (let topic = TOPICS.length - 1; topic >= 0; topic--) topicsOfTags.set(tagOf(tags, topic).toLowerCase(), topic)

const TAG = /#[^\s#]+/gu

/** The topic of a text by its first known hashtag; -1 without one. */
export function topicOf(text: string): number {
  if (!text.includes('#')) return -1
  for (const [tag] of text.matchAll(TAG)) {
    const topic = topicsOfTags.get(tag.toLowerCase())
    if (topic !== undefined) return topic
  }
  return -1
}
