import { postTerms, textWords } from '../../search/post-terms.ts'
import type { PostRow } from '../posts/post.parts.ts'
import type { WireEntities } from '../text/wire-text.ts'

const SIGNS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** What queries can find in a repost: the whole text of the original, under the name of who reposts it. */
export function repostTerms(original: PostRow, author: { username: string }): string {
  const entities = (original.note_entities ?? original.entities ?? {}) as WireEntities
  const { hashtags = [], cashtags = [], mentions = [], urls = [] } = entities
  return postTerms({
    words: textWords((original.note_text ?? original.text).replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign]!)),
    hashtags: hashtags.map((item) => item.tag),
    cashtags: cashtags.map((item) => item.tag),
    mentions: [author.username, ...mentions.map((item) => item.username)],
    urls: urls.map((item) => item.expanded_url),
    repostedUserId: original.author_id,
  })
}
