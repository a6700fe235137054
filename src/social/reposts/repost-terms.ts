import { postTerms, textWords } from '../../search/post-terms.ts'
import { fold } from '../../search/tokenize.ts'
import { typeOfKey } from '../media/categories.ts'
import type { PostRow } from '../posts/post.parts.ts'
import { storedAnnotationTerms, textEntities, typedText } from '../text/typed-text.ts'

type OriginalTexts = Pick<
  PostRow,
  'author_id' | 'text' | 'entities' | 'note_text' | 'note_entities' | 'media_keys' | 'context_entity_ids'
>

/** The search terms of a repost: the whole text of the original, and the mention of its author that the repost begins with. */
export function repostTerms(original: OriginalTexts, author: { username: string }): string {
  const { hashtags, cashtags, mentions, urls } = textEntities(original)
  return postTerms({
    words: textWords(typedText(original)),
    hashtags,
    cashtags,
    mentions: [author.username, ...mentions],
    urls,
    annotations: storedAnnotationTerms(original, fold),
    repostedUserId: original.author_id,
    mediaTypes: original.media_keys.flatMap((key) => typeOfKey(key) ?? []),
  })
}
