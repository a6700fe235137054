import { defineObject, expands, guardedField, staticField, through } from '../../api-kit/declaring/object.ts'
import { Count, component, DateTime, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { partOf } from '../../api-kit/reading/part-cache.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { wireTime } from '../../process/clock.ts'
import { timeOfId } from '../../process/ids.ts'
import { contextAnnotations } from '../annotations/context-annotations.ts'
import { CommunityId, MediaKey, PlaceId, PollId, PostId, UserId } from '../ids.ts'
import { hasPrivateMetrics } from '../insights/private-metrics.ts'
import { media } from '../media/media.object.ts'
import { place } from '../places/place.object.ts'
import { poll } from '../polls/poll.object.ts'
import { FullTextEntities, NoteEntities } from '../text/entity.schemas.ts'
import { user } from '../users/user.object.ts'
import { authorsOf, judgeUnlessPublic } from '../visibility.ts'
import { editableUntil, isEditable, MAX_EDITS } from './edit-rules.ts'
import { membersWithoutSource } from './members-without-source.ts'
import {
  type PostRow,
  type PrivateMetricsRow,
  postArticle,
  postMetrics,
  postPrivateMetrics,
  postRow,
  postVersions,
} from './post.parts.ts'

const Text = Type.String()

// Only the author sees private metrics, and only in the first thirty days.
const authorOnly = (leaves: string[]) => ({
  leaves,
  allows: (metrics: { id: string; author_id: string }, context: ReadContext) =>
    context.caller?.user?.id === metrics.author_id && hasPrivateMetrics(metrics.id, context.clock.now()),
})

const leavesOf = (member: string, names: string[]) => names.map((name) => `${member}.${name}`)

function referencesOf(row: PostRow): { type: 'reposted' | 'quoted' | 'replied_to'; id: string }[] {
  return [
    ...(row.reposted_post_id === null ? [] : [{ type: 'reposted' as const, id: row.reposted_post_id }]),
    ...(row.quoted_post_id === null ? [] : [{ type: 'quoted' as const, id: row.quoted_post_id }]),
    ...(row.in_reply_to_post_id === null ? [] : [{ type: 'replied_to' as const, id: row.in_reply_to_post_id }]),
  ]
}

const present = (id: string | null): string[] => (id === null ? [] : [id])

/** The object `post` of the interface. */
export const post = defineObject({
  name: 'post',
  resource: 'post',
  plural: 'posts',
  component: 'Post',
  always: ['id', 'text'],
  existence: postRow,
  fields: {
    id: staticField(postRow, PostId, (row) => row.id),
    text: staticField(postRow, component('PostText', Type.String()), (row) => row.text),
    author_id: staticField(postRow, UserId, (row) => row.author_id),
    created_at: staticField(postRow, DateTime, (row) => wireTime(timeOfId(row.id))),
    conversation_id: staticField(postRow, PostId, (row) => row.conversation_id),
    in_reply_to_user_id: staticField(postRow, UserId, (row) => row.in_reply_to_user_id),
    referenced_posts: staticField(
      postRow,
      Type.Array(Type.Object({ id: PostId, type: words(['reposted', 'quoted', 'replied_to']) }), { minItems: 1 }),
      (row) => {
        const references = referencesOf(row)
        return references.length === 0 ? undefined : references
      },
    ),
    attachments: staticField(
      postRow,
      Type.Object({
        media_keys: Type.Optional(Type.Array(MediaKey, { minItems: 1 })),
        media_source_post_id: Type.Optional(Type.Array(PostId, { minItems: 1 })),
        poll_ids: Type.Optional(Type.Array(PollId, { minItems: 1 })),
      }),
      (row) => {
        if (row.poll_id !== null) return { poll_ids: [row.poll_id] }
        return row.media_keys.length > 0 ? { media_keys: row.media_keys } : undefined
      },
    ),
    entities: staticField(
      postRow,
      FullTextEntities,
      (row) => (row.entities ?? undefined) as Static<typeof FullTextEntities> | undefined,
    ),
    context_annotations: contextAnnotations,
    lang: staticField(postRow, Text, (row) => row.lang),
    display_text_range: staticField(
      postRow,
      component('DisplayTextRange', Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 })),
      (row) => [row.display_start, row.display_end],
    ),
    note_post: staticField(
      postRow,
      Type.Object({
        entities: Type.Optional(NoteEntities),
        text: Type.Optional(component('NotePostText', Type.String())),
      }),
      (row) =>
        row.note_text === null
          ? undefined
          : {
              entities: (row.note_entities ?? undefined) as Static<typeof NoteEntities> | undefined,
              text: row.note_text,
            },
    ),
    reply_settings: staticField(
      postRow,
      component(
        'ReplySettingsWithVerifiedUsers',
        words(['everyone', 'mentionedUsers', 'following', 'other', 'subscribers', 'verified']),
      ),
      (row) => row.reply_settings as 'everyone',
    ),
    community_id: staticField(postRow, CommunityId, (row) => row.community_id),
    card_uri: staticField(postRow, Text, (row) => row.card_uri),
    geo: staticField(
      postRow,
      Type.Object({
        coordinates: Type.Optional(
          component(
            'Point',
            Type.Object({
              coordinates: Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
              type: words(['Point']),
            }),
          ),
        ),
        place_id: Type.Optional(PlaceId),
      }),
      (row) => (row.place_id === null ? undefined : { place_id: row.place_id }),
    ),
    paid_partnership: staticField(postRow, Type.Boolean(), (row) => row.paid_partnership),
    possibly_sensitive: staticField(postRow, Type.Boolean(), (row) => row.possibly_sensitive),
    source: staticField(postRow, Text, (row) => (row.source === '' ? undefined : row.source)),
    edit_history_post_ids: staticField(
      postVersions,
      Type.Array(PostId, { minItems: 1 }),
      (versions) => versions.version_ids,
    ),
    edit_controls: staticField(
      postVersions,
      Type.Object({ editable_until: DateTime, edits_remaining: Type.Integer(), is_edit_eligible: Type.Boolean() }),
      (versions) => ({
        editable_until: wireTime(editableUntil(versions.first_version_id)),
        edits_remaining: Math.max(0, MAX_EDITS + 1 - versions.version_ids.length),
        is_edit_eligible: isEditable(versions),
      }),
    ),
    public_metrics: staticField(
      postMetrics,
      Type.Object({
        bookmark_count: Type.Integer({ format: 'int32' }),
        impression_count: Type.Integer({ format: 'int32' }),
        like_count: Count,
        quote_count: Type.Optional(Count),
        reply_count: Count,
        repost_count: Count,
      }),
      (metrics) => metrics,
    ),
    non_public_metrics: guardedField(
      postPrivateMetrics,
      Type.Object({
        engagements: Type.Optional(Count),
        impression_count: Type.Optional(Type.Integer({ format: 'int32' })),
        url_link_clicks: Type.Optional(Count),
        user_profile_clicks: Type.Optional(Count),
      }),
      authorOnly(
        leavesOf('non_public_metrics', ['impression_count', 'url_link_clicks', 'user_profile_clicks', 'engagements']),
      ),
      (metrics) => ({ ...metrics, engagements: engagementsOf(metrics) }),
    ),
    organic_metrics: guardedField(
      postPrivateMetrics,
      Type.Object({
        impression_count: Count,
        like_count: Count,
        reply_count: Count,
        repost_count: Count,
        url_link_clicks: Type.Optional(Count),
        user_profile_clicks: Type.Optional(Count),
      }),
      authorOnly(
        leavesOf('organic_metrics', [
          'impression_count',
          'like_count',
          'reply_count',
          'repost_count',
          'url_link_clicks',
          'user_profile_clicks',
        ]),
      ),
      (metrics) => ({
        impression_count: metrics.impression_count - (metrics.promoted_impression_count ?? 0),
        like_count: Math.max(0, metrics.like_count - metrics.promoted_like_count),
        reply_count: Math.max(0, metrics.reply_count - metrics.promoted_reply_count),
        repost_count: Math.max(0, metrics.repost_count - metrics.promoted_repost_count),
        url_link_clicks: metrics.url_link_clicks - metrics.promoted_link_clicks,
        user_profile_clicks: metrics.user_profile_clicks - metrics.promoted_profile_clicks,
      }),
    ),
    promoted_metrics: guardedField(
      postPrivateMetrics,
      Type.Object({
        impression_count: Type.Optional(Type.Integer({ format: 'int32' })),
        like_count: Type.Optional(Type.Integer({ format: 'int32' })),
        reply_count: Type.Optional(Type.Integer({ format: 'int32' })),
        repost_count: Type.Optional(Type.Integer({ format: 'int32' })),
        url_link_clicks: Type.Optional(Count),
        user_profile_clicks: Type.Optional(Count),
      }),
      authorOnly(
        leavesOf('promoted_metrics', [
          'impression_count',
          'like_count',
          'reply_count',
          'repost_count',
          'url_link_clicks',
          'user_profile_clicks',
        ]),
      ),
      // A post that was never promoted has none.
      (metrics) =>
        metrics.promoted_impression_count === null
          ? undefined
          : {
              impression_count: metrics.promoted_impression_count,
              like_count: metrics.promoted_like_count,
              reply_count: metrics.promoted_reply_count,
              repost_count: metrics.promoted_repost_count,
              url_link_clicks: metrics.promoted_link_clicks,
              user_profile_clicks: metrics.promoted_profile_clicks,
            },
    ),
    ...membersWithoutSource,
    article: staticField(
      postArticle,
      Type.Object({
        id: Type.Optional(Type.String()),
        media_key: Type.Optional(MediaKey),
        plain_text: Type.Optional(Type.String()),
        preview_text: Type.Optional(Type.String()),
        title: Type.Optional(Type.String()),
      }),
      (row) =>
        row.article_id === null
          ? undefined
          : {
              id: row.article_id,
              title: row.title!,
              plain_text: row.plain_text!,
              preview_text: row.preview_text!,
              media_key: row.cover_media_key ?? undefined,
            },
    ),
  },
  expansions: {
    author_id: expands(
      postRow,
      () => user,
      (row) => [row.author_id],
      'author_id',
    ),
    in_reply_to_user_id: expands(
      postRow,
      () => user,
      (row) => present(row.in_reply_to_user_id),
      'in_reply_to_user_id',
    ),
    'entities.mentions.username': expands(
      postRow,
      () => user,
      (row) => row.mentioned_user_ids,
      'entities',
    ),
    'entities.note.mentions.username': expands(
      postRow,
      () => user,
      (row) => (row.note_text === null ? [] : row.mentioned_user_ids),
      'note_post',
    ),
    'referenced_posts.id': expands(
      postRow,
      () => post,
      (row) => referencesOf(row).map((item) => item.id),
      'referenced_posts',
    ),
    'referenced_posts.id.author_id': through('referenced_posts.id', 'author_id'),
    'referenced_posts.id.attachments.media_keys': through('referenced_posts.id', 'attachments.media_keys'),
    edit_history_post_ids: expands(
      postVersions,
      () => post,
      (versions) => versions.version_ids,
      'edit_history_post_ids',
    ),
    'attachments.poll_ids': expands(
      postRow,
      () => poll,
      (row) => present(row.poll_id),
      'attachments',
    ),
    'attachments.media_keys': expands(
      postRow,
      () => media,
      (row) => row.media_keys,
      'attachments',
    ),
    'attachments.media_source_post': expands(
      postRow,
      () => post,
      () => [],
      'attachments',
    ),
    'geo.place_id': expands(
      postRow,
      () => place,
      (row) => present(row.place_id),
      'geo',
    ),
    'article.cover_media': expands(
      postArticle,
      () => media,
      (row) => present(row.cover_media_key),
      'article',
    ),
    'article.media_entities': expands(
      postArticle,
      () => media,
      (row) => row.media_keys,
      'article',
    ),
  },
  judge: (context, entries) =>
    judgeUnlessPublic(
      context,
      entries.map((entry) => authorsOf(partOf(entry, postRow)!)),
    ),
})

function engagementsOf(metrics: PrivateMetricsRow): number {
  const { repost_count, reply_count, like_count, quote_count, bookmark_count } = metrics
  const { url_link_clicks, user_profile_clicks, other_engagements } = metrics
  const named = repost_count + reply_count + like_count + quote_count + bookmark_count
  return named + url_link_clicks + user_profile_clicks + other_engagements
}
