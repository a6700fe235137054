import type { Runtime } from '../../api-kit/runtime.ts'
import { say } from '../../api-kit/writing/problem.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { cutText } from '../../process/cut-text.ts'
import { type SearchablePost, textWords } from '../../search/post-terms.ts'
import { fold } from '../../search/tokenize.ts'
import { annotationTerms } from '../annotations/annotation-terms.ts'
import { shortLink } from '../links/short-link.ts'
import { composeText } from '../text/compose-text.ts'
import { detectLanguage } from '../text/detect-language.ts'
import { displayTextRange } from '../text/display-range.ts'
import { truncateForDisplay } from '../text/truncate-for-display.ts'
import { LONGEST_SHORT_POST, weighText } from '../text/weigh.ts'
import { appendLink, appendWords, type WireDraft, type WireEntities, type WireText } from '../text/wire-text.ts'
import { usernamePart } from '../users/user.parts.ts'
import type { PostDraft } from './create-post.body.ts'

const LONGEST_POST = 25_000

/** A text that is ready to be stored. */
export interface PreparedText {
  text: string
  entities: WireEntities | undefined
  noteText: string | null
  noteEntities: WireEntities | undefined
  range: [number, number]
  lang: string
  mentionedIds: string[]
  links: string[]
  /** What queries can find in the text. */
  searchable: Pick<SearchablePost, 'words' | 'hashtags' | 'cashtags' | 'mentions' | 'urls' | 'annotations'>
  /** Ids of the entities that the text is about; null for none. */
  contextEntityIds: string[] | null
}

interface TextSource {
  id: string
  author: { username: string; subscription_type: string }
  /** Mentions before a reply, which do not count towards its length. */
  prefix: string
  draft: PostDraft
  isReply: boolean
  attachment?: { keys: string[]; media: readonly { type: string }[] } | undefined
}

/** The ids of users by their usernames in lower case. */
type FindUsers = (names: string[]) => Promise<ReadonlyMap<string, string>> | ReadonlyMap<string, string>

/** Checks the length of a draft's text, finds its entities, resolves mentions and shortens links. */
export async function prepareText(
  runtime: Runtime,
  source: TextSource,
  findUsers: FindUsers = (names) => runtime.parts.many(usernamePart, names),
): Promise<PreparedText> {
  const { draft, author, prefix } = source
  const typed = draft.text ?? ''
  const weight = weighText(typed)
  const isLong = weight > LONGEST_SHORT_POST
  if (isLong) checkLongText(typed, weight, author.subscription_type !== 'None')
  const attachedUrls =
    draft.direct_message_deep_link === undefined ? [] : [new URL(draft.direct_message_deep_link).href]
  const composed = composeText(prefix + typed, { shortLink, attachedUrls, annotate: true })
  const ownUrl = `${runtime.baseUrl}/${author.username}/status/${source.id}`
  const written = isLong ? truncateForDisplay(composed, { url: ownUrl, shortLink: shortLink(ownUrl) }) : composed
  const mediaUrl = source.attachment && mediaLink(ownUrl, source.attachment)
  const shown = source.attachment && mediaUrl ? withMediaLink(written, mediaUrl, source.attachment.keys) : written
  const names = [...new Set((composed.entities.mentions ?? []).map((mention) => mention.username.toLowerCase()))]
  const ids: ReadonlyMap<string, string> = names.length === 0 ? new Map() : await findUsers(names)
  const urls = [...composed.links.map((link) => link.url), ...(isLong ? [ownUrl] : []), ...(mediaUrl ? [mediaUrl] : [])]
  const lang = await detectLanguage(composed.typed.text, composed.typed.entities)
  return {
    text: shown.text,
    entities: withMentionIds(shown.entities, ids),
    noteText: isLong ? composed.text : null,
    noteEntities: isLong ? withMentionIds(withoutNames(composed.entities), ids) : undefined,
    range: displayTextRange(shown.text, { isReply: source.isReply && prefix !== '', entities: shown.entities }),
    lang,
    mentionedIds: names.flatMap((name) => ids.get(name) ?? []),
    links: urls,
    searchable: {
      words: textWords(composed.typed.text),
      hashtags: (composed.entities.hashtags ?? []).map((item) => item.tag),
      cashtags: (composed.entities.cashtags ?? []).map((item) => item.tag),
      mentions: (composed.entities.mentions ?? []).map((item) => item.username),
      urls: composed.links.map((link) => ({ expanded: link.url, short: link.shortLink })),
      annotations: annotationTerms(
        composed.about.entities,
        composed.about.names.map(({ start, end }) => composed.typed.text.slice(start, end)),
        fold,
      ),
    },
    contextEntityIds: composed.about.entities.length === 0 ? null : composed.about.entities.map((entity) => entity.id),
  }
}

// Names in a long text are shown only for its beginning.
const withoutNames = ({ annotations: _names, ...others }: WireEntities): WireEntities => others

const mediaLink = (ownUrl: string, { media }: NonNullable<TextSource['attachment']>): string =>
  `${ownUrl}/${media[0]?.type === 'video' ? 'video' : 'photo'}/1`

/** Appends one short link for all media items, with an entity for each of them. */
function withMediaLink({ text, entities }: WireText, url: string, keys: readonly string[]): WireText {
  const draft: WireDraft = {
    text,
    entities: { ...entities, urls: [...(entities.urls ?? [])] },
    length: [...text].length,
  }
  if (draft.length > 0) appendWords(draft, ' ')
  appendLink(draft, url, shortLink(url))
  const link = draft.entities.urls!.pop()!
  draft.entities.urls!.push(...keys.map((key) => ({ ...link, media_key: key })))
  return { text: draft.text, entities: draft.entities }
}

function checkLongText(text: string, weight: number, isSubscriber: boolean): void {
  if (!isSubscriber) {
    throw invalidParameter(
      'text',
      cutText(text, 100),
      say`The text weighs ${weight}, but a Post of an account without a paid subscription can weigh at most ${LONGEST_SHORT_POST}.`,
    )
  }
  const length = [...text].length
  if (length > LONGEST_POST)
    throw invalidParameter(
      'text',
      cutText(text, 100),
      say`The text has ${length} characters, but a Post can have at most ${LONGEST_POST}.`,
    )
}

/** Entities with the ids of mentioned users. Only names of existing users are mentions; others stay plain text. */
export function withMentionIds(entities: WireEntities, ids: ReadonlyMap<string, string>): WireEntities | undefined {
  const mentions = (entities.mentions ?? []).flatMap((mention) => {
    const id = ids.get(mention.username.toLowerCase())
    return id === undefined ? [] : [{ ...mention, id }]
  })
  const { mentions: _all, ...others } = entities
  const found = mentions.length === 0 ? others : { ...others, mentions }
  return Object.keys(found).length === 0 ? undefined : found
}
