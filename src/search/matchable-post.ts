import { factTerm, mentionTerm, urlTerm, withoutLinks } from './post-terms.ts'
import { exactWords, foldCase } from './tokenize.ts'

/** What is written in a post, or in the post that it quotes. */
export interface PostContent {
  /** As typed, without escapes. Its links are ignored: they are in `urls`. */
  text: string
  hashtags: readonly string[]
  cashtags: readonly string[]
  /** Usernames. */
  mentions: readonly string[]
  urls: readonly { expanded: string; short?: string; title?: string; description?: string }[]
  /** Terms for `context:` and `entity:`, with case folded. */
  annotations?: readonly string[]
}

/** Everything about a stored post that a rule can refer to. A repost has the content of the original, and no place. */
export interface PostFacts extends PostContent {
  id: string
  lang: string
  ids: {
    author: string
    conversation: string
    inReplyToPost?: string | null
    inReplyToUser?: string | null
    quotedPost?: string | null
    repostedPost?: string | null
    repostedUser?: string | null
  }
  /** Names of the users in `ids`, for rules with a name that nobody had when they were compiled. */
  usernames?: { inReplyToUser?: string | null; repostedUser?: string | null }
  quoted?: PostContent
  nullcast: boolean
  has: { media: boolean; images: boolean; videos: boolean; geo: boolean }
  /** The point is the middle of the place. */
  place?: { id: string; name: string; fullName: string; countryCode: string; lon: number; lat: number }
  /** The name of the app that the post was written with. */
  source: string
  author: {
    username: string
    name: string
    description: string
    location: string
    verified: boolean
    followersCount: number
    followingCount: number
    postsCount: number
    listedCount: number
    /** Ids of the users that the author is affiliated to. */
    affiliatedTo: readonly string[]
    /** Ids of lists that the author was in, as far as rules refer to them. */
    inLists?: readonly string[]
  }
  /** Ids of the users that the author of the answered post is affiliated to. */
  repliedAuthorAffiliatedTo?: readonly string[]
  metrics: { likes: number; replies: number; reposts: number }
}

/** A link of a post. */
export interface MatchableUrl {
  /** Words of the expanded address, which keywords match too. */
  words: readonly string[]
  shortWords: readonly string[]
  /** Expanded and short address, in lower case. */
  addresses: readonly string[]
  title: readonly string[]
  description: readonly string[]
}

/** A post that is prepared once and matched against many rules. Words keep their accents: streams compare them exactly. */
export interface MatchablePost {
  facts: PostFacts
  /** The runs that phrases are searched in: the text, the quoted text and each link. No phrase spans two of them. */
  texts: readonly (readonly string[])[]
  /** Including those of the quoted post. */
  urls: readonly MatchableUrl[]
  /** Words of the author's profile. */
  profile: { bio: readonly string[]; name: readonly string[]; location: readonly string[] }
  /** Everything that a rule can require of the post: its words, and its facts as the functions below name them. */
  terms: ReadonlySet<string>
}

export const hashtagTerm = (tag: string): string => `#${foldCase(tag)}`
export const cashtagTerm = (tag: string): string => `$${foldCase(tag)}`
/** A term of every post that has a link, or quotes a post that has one. */
export const ANY_URL = urlTerm('')
export const ANY_PLACE = factTerm('place', '')
export const languageTerm = (lang: string): string => factTerm('lang', lang.toLowerCase().split('-')[0]!)

/** Prepares a post for matching against rules. */
export function matchablePost(facts: PostFacts): MatchablePost {
  const { quoted, author } = facts
  const texts = [exactWords(withoutLinks(facts.text))]
  if (quoted) texts.push(exactWords(withoutLinks(quoted.text)))
  const urls: MatchableUrl[] = []
  for (const url of quoted ? [...facts.urls, ...quoted.urls] : facts.urls) {
    const words = exactWords(url.expanded)
    texts.push(words)
    urls.push({
      words,
      shortWords: url.short ? exactWords(url.short) : [],
      addresses: (url.short ? [url.expanded, url.short] : [url.expanded]).map((address) => address.toLowerCase()),
      title: url.title ? exactWords(url.title) : [],
      description: url.description ? exactWords(url.description) : [],
    })
  }
  const profile = {
    bio: exactWords(author.description),
    name: exactWords(author.name),
    location: exactWords(author.location),
  }
  const terms = new Set<string>()
  for (const words of texts) for (const word of words) terms.add(word)
  addContent(terms, facts)
  if (quoted) addContent(terms, quoted)
  addUrls(terms, urls)
  addEach(terms, 'bio', profile.bio)
  addEach(terms, 'bio_name', profile.name)
  addEach(terms, 'bio_location', profile.location)
  addReferences(terms, facts)
  addTraits(terms, facts)
  return { facts, texts, urls, profile, terms }
}

