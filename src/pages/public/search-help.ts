import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'

const EXAMPLES: readonly [query: string, meaning: string][] = [
  ['cat garden', 'both words, in any order'],
  ['"happy birthday"', 'the words side by side'],
  ['(cat OR dog) -fish', 'one of two words, without a third'],
  ['#summer', 'a hashtag; $ROST is a cashtag, @alice a mention'],
  ['from:alice', 'posts of a user'],
  ['to:alice', 'replies to a user'],
  ['reposts_of:alice', 'reposts of a user'],
  ['url:example.com', 'posts with a link that contains it'],
  ['conversation_id:1234', 'all posts of a conversation'],
  ['in_reply_to_post_id:1234', 'replies to a post'],
  ['quotes_of_post_id:1234', 'posts that quote a post'],
  ['list:1234', 'posts of the members of a list'],
  ['cat is:reply', 'also is:repost, is:quote, is:verified'],
  ['cat has:images', 'also has:videos, has:media, has:links, has:hashtags, has:mentions, has:geo'],
  ['cat lang:en', 'posts in a language'],
  ['place:"New York"', 'posts with a place; place_country:us for a country'],
  ['point_radius:[13.4 52.5 10km]', 'posts from around a point; bounding_box:[west south east north] for an area'],
  ['entity:"Some Name"', 'posts about something known by name; context:10.799022225751871488 by its ids'],
  ['cat min_likes:10', 'also min_replies and min_reposts'],
]

/** The operators of the query language, each as an example that can be tried. */
export const searchHelp = ({ runtime }: PageRequest): Html => html`<div class="help">
<h2>How to search</h2>
<dl>${EXAMPLES.map(
  ([query, meaning]) =>
    html`<div><dt><a href="${runtime.mount}/search?q=${encodeURIComponent(query)}"><code>${query}</code></a></dt><dd class="soft">${meaning}</dd></div>`,
)}</dl>
<p class="soft small">A minus before an operator means the opposite: <code>-is:repost</code>. Operators can be joined with spaces, OR and brackets.</p>
</div>`
