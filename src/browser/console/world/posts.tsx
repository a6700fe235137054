import { useState } from 'preact/hooks'
import type { postList, postShow } from '../../../control/inspect/post-inspection.ts'
import { command } from '../kit/client.ts'
import { Detail, Facts } from '../kit/detail.tsx'
import { confirm } from '../kit/dialog.tsx'
import { TextArea } from '../kit/fields.tsx'
import { countOf, manyOf, momentOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { href } from '../kit/router.ts'
import { act, acting, callAs, run, usePages, type Wire } from './calls.ts'
import { Act, Badges, FormButton, Listing, ReportButton, type TabProps, Words } from './parts.tsx'

type Post = Wire<NonNullable<(typeof postList)['types']>['result']>['posts'][number]

/** Why users do not see a post, in words. */
const HIDDEN: Record<string, string> = {
  author_suspended: 'Its author is suspended: nobody sees it.',
  author_protected: 'Its author is protected: only followers see it.',
  closed_community: 'It is in a closed community: only members see it.',
  hidden_reply: 'The author of the conversation has hidden this reply.',
  superseded: 'A newer version has replaced it.',
  promoted_only: 'It is shown only as an advertisement.',
  sandbox: 'It belongs to the sandbox of advertising.',
  withheld: 'Its author is withheld in some countries.',
}

const MARKS: Record<string, string> = {
  author_suspended: 'suspended',
  author_protected: 'protected',
  closed_community: 'closed community',
  hidden_reply: 'hidden',
  superseded: 'old version',
  promoted_only: 'promoted only',
}

const Marks = (props: { post: Post }) => (
  <Badges
    bad={props.post.hidden_because.map((reason) => MARKS[reason] ?? reason)}
    soft={[props.post.sensitive && 'sensitive', props.post.open_reports > 0 && `reported ${props.post.open_reports}`]}
  />
)

export function PostsTab({ id, search, user, open, close }: TabProps) {
  const pages = usePages(
    async (after) => {
      const { posts, next } = await run<typeof postList>('post.list', { query: search, user, after })
      return { rows: posts, next }
    },
    [search, user],
    ['post.', 'repost.', 'like.'],
  )
  return (
    <>
      <div class="row">
        <Compose done={pages.reload} />
      </div>
      <div class="split">
        <Listing
          label="Posts"
          pages={pages}
          keyOf={(post) => post.id}
          open={(post) => open(post.id)}
          opened={id}
          toneOf={(post) => (post.hidden_because.length > 0 ? 'soft' : undefined)}
          empty="No post fits."
          columns={[
            { title: 'Author', show: (post) => <bdi>@{post.author}</bdi> },
            { title: 'Text', show: (post) => <Words>{post.text}</Words>, isWide: true },
            { title: 'Marks', show: (post) => <Marks post={post} />, isExtra: true },
            { title: 'Likes', show: (post) => countOf(post.likes), isNumber: true, isExtra: true },
            { title: 'Time', show: (post) => <span class="when">{momentOf(post.created_at)}</span>, isExtra: true },
          ]}
        />
        {id !== undefined && <PostDetail key={id} id={id} close={close} changed={pages.reload} />}
      </div>
    </>
  )
}

function Compose(props: { done: () => Promise<void>; body?: object; button?: string }) {
  return (
    <FormButton
      button={props.button ?? 'New post'}
      title={`${props.button ?? 'New post'} of @${acting.value}`}
      action="Post"
      isFirst={props.body === undefined}
      send={async ({ text }) => {
        await callAs(acting.value, 'POST', '/2/posts', { text, ...props.body })
        await props.done()
      }}
    >
      <TextArea label="Text" name="text" isRequired />
    </FormButton>
  )
}

function PostDetail(props: { id: string; close: () => void; changed: () => Promise<void> }) {
  const { id } = props
  const [more, setMore] = useState<Post[]>([])
  const [next, setNext] = useState<string | undefined>()
  const loaded = useLoaded(async () => {
    const shown = await run<typeof postShow>('post.show', { post: id })
    setMore([])
    setNext(shown.next)
    return shown
  }, [id])
  const reload = async () => {
    await Promise.all([loaded.reload(), props.changed()])
  }
  const readOn = async () => {
    const page = await run<typeof postShow>('post.show', { post: id, after: next })
    setMore([...more, ...page.thread])
    setNext(page.next)
  }
  return (
    <Detail title="Post" close={props.close}>
      <Show loaded={loaded}>
        {({ post, versions, thread }) => (
          <>
            <p class="quote">
              <Words>{post.text}</Words>
            </p>
            {post.hidden_because.map((reason) => (
              <p key={reason} class="small">
                {HIDDEN[reason] ?? reason}
              </p>
            ))}
            <PostActions post={post} reload={reload} close={props.close} changed={props.changed} />
            <Facts
              facts={[
                ['Author', <a href={href('world', 'users', post.author)}>@{post.author}</a>],
                ['Id', <code>{post.id}</code>],
                ['Time', momentOf(post.created_at)],
                ['Source', post.source && <Words>{post.source}</Words>],
                ['Language', post.lang],
                ['Media', post.media > 0 && String(post.media)],
                ['Replies allowed', post.reply_settings],
                [
                  'Counts',
                  `${manyOf(post.likes, 'like')}, ${manyOf(post.reposts, 'repost')}, ${manyOf(post.replies, 'reply', 'replies')}, ${manyOf(post.quotes, 'quote')}`,
                ],
                [
                  'Quotes',
                  post.quoted_post_id && (
                    <a href={href('world', 'posts', post.quoted_post_id)}>{post.quoted_post_id}</a>
                  ),
                ],
                [
                  'Reposts',
                  post.reposted_post_id && (
                    <a href={href('world', 'posts', post.reposted_post_id)}>{post.reposted_post_id}</a>
                  ),
                ],
                [
                  'Open reports',
                  post.open_reports > 0 && (
                    <a href={href('moderation', 'reports', { user: post.author })}>{countOf(post.open_reports)}</a>
                  ),
                ],
              ]}
            />
            {versions.length > 1 && (
              <>
                <h3>Versions</h3>
                <ol class="thread">
                  {versions.map((version) => (
                    <li key={version.id}>
                      <p>
                        <Words>{version.text}</Words> <span class="soft small">{momentOf(version.created_at)}</span>
                      </p>
                    </li>
                  ))}
                </ol>
              </>
            )}
            <h3>Conversation</h3>
            <ol class="thread">
              {[...thread, ...more].map((item) => (
                <li key={item.id} aria-current={item.id === id ? 'true' : undefined}>
                  <p class="small">
                    <a href={href('world', 'posts', item.id)}>@{item.author}</a>{' '}
                    <span class="soft">{momentOf(item.created_at)}</span> <Marks post={item} />
                  </p>
                  <p>
                    <Words>{item.text}</Words>
                  </p>
                </li>
              ))}
            </ol>
            {next !== undefined && <Act onClick={readOn}>More of the conversation</Act>}
          </>
        )}
      </Show>
    </Detail>
  )
}

/** What the acting user, and what the operator, can do about a post. */
function PostActions(props: {
  post: Post
  reload: () => Promise<void>
  close: () => void
  changed: () => Promise<void>
}) {
  const { post, reload } = props
  const me = acting.value
  const mark = (name: string, method: string, path: string, body?: object) => (
    <Act onClick={() => act(`@${me}: ${name.toLowerCase()}.`, () => callAs(me, method, path, body), reload)}>
      {name}
    </Act>
  )
  const remove = async () => {
    const words = 'It is deleted for everybody, with its reposts. This cannot be undone.'
    if (!(await confirm({ title: 'Remove this post?', words, action: 'Remove' }))) return
    await act(
      'The post is removed.',
      () => command('post.remove', { post: post.id, reason: 'console' }),
      async () => {
        props.close()
        await props.changed()
      },
    )
  }
  return (
    <>
      <div class="acts">
        {mark('Like', 'POST', '/2/users/{me}/likes', { post_id: post.id })}
        {mark('Unlike', 'DELETE', `/2/users/{me}/likes/${post.id}`)}
        {mark('Repost', 'POST', '/2/users/{me}/reposts', { post_id: post.id })}
        {mark('Undo repost', 'DELETE', `/2/users/{me}/reposts/${post.id}`)}
        {mark('Bookmark', 'POST', '/2/users/{me}/bookmarks', { post_id: post.id })}
        <Compose button="Reply" done={reload} body={{ reply: { in_reply_to_post_id: post.id } }} />
        <Compose button="Quote" done={reload} body={{ quote_post_id: post.id }} />
        <ReportButton kind="post" id={post.id} done={reload} />
      </div>
      <div class="acts">
        <Act
          onClick={() =>
            act(
              post.sensitive ? 'No longer marked.' : 'Marked as sensitive.',
              () => command('post.sensitive', { post: post.id, sensitive: !post.sensitive }),
              reload,
            )
          }
        >
          {post.sensitive ? 'Not sensitive' : 'Mark as sensitive'}
        </Act>
        <Act onClick={remove}>Remove</Act>
      </div>
    </>
  )
}
