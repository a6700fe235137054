import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scoringDue } from '../../src/social/notes/note.statements.ts'
import { waitingForLocks } from '../support/locks.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { makePost, rows } from './acting.ts'

let server: TestServer
const CAMP = 5
const left = Array.from({ length: CAMP }, (_none, index) => `left_${index}`)
const right = Array.from({ length: CAMP }, (_none, index) => `right_${index}`)
beforeAll(async () => {
  server = await startTestServer()
  await server.command('notes.enrol', { user: 'alice' })
  await Promise.all([...left, ...right].map((username) => server.command('user.create', { username })))
})
afterAll(() => server.close())

const alice: As = { user: 'alice' }
let posts = 0

async function noted(): Promise<string> {
  posts += 1
  const body = {
    test_mode: true,
    post_id: await makePost(server, 'bob', { text: `Claim ${posts}` }),
    info: {
      text: 'In fact it is 7: https://example.com/',
      classification: 'misinformed_or_potentially_misleading',
      misleading_tags: ['factual_error'],
      trustworthy_sources: true,
    },
  }
  return (await server.post('/2/notes', body, alice)).body.data.id
}

type Word = 'helpful' | 'somewhat_helpful' | 'not_helpful'
const rate = (ratings: object[]) => server.command('notes.rate', { ratings })
const by = (note: string, users: string[], helpfulness: Word, tags: string[] = []) =>
  users.map((user) => ({ note, user, helpfulness, tags }))

/** A note with the ratings of both camps; undefined where a camp does not rate it. */
async function rated(ofLeft: Word | undefined, ofRight: Word | undefined): Promise<string> {
  const note = await noted()
  await rate([...(ofLeft ? by(note, left, ofLeft) : []), ...(ofRight ? by(note, right, ofRight) : [])])
  return note
}

interface WrittenNote {
  status: string
  scoring_status: { rating_counts_per_model: { value: Record<string, unknown> } }
}

async function writtenNotes(): Promise<Map<string, WrittenNote>> {
  const path = '/2/notes/search/notes_written?test_mode=true&max_results=100&note.fields=status,scoring_status'
  const { data } = (await server.get(path, alice)).body
  return new Map(data.map((note: { id: string }) => [note.id, note]))
}
const statusOf = async (note: string) => (await writtenNotes()).get(note)?.status

