import type { Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

let written = 0

async function enrolled({ server }: Scene): Promise<void> {
  await server.command('notes.enrol', { user: 'alice' })
}

async function makePost({ server }: Scene): Promise<string> {
  written += 1
  const made = await server.post('/2/posts', { text: `The moon has ${written} craters` }, { user: 'bob' })
  if (made.status !== 201) throw new Error(`The example post was refused: ${made.text}`)
  return made.body.data.id
}

const noteOn = (postId: string) => ({
  test_mode: true,
  post_id: postId,
  info: {
    text: 'The moon has more than 9,000 named craters according to https://example.com/moon',
    classification: 'misinformed_or_potentially_misleading',
    misleading_tags: ['factual_error'],
    is_media_note: false,
    trustworthy_sources: true,
  },
})

async function noted(scene: Scene): Promise<string> {
  await enrolled(scene)
  const made = await scene.server.post('/2/notes', noteOn(await makePost(scene)), { user: 'alice' })
  if (made.status !== 200) throw new Error(`The example note was refused: ${made.text}`)
  return made.body.data.id
}

async function drafted(scene: Scene) {
  await enrolled(scene)
  return { post_id: await makePost(scene), note_text: 'The number is 9,137: https://example.com/moon' }
}

export const examples: Examples = {
  createCommunityNotes: async (scene) => {
    await enrolled(scene)
    return [{ as: 'user', body: noteOn(await makePost(scene)) }]
  },
  deleteCommunityNotes: async (scene) => [{ as: 'user', path: { id: await noted(scene) } }],
  searchCommunityNotesWritten: async (scene) => {
    const note = await noted(scene)
    const { server } = scene
    await server.command('notes.rate', {
      ratings: [
        { note, user: 'bob', helpfulness: 'helpful', tags: ['good_sources'] },
        { note, user: 'dario', helpfulness: 'not_helpful', tags: ['incorrect'] },
      ],
    })
    await server.command('notes.score')
    return [{ as: 'user', query: { test_mode: 'true' } }]
  },
  searchEligiblePosts: async (scene) => {
    await enrolled(scene)
    await makePost(scene)
    return [
      {
        as: 'user',
        query: { test_mode: 'true', post_selection: 'feed_size: small, feed_lang: en' },
        without: { 'post.fields': PRIVATE_METRICS },
      },
    ]
  },
  evaluateCommunityNotes: async (scene) => [{ as: 'user', body: await drafted(scene) }],
  evaluateNotes: async (scene) => [{ as: 'user', body: await drafted(scene) }],
}
