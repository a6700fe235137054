import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Runtime } from '../../api-kit/runtime.ts'
import { type Statement, statement } from '../../storage/statement.ts'

const AT_ONCE = 500

type Page = Statement<{ key: string; line: string }>

/** Lines of one kind, in the order of a key: `$1` is the user, `$2` the last key, `$3` how many. */
const lines = (kind: string, key: string, from: string, members: Record<string, string>): string =>
  `select (${key})::text as key, jsonb_build_object('kind', '${kind}', ${Object.entries(members)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')})::text as line
     from ${from} and ${key} > $2::bigint order by ${key} limit $3`
const columns = { key: 'text', line: 'text' } as const

/** Ids as text, as everywhere: numbers of this size are not exact in many programs. */
const id = (column: string): string => `${column}::text`
const ids = (column: string): string => `(select coalesce(jsonb_agg(i::text), '[]') from unnest(${column}) as i)`

/** Texts are stored as the interface shows them, with three signs escaped. */
const asTyped = (text: string): string => `replace(replace(replace(${text}, '&lt;', '<'), '&gt;', '>'), '&amp;', '&')`

const profile = statement(
  'account_export_profile',
  { line: 'text' },
  `select jsonb_build_object('kind', 'profile', 'id', u.id::text, 'username', u.username, 'name', u.name, 'description', ${asTyped('u.description')},
            'location', u.location, 'url', u.url, 'profile_image_url', u.profile_image_url, 'profile_banner_url', u.profile_banner_url,
            'protected', u.protected, 'verified_type', u.verified_type, 'subscription_type', u.subscription_type, 'created_at', u.created_at,
            'email', s.email, 'email_confirmed', s.email_confirmed)::text as line
     from user_account u left join user_sign_in s on s.user_id = u.id where u.id = $1`,
)

const related = (kind: string, table: string, own: string, other: string): string =>
  lines(kind, 'r.id', `${table} r join user_account o on o.id = r.${other} where r.${own} = $1`, {
    user_id: id(`r.${other}`),
    username: 'o.username',
    ...(table === 'follow' ? { pending: 'r.pending' } : {}),
  })

const SECTIONS: readonly Page[] = [
  statement(
    'account_export_post',
    columns,
    lines('post', 'p.id', 'post p where p.author_id = $1', {
      id: id('p.id'),
      text: asTyped('coalesce(p.note_text, p.text)'),
      lang: 'p.lang',
      conversation_id: id('p.conversation_id'),
      in_reply_to_post_id: id('p.in_reply_to_post_id'),
      quoted_post_id: id('p.quoted_post_id'),
      reposted_post_id: id('p.reposted_post_id'),
      first_version_id: id('p.first_version_id'),
      reply_settings: 'p.reply_settings',
      community_id: id('p.community_id'),
      media_keys: 'to_jsonb(p.media_keys)',
      source: 'p.source',
    }),
  ),
  statement(
    'account_export_like',
    columns,
    lines('like', 'l.id', 'post_like l where l.user_id = $1', { post_id: id('l.post_id') }),
  ),
  statement(
    'account_export_bookmark',
    columns,
    lines('bookmark', 'b.id', 'bookmark b left join bookmark_folder f on f.id = b.folder_id where b.user_id = $1', {
      post_id: id('b.post_id'),
      folder: 'f.name',
    }),
  ),
  statement(
    'account_export_vote',
    columns,
    lines(
      'vote',
      'v.id',
      'poll_vote v join poll q on q.id = v.poll_id join poll_option o on o.poll_id = v.poll_id and o.position = v.position where v.user_id = $1',
      { post_id: id('q.post_id'), option: 'o.label' },
    ),
  ),
  statement('account_export_following', columns, related('following', 'follow', 'source_id', 'target_id')),
  statement('account_export_follower', columns, related('follower', 'follow', 'target_id', 'source_id')),
  statement('account_export_block', columns, related('block', 'block', 'source_id', 'target_id')),
  statement('account_export_mute', columns, related('mute', 'mute', 'source_id', 'target_id')),
  statement(
    'account_export_list',
    columns,
    lines('list', 'l.id', 'list l where l.owner_id = $1', {
      id: id('l.id'),
      name: 'l.name',
      description: 'l.description',
      private: 'l.private',
      created_at: 'l.created_at',
    }),
  ),
  statement(
    'account_export_list_member',
    columns,
    lines('list_member', 'm.id', 'list l join list_member m on m.list_id = l.id where l.owner_id = $1', {
      list_id: id('m.list_id'),
      user_id: id('m.user_id'),
    }),
  ),
  statement(
    'account_export_list_follow',
    columns,
    lines('list_follow', 'f.id', 'list_follow f where f.user_id = $1', { list_id: id('f.list_id') }),
  ),
  statement(
    'account_export_message',
    columns,
    lines('message', 'v.event_id', 'dm_view v join dm_event e on e.id = v.event_id where v.user_id = $1', {
      id: id('e.id'),
      conversation_id: 'e.conversation_id',
      type: 'e.type',
      sender_id: id('e.sender_id'),
      participant_ids: ids('e.participant_ids'),
      text: asTyped('e.text'),
      media_key: 'e.media_key',
      created_at: 'e.created_at',
    }),
  ),
  statement(
    'account_export_media',
    columns,
    lines('media', 'm.id', 'media m where m.owner_user_id = $1', {
      media_key: 'm.media_key',
      type: 'm.type',
      category: 'm.category',
    }),
  ),
  statement(
    'account_export_community',
    columns,
    lines(
      'community',
      'm.community_id',
      'community_member m join community c on c.id = m.community_id where m.user_id = $1',
      {
        id: id('c.id'),
        name: 'c.name',
        role: 'm.role',
      },
    ),
  ),
  statement(
    'account_export_note',
    columns,
    lines('note', 'n.id', 'community_note n where n.writer_id = $1', {
      id: id('n.id'),
      post_id: id('n.post_id'),
      text: 'n.text',
      classification: 'n.classification',
      created_at: 'n.created_at',
    }),
  ),
  statement(
    'account_export_app',
    columns,
    lines('app', 'a.id', 'client_app a where a.owner_user_id = $1', {
      id: id('a.id'),
      name: 'a.name',
      description: 'a.description',
      website_url: 'a.website_url',
      callback_urls: 'to_jsonb(a.callback_urls)',
      created_at: 'a.created_at',
    }),
  ),
]

/** Everything that an account has, as lines of JSON. A page of a section is in memory at a time. */
async function* linesOf({ database }: Runtime, userId: string): AsyncGenerator<string> {
  yield `${(await profile.first(database, userId))!.line}\n`
  for (const page of SECTIONS) {
    for (let after = '0'; ; ) {
      const rows = await page.all(database, userId, after, AT_ONCE)
      if (rows.length === 0) break
      yield rows.map((row) => `${row.line}\n`).join('')
      if (rows.length < AT_ONCE) break
      after = rows.at(-1)!.key
    }
  }
}

/** The data of an account as compressed lines of JSON, made as fast as they are read. */
export const exportAccount = (runtime: Runtime, userId: string): AsyncIterable<Buffer> =>
  Readable.from(linesOf(runtime, userId)).compose(createGzip()) as unknown as AsyncIterable<Buffer>
