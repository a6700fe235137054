import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { jsonAnswer } from '../../api-kit/writing/answer.ts'
import { Problem } from '../../api-kit/writing/problem.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { PAGE_LIMIT } from '../../identity/limits.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { createPosts } from '../../social/posts/create-post.ts'
import { getPostsById } from '../../social/posts/read-posts.ts'
import { weighText } from '../../social/text/weigh.ts'
import { recordAct } from '../ads/record-acts.ts'
import { type ActionRequest, defineAction, defineSignedInPage, localPath, sentenceOf } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import { type PageRequest, type SignedInRequest, shownObject } from '../page-request.ts'
import { plainText } from '../parts/plain-text.ts'
import { postCard } from '../parts/post-card.ts'
import { readExtras } from '../parts/post-extras.ts'
import { readMarks } from '../parts/viewer-marks.ts'
import { joinPosts, POST_FIELDS, type PostData, type PostsAnswer, type PostView } from '../parts/views.ts'
import { composeForm, type Draft, MOST_FILES } from './compose-form.ts'
import { uploadFile } from './upload-files.ts'

/** A post to which a draft refers. */
async function findPost(page: PageRequest, id: string | undefined): Promise<PostView | undefined> {
  if (id === undefined) return undefined
  const answer = await page.need<PostsAnswer<PostData>>(getPostsById, { path: { id }, query: POST_FIELDS })
  return joinPosts([shownObject(answer, 'post')], answer.includes)[0]
}

async function composeContent(page: SignedInRequest, draft: Draft, status?: number): Promise<PageContent> {
  const [answered, quoted] = await Promise.all([findPost(page, draft.replyTo), findPost(page, draft.quote)])
  const shown = [answered, quoted].filter((post) => post !== undefined)
  const [marks] = await Promise.all([readMarks(page, shown), readExtras(page, shown)])
  const card = (post: PostView | undefined): Html | '' => (post ? postCard(page, post, marks) : '')
  const title = draft.edit ? 'Edit post' : draft.replyTo ? 'Reply' : draft.quote ? 'Quote' : 'New post'
  return {
    title,
    ...(status === undefined ? {} : { status }),
    main: html`<h1 class="top">${title}</h1>
${card(answered)}
${composeForm(page, draft)}
${card(quoted)}`,
  }
}

const composePage = defineSignedInPage('composePage', 'GET /i/compose', async (page) => {
  const { query } = page
  const edit = query.get('edit')
  const edited = await findPost(page, edit)
  if (edited && edited.author?.id !== page.viewer.id) throw blank(403, 'You can edit only your own posts.')
  return composeContent(page, {
    text: edited ? plainText(edited, 'typed') : (query.get('text') ?? ''),
    replyTo: query.get('reply_to'),
    quote: query.get('quote'),
    community: query.get('community'),
    edit,
    returnTo: localPath(query.get('return_to')),
  })
})

const composeAction = defineAction(
  'composeAction',
  'POST /i/compose',
  async (page) => {
    const { form } = page
    const draft: Draft = {
      text: form.get('text') ?? '',
      replyTo: given(form.get('reply_to')),
      quote: given(form.get('quote')),
      edit: given(form.get('edit')),
      community: given(form.get('community')),
      returnTo: localPath(form.get('return_to')),
      fields: form,
    }
    try {
      const id = await publish(page, draft)
      if (draft.replyTo) await recordAct(page, 'reply', { postId: draft.replyTo })
      return { data: { id }, to: draft.returnTo ?? `/${page.viewer.username}/status/${id}` }
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      const refusal = sentenceOf(error)
      return {
        refused: { status: error.status, message: refusal, content: await composeContent(page, { ...draft, refusal }) },
      }
    }
  },
  { bodyLimit: 24 * 1024 * 1024 },
)

const given = (text: string | undefined): string | undefined => (text === undefined || text === '' ? undefined : text)

async function publish(page: ActionRequest, draft: Draft): Promise<string> {
  const { form, files } = page
  const options = [0, 1, 2, 3].flatMap((index) => given(form.get(`option_${index}`)?.trim()) ?? [])
  const mediaIds: string[] = []
  for (let index = 0; index < MOST_FILES; index++) {
    const bytes = files.get(`file_${index}`)
    if (bytes) mediaIds.push(await uploadFile(page, bytes, 'post', form.get(`alt_${index}`) ?? ''))
  }
  const replySettings = given(form.get('reply_settings'))
  const body = {
    // Forms send line breaks of two characters.
    text: (draft.text ?? '').replaceAll('\r\n', '\n'),
    ...(draft.replyTo ? { reply: { in_reply_to_post_id: draft.replyTo } } : {}),
    ...(draft.quote ? { quote_post_id: draft.quote } : {}),
    ...(draft.edit ? { edit_options: { previous_post_id: draft.edit } } : {}),
    ...(draft.community ? { community_id: draft.community } : {}),
    ...(mediaIds.length > 0 ? { media: { media_ids: mediaIds } } : {}),
    ...(options.length > 0 ? { poll: { options, duration_minutes: Number(form.get('duration')) || 1_440 } } : {}),
    ...(replySettings ? { reply_settings: replySettings } : {}),
  }
  return (await page.need<{ data: { id: string } }>(createPosts, { body })).data.id
}

/** The weight of a text, for the counter beside it: addresses and emoji do not weigh what they have characters. */
const weighEndpoint: Endpoint = {
  ...defineEndpoint(
    'weighText',
    'POST /i/weigh',
    async ({ body }) => jsonAnswer({ weight: weighText((body ?? Buffer.alloc(0)).toString('utf8').slice(0, 50_000)) }),
    // Somebody who types asks often.
    { ...PAGE_LIMIT, address: { limit: 6_000, seconds: 900 } },
  ),
  unrecorded: true,
}

export const composePages: readonly Endpoint[] = [composePage, composeAction, weighEndpoint]
