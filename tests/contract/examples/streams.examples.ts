import { isInPartition } from '../../../src/streams/share.ts'
import { openStream } from '../../support/read-stream.ts'
import type { Cast, Scene } from '../scene.ts'
import type { Call, Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

let written = 0

async function write(scene: Scene, text: string): Promise<string> {
  written += 1
  const made = await scene.server.post('/2/posts', { text: `${text} ${written}` }, { user: 'bob' })
  if (made.status !== 201) throw new Error(`The example post was refused: ${made.text}`)
  return made.body.data.id
}

const without = { 'post.fields': PRIVATE_METRICS }

/** A stream that delivers any post with this text. */
const postStream =
  (text = 'A word for everybody', query: Record<string, string> = { partition: '1' }) =>
  (scene: Scene): Call[] => [{ as: 'app', query, without, cause: () => write(scene, text) }]

const likes = (scene: Scene) => `/2/users/${scene.server.userId('alice')}/likes`
const like = (scene: Scene, id: string) => scene.server.post(likes(scene), { post_id: id }, { user: 'alice' })
const unlike = (scene: Scene, id: string) => scene.server.delete(`${likes(scene)}/${id}`, { user: 'alice' })

const likesStream = async (scene: Scene): Promise<Call[]> => {
  const id = await write(scene, 'Liked on a stream')
  const cause = async () => {
    await like(scene, id)
    // A like that is undone at once would not be delivered.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await unlike(scene, id)
  }
  return [{ as: 'app', query: { partition: '1' }, without, cause }]
}

/** Opens the one stream of the cast that nothing happens on; returns the id of its connection. */
async function connect(scene: Scene, cast: Cast): Promise<string> {
  await scene.server.delete('/2/connections/all', cast.app)
  const stream = await openStream(scene.server, '/2/posts/label/stream', cast.app)
  if (stream.status !== 200) throw new Error(`The example stream was refused: ${stream.text}`)
  return (await scene.server.get('/2/connections', cast.app)).body.data[0].id
}

export const examples: Examples = {
  streamPosts: async (scene, cast) => {
    written += 1
    const word = `streamed${written}`
    const added = await scene.server.post(
      '/2/posts/search/stream/rules',
      { add: [{ value: word, tag: word }] },
      cast.app,
    )
    if (added.status !== 201) throw new Error(`The example rule was refused: ${added.text}`)
    return [{ as: 'app', without, cause: () => write(scene, `A ${word} word`) }]
  },
  streamPostsSample: postStream(undefined, {}),
  streamPostsSample10: postStream(),
  streamPostsFirehose: postStream(),
  streamPostsFirehoseEn: postStream('The weather is lovely today and we walk along the river'),
  streamPostsFirehoseJa: postStream('今日はとても良い天気なので川沿いを散歩します'),
  streamPostsFirehoseKo: postStream('오늘은 날씨가 아주 좋아서 강가를 산책합니다'),
  streamPostsFirehosePt: postStream('Hoje o tempo está muito bonito e não vamos trabalhar'),
  streamLikesFirehose: likesStream,
  streamLikesSample10: likesStream,
  streamPostsCompliance: (scene) => {
    const cause = async () => scene.server.delete(`/2/posts/${await write(scene, 'Soon gone')}`, { user: 'bob' })
    return [{ as: 'app', query: { partition: '1' }, cause }]
  },
  streamUsersCompliance: (scene) => {
    const bob = scene.server.userId('bob')
    const partition = [1, 2, 3, 4].find((part) => isInPartition(bob, part, 4))!
    const move = () => {
      written += 1
      return scene.server.command('user.update', { user: 'bob', location: `Street ${written}` })
    }
    const changes = async (value: boolean) => scene.server.command('user.update', { user: 'bob', protected: value })
    const query = { partition: String(partition) }
    return [
      { as: 'app', query, cause: move },
      { as: 'app', query, cause: () => changes(true).then(() => changes(false)) },
    ]
  },
  streamLikesCompliance: async (scene) => {
    const id = await write(scene, 'Liked for a moment')
    const cause = async () => {
      await like(scene, id)
      await unlike(scene, id)
    }
    return [{ as: 'app', cause }]
  },
  // Nothing labels posts.
  streamLabelsCompliance: () => [{ as: 'app' }],
  getConnectionHistory: async (scene, cast) => {
    await connect(scene, cast)
    const queries: Record<string, string>[] = [
      {},
      { status: 'all', max_results: '1' },
      { endpoints: 'filtered_stream' },
    ]
    return queries.map((query) => ({ as: 'app', query }))
  },
  deleteConnectionsByUuids: async (scene, cast) => {
    const uuids = [await connect(scene, cast), '6f1cbb4a-51e9-4d5b-8a36-0f5e0a4f2b5e', 'no uuid']
    return [{ as: 'app', body: { uuids } }]
  },
  deleteAllConnections: async (scene, cast) => {
    await connect(scene, cast)
    return [{ as: 'app' }]
  },
  deleteConnectionsByEndpoint: async (scene, cast) => {
    await connect(scene, cast)
    return [{ as: 'app', path: { endpoint_id: 'post_label_stream' } }]
  },
}
