import type { Cast, Scene } from '../scene.ts'
import type { Call, Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

const without = { 'post.fields': PRIVATE_METRICS }
const alice = (scene: Scene) => scene.server.userId('alice')
const bob = (scene: Scene) => scene.server.userId('bob')

let made = 0

/** A list of alice. */
async function createList(scene: Scene, cast: Cast): Promise<string> {
  made += 1
  const answer = await scene.server.post('/2/lists', { name: `Example ${made}`, description: 'Of posts' }, cast.user)
  if (answer.status !== 200) throw new Error(`The example list was refused: ${answer.text}`)
  return answer.body.data.id
}

/** A list of alice with two members and a follower. */
async function usedList(scene: Scene, cast: Cast): Promise<string> {
  const id = await createList(scene, cast)
  for (const name of ['bob', 'chika']) {
    const answer = await scene.server.post(`/2/lists/${id}/members`, { user_id: scene.server.userId(name) }, cast.user)
    if (answer.status !== 200) throw new Error(`The example member was refused: ${answer.text}`)
  }
  await scene.server.post(`/2/users/${alice(scene)}/followed_lists`, { list_id: id }, cast.user)
  await scene.server.post(`/2/users/${bob(scene)}/followed_lists`, { list_id: id }, { user: 'bob' })
  return id
}

const others = (call: Partial<Call>): Call[] => [
  { as: 'user', ...call },
  { as: 'app', ...call },
]

// One list for all examples of pins, since a user can have few of them.
let pinned: string | undefined

async function pinnedList(scene: Scene, cast: Cast): Promise<string> {
  const known = pinned === undefined ? undefined : await scene.server.get(`/2/lists/${pinned}`, cast.user)
  if (known?.body.data === undefined) pinned = await createList(scene, cast)
  await scene.server.post(`/2/users/${alice(scene)}/pinned_lists`, { list_id: pinned }, cast.user)
  return pinned!
}

export const examples: Examples = {
  createLists: () => {
    made += 1
    return [{ as: 'user', body: { name: `List ${made}`, description: 'Posts of friends', private: true } }]
  },
  getListsById: async (scene, cast) => others({ path: { id: await usedList(scene, cast) } }),
  updateLists: async (scene, cast) => [
    {
      as: 'user',
      path: { id: await usedList(scene, cast) },
      body: { name: 'Renamed', description: '', private: true },
    },
  ],
  deleteLists: async (scene, cast) => [{ as: 'user', path: { id: await usedList(scene, cast) } }],
  getListsFollowers: async (scene, cast) =>
    others({ path: { id: await usedList(scene, cast) }, query: { max_results: '1' }, without }),
  getListsMembers: async (scene, cast) =>
    others({ path: { id: await usedList(scene, cast) }, query: { max_results: '1' }, without }),
  addListsMember: async (scene, cast) => [
    { as: 'user', path: { id: await createList(scene, cast) }, body: { user_id: bob(scene) } },
  ],
  removeListsMemberByUserId: async (scene, cast) => {
    const id = await usedList(scene, cast)
    return [
      { as: 'user', path: { id, user_id: bob(scene) } },
      { as: 'user', path: { id, user_id: '1' } },
    ]
  },
  getListsPosts: async (scene, cast) => {
    const id = await usedList(scene, cast)
    for (const number of [1, 2])
      await scene.server.post('/2/posts', { text: `For the list ${made}, ${number}` }, { user: 'bob' })
    return others({ path: { id }, query: { max_results: '2' }, without })
  },
  getUsersFollowedLists: async (scene, cast) => {
    await usedList(scene, cast)
    return others({ path: { id: alice(scene) }, query: { max_results: '1' } })
  },
  followList: async (scene, cast) => [
    { as: 'user', path: { id: alice(scene) }, body: { list_id: await createList(scene, cast) } },
  ],
  unfollowList: async (scene, cast) => [
    { as: 'user', path: { id: alice(scene), list_id: await usedList(scene, cast) } },
    { as: 'user', path: { id: alice(scene), list_id: '1' } },
  ],
  getUsersListMemberships: async (scene, cast) => {
    await usedList(scene, cast)
    return others({ path: { id: bob(scene) }, query: { max_results: '1' } })
  },
  getUsersOwnedLists: async (scene, cast) => {
    await createList(scene, cast)
    return others({ path: { id: alice(scene) }, query: { max_results: '1' } })
  },
  getUsersPinnedLists: async (scene, cast) => {
    await pinnedList(scene, cast)
    return [{ as: 'user', path: { id: alice(scene) } }]
  },
  pinList: async (scene, cast) => [
    { as: 'user', path: { id: alice(scene) }, body: { list_id: await pinnedList(scene, cast) } },
  ],
  unpinList: async (scene, cast) => [
    { as: 'user', path: { id: alice(scene), list_id: await pinnedList(scene, cast) } },
    { as: 'user', path: { id: alice(scene), list_id: '1' } },
  ],
}
