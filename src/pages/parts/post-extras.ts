import { wireTime } from '../../process/clock.ts'
import { pollRow } from '../../social/polls/poll.object.ts'
import { statement } from '../../storage/statement.ts'
import type { PageRequest, PostCard } from '../page-request.ts'
import type { PostView } from './views.ts'

/** Notes that are shown, communities and cards of posts, and what the viewer voted for. A note for one version of a post is shown with all of them. */
const extrasOfPosts = statement(
  'page_extras_of_posts',
  {
    id: 'int8',
    note: 'text?',
    community_id: 'int8?',
    community: 'text?',
    components: 'jsonb?',
    slides: 'jsonb?',
    card_title: 'text?',
    card_url: 'text?',
    card_picture: 'text?',
    vote: 'int4?',
  },
  `select p.id, n.text as note, c.id as community_id, c.name as community, k.components, k.slides, k.title as card_title,
          k.thank_you_url as card_url, m.url as card_picture, v.position as vote
     from post p
     left join lateral (
       select text from community_note
        where first_version_id = p.first_version_id and status = 'currently_rated_helpful' order by intercept desc nulls last, id limit 1) n on true
     left join community c on c.id = p.community_id
     left join ads_card k on k.card_uri = p.card_uri and not k.deleted
     left join lateral (select url from media where media_key = coalesce(k.media_key, k.media_keys[1]) and type = 'photo') m on true
     left join poll_vote v on v.poll_id = p.poll_id and v.user_id = $2::bigint
    where p.id = any($1::bigint[])
      and (p.community_id is not null or p.card_uri is not null or n.text is not null or v.position is not null)`,
)

/** Reads with one statement what the cards of posts show beyond the posts. Operations do not tell it to everybody. */
export async function readExtras(page: PageRequest, posts: readonly PostView[]): Promise<void> {
  const ids = new Set(posts.flatMap(({ id, references }) => [id, ...references.map((reference) => reference.id)]))
  if (ids.size === 0) return
  await readPolls(page, posts)
  for (const row of await extrasOfPosts.all(page.runtime.database, [...ids], page.viewer?.id ?? null))
    page.extras.set(row.id, {
      note: row.note ?? undefined,
      community: row.community_id === null ? undefined : { id: row.community_id, name: row.community! },
      card: cardOf(row),
      vote: row.vote ?? undefined,
    })
}

/** The polls of posts that others refer to: answers include only those of the posts themselves. */
async function readPolls({ runtime, now }: PageRequest, posts: readonly PostView[]): Promise<void> {
  const referred = posts.flatMap(({ references }) => references.flatMap(({ post }) => post ?? []))
  const without = referred.filter(({ poll, attachments }) => !poll && attachments?.poll_ids)
  const rows = await runtime.parts.many(
    pollRow,
    without.flatMap(({ attachments }) => attachments!.poll_ids!),
  )
  for (const post of without) {
    const row = rows.get(post.attachments!.poll_ids![0]!)
    if (!row) continue
    post.poll = {
      id: row.id,
      options: row.labels.map((label, index) => ({ position: index + 1, label, votes: row.votes[index] ?? 0 })),
      voting_status: row.ends_at.getTime() > now ? 'open' : 'closed',
      end_datetime: wireTime(row.ends_at.getTime()),
    }
  }
}

interface CardRow {
  components: unknown
  slides: unknown
  card_title: string | null
  card_url: string | null
  card_picture: string | null
}

/** A component of a card, as advertisers store it. */
interface Component {
  type?: string
  title?: string
  destination?: { url?: string }
}

function cardOf(row: CardRow): PostCard | undefined {
  const first = Array.isArray(row.slides) ? (row.slides[0] as unknown) : row.components
  const components = (Array.isArray(first) ? first : []) as Component[]
  const title = row.card_title ?? components.find((item) => item.title !== undefined)?.title
  const url = row.card_url ?? components.find((item) => item.destination?.url !== undefined)?.destination?.url
  if (title === undefined && url === undefined) return undefined
  const hasShortLink = row.card_url === null && url !== undefined
  return { title, url, hasShortLink, pictureUrl: row.card_picture ?? undefined }
}
