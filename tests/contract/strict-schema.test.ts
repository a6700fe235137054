import { expect, test } from 'vitest'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { families } from '../../src/app.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { compileStrict } from './strict-schema.ts'

const { operations } = families[0]

const { reply } = operations.find((operation) => operation.id === 'getPostsById')!
const answer = (data: object) => ({ data: { id: '1', text: 'A word', ...data } })

test('the strict check accepts an answer only in its own naming', () => {
  const inNeutral = compileStrict(reply, neutral)
  const inLegacy = compileStrict(reply, legacyNaming)
  expect(inNeutral(answer({ edit_history_post_ids: ['1'] }))).toBe(true)
  expect(inLegacy(answer({ edit_history_post_ids: ['1'] }))).toBe(false)
  expect(inLegacy(answer({ edit_history_tweet_ids: ['1'] }))).toBe(true)
  expect(inNeutral(answer({ edit_history_tweet_ids: ['1'] }))).toBe(false)
  const reference = (type: string) => [{ id: '1', type }]
  expect(inNeutral(answer({ referenced_posts: reference('reposted') }))).toBe(true)
  expect(inNeutral(answer({ referenced_posts: reference('retweeted') }))).toBe(false)
  expect(inLegacy(answer({ referenced_tweets: reference('retweeted') }))).toBe(true)
})

test('the strict check refuses members that are not declared, at any depth, and wrong formats', () => {
  const validate = compileStrict(reply, neutral)
  expect(validate(answer({}))).toBe(true)
  expect(validate({ ...answer({}), more: 1 })).toBe(false)
  expect(validate(answer({ more: 1 }))).toBe(false)
  expect(validate(answer({ entities: { hashtags: [{ start: 0, end: 1, tag: 'a', more: 1 }] } }))).toBe(false)
  expect(validate({ ...answer({}), includes: { users: [{ id: '1', name: 'A', username: 'a', more: 1 }] } })).toBe(false)
  expect(validate(answer({ created_at: '2024-01-01' }))).toBe(false)
  expect(validate(answer({ id: 'x' }))).toBe(false)
})
