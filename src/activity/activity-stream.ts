import type { Operation } from '../api-kit/declaring/operation.ts'
import { addIncludes, ErrorsSchema } from '../api-kit/declaring/reply.ts'
import { closed, component, idSchema, type TSchema, Type } from '../api-kit/declaring/schema.ts'
import { meterOf } from '../identity/usage/usage-meter.ts'
import { PostId, UserId } from '../social/ids.ts'
import { post } from '../social/posts/post.object.ts'
import { user } from '../social/users/user.object.ts'
import { defineStream } from '../streams/define-stream.ts'
import { type Channel, reporting } from '../streams/hub.ts'
import { likeWithPostAuthor } from '../streams/likes/like.object.ts'
import type { OpenStream } from '../streams/open-stream.ts'
import { type ActivityMessage, matchActivity, renderActivity } from './find-activity.ts'
import { SubscriptionFilterSchema } from './subscription.schemas.ts'

/** Sends all activity that the app subscribed to, with or without a webhook. */
const activityChannel: Channel<undefined> = {
  async deliver(runtime, events, subscribers) {
    const appIds = [...new Set(subscribers.map(({ stream }) => stream.caller.app.id))]
    const matches = await matchActivity(runtime, events, { appIds })
    if (matches.length === 0) return
    const report = reporting(runtime)
    // Written when everything is rendered: a batch that fails is delivered again as a whole.
    const lines: [OpenStream, ActivityMessage][] = []
    for (const naming of new Set(subscribers.map(({ stream }) => stream.naming))) {
      const streams = subscribers.map(({ stream }) => stream).filter((stream) => stream.naming === naming)
      const apps = new Set(streams.map((stream) => stream.caller.app.id))
      const own = matches.filter((match) => apps.has(match.subscription.app_id))
      for (const message of await renderActivity(runtime, own, naming)) {
        if (message.withheld !== undefined) report(message, message.withheld)
        else for (const stream of streams) if (stream.caller.app.id === message.appId) lines.push([stream, message])
      }
    }
    for (const [stream, { envelope, postId }] of lines) {
      stream.write(envelope)
      if (runtime.hasUsage && postId !== undefined) meterOf(runtime).countDelivered(stream.caller.app, 'post', [postId])
    }
  },
}

const Text = Type.String()

const Payload = component(
  'ActivityStreamingResponsePayload',
  Type.Unsafe({
    oneOf: [
      component(
        'ProfileUpdateActivityResponsePayload',
        closed({ after: Type.Optional(Text), before: Type.Optional(Text) }),
      ),
      component(
        'NewsActivityResponsePayload',
        closed({
          category: Type.Optional(Text),
          headline: Type.Optional(Text),
          hook: Type.Optional(Text),
          summary: Type.Optional(Text),
        }),
      ),
      component(
        'FollowActivityResponsePayload',
        closed({ source: Type.Optional(user.schema), target: Type.Optional(user.schema) }),
      ),
      post.schema,
      component('PostDeleteActivityResponsePayload', closed({ author_id: UserId, id: PostId })),
      likeWithPostAuthor.schema,
    ],
  }) as TSchema,
)

const reply = component(
  'ActivityStreamingResponse',
  Type.Object({
    data: Type.Optional(
      addIncludes(
        Type.Object({
          event_type: Type.Optional(Text),
          event_uuid: Type.Optional(idSchema('ActivityEventId')),
          filter: Type.Optional(SubscriptionFilterSchema),
          payload: Type.Optional(Payload),
          tag: Type.Optional(Text),
        }),
      ),
    ),
    errors: ErrorsSchema,
  }),
)

export const activityStream: Operation = defineStream({
  id: 'activityStream',
  route: 'GET /2/activity/stream',
  tag: 'Activity',
  summary: 'Stream the activity that the app subscribed to',
  endpoint: 'activity_stream',
  limit: { app: '450/15m' },
  connections: () => 2,
  recovery: true,
  query: {},
  reply,
  channel: activityChannel,
  wants: async () => undefined,
})
