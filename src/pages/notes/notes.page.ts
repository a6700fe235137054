import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { MISLEADING_TAGS } from '../../social/notes/note.object.ts'
import { writerById } from '../../social/notes/note.statements.ts'
import { type NoteOfPost, readNotesOfPost } from '../../social/notes/notes-of-post.ts'
import { rateNotes } from '../../social/notes/rate-notes.ts'
import { HELPFULNESS, type Helpfulness, RATING_TAGS, type RatingTag, tagsFor } from '../../social/notes/rating-tags.ts'
import { createCommunityNotes, deleteCommunityNotes } from '../../social/notes/write-notes.ts'
import { getPostsById } from '../../social/posts/read-posts.ts'
import { type ActionRequest, defineAction, defineSignedInPage } from '../define-page.ts'
import { type SignedInRequest, shownObject } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { pageForm, textField, tickBox } from '../parts/form.ts'
import { postCard } from '../parts/post-card.ts'
import { readExtras } from '../parts/post-extras.ts'
import { readMarks } from '../parts/viewer-marks.ts'
import { joinPosts, POST_FIELDS, type PostData, type PostsAnswer } from '../parts/views.ts'

const STATUS_WORDS: Record<string, string> = {
  currently_rated_helpful: 'Rated helpful: everybody sees it',
  currently_rated_not_helpful: 'Rated not helpful',
  insufficient_consensus: 'The ratings did not agree',
  minimum_ratings_not_met: 'Needs more ratings',
  needs_more_ratings: 'Needs more ratings',
}

const words = (name: string): string => {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The notes on a post: to read, to rate, and for writers of notes to write. Nobody learns who wrote a note. */
const notesPage = defineSignedInPage('notesPage', 'GET /i/notes/{post_id}', async (page) => {
  const id = page.path.post_id ?? ''
  const answer = await page.need<PostsAnswer<PostData>>(getPostsById, { path: { id }, query: POST_FIELDS })
  const [post] = joinPosts([shownObject(answer, 'post')], answer.includes)
  const [notes, writer, marks] = await Promise.all([
    readNotesOfPost(page.runtime, id, page.viewer.id),
    writerById.first(page.runtime.database, page.viewer.id),
    readMarks(page, [post!]),
    readExtras(page, [post!]),
  ])
  const hasWritten = notes.some((note) => note.writer_id === page.viewer.id)
  return {
    title: 'Notes',
    main: html`<h1 class="top">Notes</h1>
${postCard(page, post!, marks)}
${notes.length === 0 ? html`<p class="empty soft">Nobody has written a note on this post.</p>` : notes.map((note) => noteCard(page, id, note, { isWriter: writer !== undefined }))}
${writer && !hasWritten ? writeForm(page, id, (post?.media.length ?? 0) > 0) : ''}
${writer ? '' : html`<p class="empty soft">You are not enrolled as a writer of notes. You can rate those of others.</p>`}`,
  }
})

function noteCard(page: SignedInRequest, postId: string, note: NoteOfPost, viewer: { isWriter: boolean }): Html {
  const isOwn = note.writer_id === page.viewer.id
  return html`<article class="note" aria-label="Note"><p class="soft small">${STATUS_WORDS[note.status] ?? words(note.status)}${note.classification === 'not_misleading' ? ' · The post is not misleading' : note.misleading_tags.map((tag) => html` · ${words(tag)}`)}</p>
<p class="text" dir="auto">${note.text}</p>
${isOwn ? actionForm(page, 'note-delete', { note_id: note.id }, { text: 'Delete your note', classes: 'button small bad' }) : viewer.isWriter || note.locked ? '' : rateForm(page, postId, note)}</article>`
}

const rateForm = (
  page: SignedInRequest,
  postId: string,
  note: NoteOfPost,
): Html => html`<details class="extra"><summary>${note.own_rating ? `You rated it: ${words(note.own_rating).toLowerCase()}` : 'Is this note helpful?'}</summary>
${pageForm(page, {
  action: '/i/actions/note-rate',
  hidden: { note_id: note.id, return_to: `/i/notes/${postId}` },
  content: html`<fieldset><legend>Helpful</legend>${HELPFULNESS.map((value) => html`<label class="tick"><input type="radio" name="helpfulness" value="${value}" required${note.own_rating === value ? html` checked` : ''}> ${words(value)}</label>`)}</fieldset>
<fieldset><legend>Why (optional)</legend>${RATING_TAGS.map((tag) => tickBox(`tag_${tag}`, words(tag), false))}</fieldset>`,
  submit: 'Rate',
})}</details>`

const writeForm = (
  page: SignedInRequest,
  postId: string,
  hasMedia: boolean,
): Html => html`<h2 class="top">Write a note</h2>
${pageForm(page, {
  action: '/i/actions/note-write',
  hidden: { post_id: postId, return_to: `/i/notes/${postId}` },
  content: html`<fieldset><legend>The post is</legend><label class="tick"><input type="radio" name="classification" value="misinformed_or_potentially_misleading" required> Misinformed or misleading</label><label class="tick"><input type="radio" name="classification" value="not_misleading"> Not misleading</label></fieldset>
<fieldset><legend>If it is misleading, how?</legend>${MISLEADING_TAGS.map((tag) => tickBox(`tag_${tag}`, words(tag), false))}</fieldset>
${textField({ name: 'text', label: 'The note, with a link to a source', most: 280, isRequired: true, isLong: true })}
${tickBox('trustworthy_sources', 'The sources are trustworthy', true)}${hasMedia ? tickBox('is_media_note', 'The note is about the media', false) : ''}`,
  submit: 'Write the note',
})}`

const ticked = ({ form }: ActionRequest, names: readonly string[]): string[] =>
  names.filter((name) => form.has(`tag_${name}`))

const writeAction = defineAction('noteWriteAction', 'POST /i/actions/note-write', async (page) => {
  const { form } = page
  const isMisleading = form.get('classification') !== 'not_misleading'
  const info = {
    classification: form.get('classification') ?? '',
    misleading_tags: isMisleading ? ticked(page, MISLEADING_TAGS) : [],
    text: (form.get('text') ?? '').replaceAll('\r\n', '\n'),
    trustworthy_sources: form.get('trustworthy_sources') === 'true',
    ...(form.get('is_media_note') === 'true' ? { is_media_note: true } : {}),
  }
  await page.need(createCommunityNotes, { body: { post_id: form.get('post_id') ?? '', test_mode: true, info } })
  return undefined
})

const rateAction = defineAction('noteRateAction', 'POST /i/actions/note-rate', async (page) => {
  const helpfulness = page.form.get('helpfulness') as Helpfulness
  if (!HELPFULNESS.includes(helpfulness)) throw blank(400, 'Say whether the note is helpful.')
  const tags = ticked(page, tagsFor(helpfulness)) as RatingTag[]
  await rateNotes(page.runtime, [
    { noteId: page.form.get('note_id') ?? '', raterId: page.viewer.id, helpfulness, tags },
  ])
  return undefined
})

const deleteAction = defineAction('noteDeleteAction', 'POST /i/actions/note-delete', async (page) => {
  await page.need(deleteCommunityNotes, { path: { id: page.form.get('note_id') ?? '' } })
  return undefined
})

export const notePages: readonly Endpoint[] = [notesPage, writeAction, rateAction, deleteAction]
