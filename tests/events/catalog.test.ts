import { expect, test } from 'vitest'
import { isEventOf, type LoggedEvent, newPostOf } from '../../src/events/catalog.ts'

const event = (type: string, payload: object = {}, post_id: string | null = '7') =>
  ({
    sequence: '1',
    type,
    actor_id: '1',
    target_id: null,
    post_id,
    payload,
    happened_at: new Date(),
  }) as LoggedEvent

test.each([
  ['a new post', event('post.create'), '7'],
  ['an edited version', event('post.edit', { first_version_id: '5' }), '7'],
  ['a repost, which has an id of its own', event('repost.create', { repost_id: '9' }), '9'],
])('%s is a post that an event created', (_, happened, id) => {
  expect(newPostOf(happened)).toBe(id)
})

test.each([
  event('post.delete', { version_ids: ['7'] }),
  event('repost.delete', { repost_id: '9' }),
  event('like.create', { like_id: '3' }),
  event('follow.follow'),
  event('post.create', {}, null),
])('an event of $type creates no post', (happened) => {
  expect(newPostOf(happened)).toBeUndefined()
})

test('an event is of one of several types, or of none', () => {
  expect(isEventOf(event('mute.mute'), 'block.block', 'mute.mute')).toBe(true)
  expect(isEventOf(event('mute.unmute'), 'block.block', 'mute.mute')).toBe(false)
})
