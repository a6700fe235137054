// Pages per second of a public post, beside the JSON of the same post, in one run with one worker; and the bytes of pages.
//   npm run bench:pages           6 seconds each
//   npm run bench:pages -- 3
import { brotliCompressSync } from 'node:zlib'
import { load } from './load.js'
import { startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const SECONDS = Number(process.argv[2] ?? 6)
const WARM_SECONDS = 2
const REPLIES = 5

async function makePosts({ credentials }) {
  const { base_url, apps, users } = credentials
  const make = async (user, body) => {
    const made = await fetch(`${base_url}/2/posts`, {
      method: 'POST',
      headers: {
        authorization: signer('POST', `${base_url}/2/posts`, apps[0], user)(),
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    if (made.status !== 201) throw new Error(await made.text())
    return (await made.json()).data.id
  }
  const [alice, bob] = users
  const lone = await make(alice, { text: 'A post without replies, with #tags and https://example.com/a/link' })
  const thread = await make(alice, { text: 'A post with replies' })
  for (let number = 0; number < REPLIES; number++)
    await make(bob, { text: `Reply ${number}`, reply: { in_reply_to_post_id: thread } })
  return { username: alice.username, lone, thread }
}

const { folder, remove } = temporaryFolder()
const server = await startRostra(folder)
try {
  const { base_url, apps } = server.credentials
  const { username, lone, thread } = await makePosts(server)
  const bearer = { authorization: `Bearer ${apps[0].bearer_token}` }
  const fields = 'post.fields=created_at,entities,public_metrics&expansions=author_id'
  const ways = [
    ['JSON of a post', `/2/posts/${lone}?${fields}`, bearer],
    ['page of the post', `/${username}/status/${lone}`, {}],
    [`page of a post with ${REPLIES} replies`, `/${username}/status/${thread}`, {}],
    ['profile', `/${username}`, {}],
  ]
  console.log(`${''.padEnd(34)}per second   p50 ms   p99 ms  share of JSON    bytes   brotli`)
  let first
  for (const [name, path, headers] of ways) {
    const body = Buffer.from(await (await fetch(base_url + path, { headers })).arrayBuffer())
    const next = () => ({ method: 'GET', path, headers })
    await load(base_url, WARM_SECONDS, next, 200)
    const { rate, p50, p99 } = await load(base_url, SECONDS, next, 200)
    first ??= rate
    const columns = [rate.toFixed(0).padStart(10), p50.toFixed(0).padStart(9), p99.toFixed(0).padStart(9)]
    const sizes = [String(body.length).padStart(9), String(brotliCompressSync(body).length).padStart(9)]
    console.log(`${name.padEnd(34)}${columns.join('')}${(rate / first).toFixed(2).padStart(15)}${sizes.join('')}`)
  }
} finally {
  await server.stop()
  remove()
}