function addContent(terms: Set<string>, content: PostContent): void {
  for (const tag of content.hashtags) terms.add(hashtagTerm(tag))
  for (const tag of content.cashtags) terms.add(cashtagTerm(tag))
  for (const name of content.mentions) terms.add(mentionTerm(name))
  for (const term of content.annotations ?? []) terms.add(term)
}

function addUrls(terms: Set<string>, urls: readonly MatchableUrl[]): void {
  if (urls.length > 0) terms.add(ANY_URL)
  for (const url of urls) {
    addEach(terms, 'url', url.words)
    addEach(terms, 'url', url.shortWords)
    addEach(terms, 'url_title', url.title)
    addEach(terms, 'url_description', url.description)
  }
}

function addReferences(terms: Set<string>, facts: PostFacts): void {
  const { ids, usernames, place } = facts
  addFact(terms, 'from', ids.author)
  addFact(terms, 'from_name', facts.author.username.toLowerCase())
  addFact(terms, 'to', ids.inReplyToUser)
  addFact(terms, 'to_name', usernames?.inReplyToUser?.toLowerCase())
  addFact(terms, 'reposts_of', ids.repostedUser)
  addFact(terms, 'reposts_of_name', usernames?.repostedUser?.toLowerCase())
  addEach(terms, 'from_affiliate_of', facts.author.affiliatedTo)
  if (facts.author.inLists) addEach(terms, 'list', facts.author.inLists)
  if (facts.repliedAuthorAffiliatedTo) addEach(terms, 'to_affiliate_of', facts.repliedAuthorAffiliatedTo)
  addFact(terms, 'conversation_id', ids.conversation)
  addFact(terms, 'in_reply_to_post_id', ids.inReplyToPost)
  addFact(terms, 'reposts_of_post_id', ids.repostedPost)
  addFact(terms, 'source', foldCase(facts.source))
  terms.add(languageTerm(facts.lang))
  if (!place) return
  terms.add(ANY_PLACE)
  addEach(terms, 'place', [place.id, foldCase(place.name), foldCase(place.fullName)])
  addFact(terms, 'place_country', place.countryCode.toLowerCase())
}

// Codes such as `und`, `zxx` and `qst` stand for a text without a language.
const NO_LANGUAGE = /^(und|zxx|q[a-z]{2})$/

function addTraits(terms: Set<string>, facts: PostFacts): void {
  const { ids, has } = facts
  if (ids.inReplyToPost) terms.add('is:reply')
  if (ids.quotedPost) terms.add('is:quote')
  if (ids.repostedPost) terms.add('is:repost')
  if (facts.author.verified) terms.add('is:verified')
  if (facts.nullcast) terms.add('is:nullcast')
  if (facts.hashtags.length > 0) terms.add('has:hashtags')
  if (facts.cashtags.length > 0) terms.add('has:cashtags')
  if (facts.mentions.length > 0) terms.add('has:mentions')
  // Attached media items are links in the text too.
  if (facts.urls.length > 0 || has.media) terms.add('has:links')
  if (has.media) terms.add('has:media')
  if (has.images) terms.add('has:images')
  if (has.videos) terms.add('has:video_link')
  if (has.geo) terms.add('has:geo')
  if (!NO_LANGUAGE.test(facts.lang)) terms.add('has:lang')
}

function addEach(terms: Set<string>, name: string, values: readonly string[]): void {
  for (const value of values) terms.add(factTerm(name, value))
}

function addFact(terms: Set<string>, name: string, value: string | null | undefined): void {
  if (value) terms.add(factTerm(name, value))
}
