import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationKindName } from '../../src/population/actions/action-kinds.ts'
import { idOfAction, performActions } from '../../src/population/actions/perform-actions.ts'
import type { Action } from '../../src/population/behaviours/behaviour.ts'
import { readRealHome } from '../../src/population/check-looks.ts'
import { FollowedMirror } from '../../src/population/mirror/fill-mirror.ts'
import { HomeReader } from '../../src/population/mirror/home.ts'
import { createPersonas } from '../../src/population/personas/create-personas.ts'
import { loadPersonas, type Persona } from '../../src/population/personas/load-personas.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const SEED = 5
const COUNT = 40

let server: TestServer
let personas: Persona[]
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  await server.command('clock', { set: '2030-01-07T19:00:00Z', freeze: true })
  const watch = { isStopped: () => false, isEnding: () => false, progress: async () => {} }
  await createPersonas(server.runtime, { seed: SEED, personas: COUNT }, watch)
  personas = await loadPersonas(server.runtime, SEED, COUNT)
})
afterAll(() => server.close())

let moment = Date.parse('2030-01-07T19:00:00Z')
let number = 0
/** Does something as a persona, by its operation. */
async function act(position: number, action: Action & { kind: OperationKindName }) {
  const [done] = await performActions(server.runtime, moment, [
    { persona: personas[position]!, action, number: number++ },
  ])
  return done!
}

let drawn = 12345
const draw = (below: number): number => {
  drawn = (Math.imul(drawn, 1103515245) + 12345) >>> 0
  return Math.floor((drawn / 0x1_0000_0000) * below)
}

async function expectEqual(mirror: FollowedMirror) {
  await mirror.sync()
  const home = new HomeReader(mirror.mirror)
  let beyond = 0
  for (const persona of personas) {
    const seen = home.read(persona.position)?.map((post) => post.id)
    if (seen === undefined) beyond += 1
    else expect(seen, `@${persona.username}`).toEqual(await readRealHome(server.runtime, persona))
  }
  return beyond
}

test('home timelines in the mirror are those of the operation, whatever people do', async () => {
  const open = (most?: number) =>
    FollowedMirror.open(server.runtime, { seed: SEED, userIds: personas.map((persona) => persona.userId) }, most)
  const mirror = await open()
  const posts: { id: string; author: number }[] = []
  const other = () => personas[draw(COUNT)]!.userId
  for (let round = 0; round < 4; round++) {
    for (let at = 0; at < 60; at++) {
      const position = draw(COUNT)
      const target = posts[draw(posts.length)]
      const text = `Words ${round} ${at}`
      const id = number
      const kinds: (Action & { kind: OperationKindName })[] = [
        { kind: 'post', text },
        { kind: 'post', text },
        { kind: 'follow', user_id: other() },
        { kind: 'unfollow', user_id: other() },
        { kind: 'mute', user_id: other() },
        { kind: 'unmute', user_id: other() },
        ...(draw(6) === 0 ? [{ kind: 'block' as const, user_id: other() }] : []),
        { kind: 'unblock', user_id: other() },
        ...(target
          ? [
              { kind: 'reply' as const, text, post_id: target.id },
              { kind: 'reply' as const, text, post_id: target.id },
              { kind: 'quote' as const, text, post_id: target.id },
              { kind: 'repost' as const, post_id: target.id },
              { kind: 'repost' as const, post_id: target.id },
              { kind: 'unrepost' as const, post_id: target.id },
              { kind: 'like' as const, post_id: target.id },
            ]
          : []),
      ]
      const action = kinds[draw(kinds.length)]!
      const done = await act(position, action)
      if (done.status < 400 && ['post', 'reply', 'quote'].includes(action.kind)) {
        posts.push({ id: idOfAction(moment, id, 0), author: position })
      }
    }
    const deleted = posts.splice(draw(posts.length), 1)[0]!
    await act(deleted.author, { kind: 'delete_post', post_id: deleted.id })
    const hidden = personas[draw(COUNT)]!
    await server.command('user.update', { user: hidden.userId, protected: true })
    await server.command('user.update', { user: personas[draw(COUNT)]!.userId, suspended: round % 2 === 0 })
    moment += 60_000
    await server.command('clock', { advance: '1m' })
    await expectEqual(mirror)
  }
  // A mirror that keeps few posts says so, and is right where it answers.
  const beyond = await expectEqual(await open(30))
  expect(beyond).toBeGreaterThan(0)
  expect(beyond).toBeLessThanOrEqual(COUNT)
})