describe('the status of a note', () => {
  test('becomes helpful by agreement of people who usually disagree, and not by one camp', async () => {
    const ofOneCamp = [
      await rated('helpful', 'not_helpful'),
      await rated('helpful', 'not_helpful'),
      await rated('not_helpful', 'helpful'),
      await rated('not_helpful', 'helpful'),
      await rated('helpful', undefined),
    ]
    const ofBoth = await rated('helpful', 'helpful')
    const ofNobody = await rated('not_helpful', 'not_helpful')
    const between = await rated('somewhat_helpful', 'somewhat_helpful')
    const few = await noted()
    await rate([...by(few, left.slice(0, 2), 'helpful'), ...by(few, right.slice(0, 2), 'helpful')])
    expect(await server.command('notes.score')).toMatchObject({ ratings: 79, notes: 9, changed: 9, settled: 0 })
    const notes = await writtenNotes()
    for (const note of ofOneCamp) expect(notes.get(note)!.status).toBe('needs_more_ratings')
    expect(notes.get(ofBoth)!.status).toBe('currently_rated_helpful')
    expect(notes.get(ofNobody)!.status).toBe('currently_rated_not_helpful')
    expect(notes.get(between)!.status).toBe('needs_more_ratings')
    expect(notes.get(few)!.status).toBe('minimum_ratings_not_met')
    const shown = await server.command('notes.show', { note: ofBoth })
    expect(shown).toMatchObject({ helpful: 10, somewhat_helpful: 0, not_helpful: 0, final: false })
    expect(shown.intercept).toBeGreaterThanOrEqual(0.4)

    const reported = await rows(server, `select target_id, payload from event_outbox where type = 'note.show'`)
    expect(reported).toEqual([{ target_id: expect.any(String), payload: { note_id: ofBoth } }])

    // The same ratings give the same scores.
    expect(await server.command('notes.score')).toMatchObject({ changed: 0 })
    // The fifth rating is enough.
    await rate(by(few, [right[4]!], 'helpful'))
    await server.command('notes.score')
    expect(await statusOf(few)).toBe('currently_rated_helpful')
    // When one camp changes its mind, the agreement ends.
    await rate(by(ofBoth, right, 'not_helpful'))
    await server.command('notes.score')
    expect(await statusOf(ofBoth)).toBe('needs_more_ratings')
  })

  test('shows its writer the ratings by the sides of the raters', async () => {
    const note = await noted()
    await rate([
      ...by(note, left, 'helpful', ['good_sources', 'clear']),
      ...by(note, right.slice(0, 3), 'not_helpful', ['incorrect']),
      ...by(note, right.slice(3), 'somewhat_helpful', ['clear']),
    ])
    await server.command('notes.score')
    const { scoring_status: scoring } = (await writtenNotes()).get(note)!
    expect(scoring).toMatchObject({ has_access: true, rating_counts_per_model: { model_name: 'CoreModel' } })
    const { value } = scoring.rating_counts_per_model
    const sides = [value.negative_factor_bucket_counts, value.positive_factor_bucket_counts]
    expect(sides).toContainEqual({
      helpful_count: 5,
      helpful_tag_counts: { tag_name: 'clear', tag_count: 5 },
      not_helpful_count: 0,
      somewhat_helpful_count: 0,
    })
    expect(sides).toContainEqual({
      helpful_count: 0,
      helpful_tag_counts: { tag_name: 'clear', tag_count: 2 },
      not_helpful_count: 3,
      not_helpful_tag_counts: { tag_name: 'incorrect', tag_count: 3 },
      somewhat_helpful_count: 2,
    })
    expect(value.neutral_factor_bucket_counts).toEqual({
      helpful_count: 0,
      not_helpful_count: 0,
      somewhat_helpful_count: 0,
    })
  })

  test('counts a rating that comes while notes are scored in the next run', async () => {
    const [first, second] = [await rated('helpful', 'helpful'), await noted()]
    await rate(by(second, left.slice(0, 2), 'helpful'))
    const client = await server.runtime.database.pool.connect()
    await client.query('begin')
    await client.query('select from community_note where id = $1 for update', [first])
    // It has read the ratings when it waits for the note.
    const scoring = server.command('notes.score')
    await until(async () => (await waitingForLocks(server)) === 1)
    await rate(by(second, right.slice(0, 3), 'helpful'))
    await client.query('commit')
    client.release()
    await scoring
    expect(await statusOf(second)).toBe('minimum_ratings_not_met')
    expect(await scoringDue.first(server.runtime.database, new Date(0))).toEqual({ due: true })
    await server.command('notes.score')
    expect(await statusOf(second)).toBe('currently_rated_helpful')
    expect(await scoringDue.first(server.runtime.database, new Date(0))).toEqual({ due: false })
  })

  test('is final after two weeks', async () => {
    const undecided = await rated('helpful', 'not_helpful')
    const helpful = await rated('helpful', 'helpful')
    await server.command('notes.score')
    await server.command('clock', { advance_ms: 14 * 24 * 3600_000 + 60_000 })
    expect(await statusOf(undecided)).toBe('insufficient_consensus')
    await rate(by(helpful, [...left, ...right], 'not_helpful'))
    await server.command('notes.score')
    expect(await statusOf(helpful)).toBe('currently_rated_helpful')
    expect(await server.command('notes.show', { note: helpful })).toMatchObject({ final: true })
    await server.command('clock', { reset: true })
  })
})

describe('a rating', () => {
  test.each([
    ['of a note that does not exist', { note: '1' }, 'There is no note [1].'],
    ['by a user who does not exist', { user: 'nobody_here' }, 'There is no user [nobody_here].'],
    ['of an own note', { user: 'alice' }, 'A user cannot rate an own note.'],
    ['by a writer of notes', { user: 'dario' }, 'A user who is enrolled as a writer of notes cannot rate notes.'],
    ['with tags that do not fit', { tags: ['incorrect'] }, 'A rating of helpful can have the tags addresses_claim'],
  ])('%s is refused, and with it all others of the request', async (_what, change, message) => {
    await server.command('notes.enrol', { user: 'dario' })
    const note = await noted()
    const fine = { note, user: 'bob', helpfulness: 'helpful' }
    const wrong = { note, user: left[0], helpfulness: 'helpful', ...change }
    await expect(rate([fine, wrong])).rejects.toThrow(message)
    await expect(rate([fine, fine])).rejects.toThrow('twice')
    expect(await server.command('notes.show', { note })).toMatchObject({ helpful: 0, not_helpful: 0 })
  })

  test('replaces an earlier one by the same user', async () => {
    const note = await noted()
    await rate(by(note, ['bob'], 'helpful'))
    await rate(by(note, ['bob'], 'not_helpful'))
    expect(await server.command('notes.show', { note })).toMatchObject({ helpful: 0, not_helpful: 1 })
  })
})
