// What finding annotations costs a new post: the function itself in microseconds, and posts created per second with texts that
// name entities against texts of the same length that name none, in turns of the same run.
import { dictionary } from '../dist/modules/social/annotations/dictionary.js'
import { findAnnotations } from '../dist/modules/social/annotations/find-annotations.js'
import { findEntities } from '../dist/modules/social/text/find-entities.js'
import { load } from './load.js'
import { startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const SECONDS = Number(process.argv[2] ?? 4)
const TURNS = 3
const AUTHORS = 50

const NAMED = 'Watching the Champions League in Tokyo with a friend from Berlin, number'
const PLAIN = 'watching the evening clouds in silence with a friend from school, number'

const began = performance.now()
const memory = process.memoryUsage().heapUsed
dictionary()
const made = performance.now() - began
globalThis.gc?.()
const size = (process.memoryUsage().heapUsed - memory) / 1024 / 1024
console.log(
  `dictionary: ${dictionary().byId.size} entities, compiled on first use in ${made.toFixed(0)} ms, about ${size.toFixed(1)} MB`,
)

function microseconds(text) {
  const entities = findEntities(text)
  const run = (times) => {
    const start = performance.now()
    for (let index = 0; index < times; index++) findAnnotations(text, entities)
    return ((performance.now() - start) * 1_000) / times
  }
  run(20_000)
  return run(100_000)
}
const cost = { named: microseconds(`${NAMED} 12345 of the run`), plain: microseconds(`${PLAIN} 12345 of the run`) }
console.log(`findAnnotations: ${cost.plain.toFixed(2)} µs without names, ${cost.named.toFixed(2)} µs with three`)

async function makeAuthors({ base_url, admin_key, apps }) {
  const run = async (name, args) => {
    const answer = await fetch(`${base_url}/_rostra/commands/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    })
    return answer.json()
  }
  const app = (await run('app.list', {})).apps[0].id
  const signs = []
  for (let index = 0; index < AUTHORS; index++) {
    await run('user.create', { username: `author_${index}`, password: 'a password' })
    signs.push(
      signer('POST', `${base_url}/2/posts`, apps[0], await run('user.token', { user: `author_${index}`, app })),
    )
  }
  return signs
}

const { folder, remove } = temporaryFolder()
try {
  const server = await startRostra(folder)
  const signs = await makeAuthors(server.credentials)
  let count = 0
  const next = (text) => () => {
    count += 1
    return {
      method: 'POST',
      path: '/2/posts',
      headers: { authorization: signs[count % signs.length](), 'content-type': 'application/json' },
      body: JSON.stringify({ text: `${text} ${count} of the run ${process.pid}` }),
    }
  }
  await load(server.credentials.base_url, 2, next(PLAIN), 201)
  const rates = { named: [], plain: [] }
  for (let turn = 0; turn < TURNS; turn++) {
    rates.plain.push((await load(server.credentials.base_url, SECONDS, next(PLAIN), 201)).rate)
    rates.named.push((await load(server.credentials.base_url, SECONDS, next(NAMED), 201)).rate)
  }
  const best = { named: Math.max(...rates.named), plain: Math.max(...rates.plain) }
  const share = (cost.plain * best.plain) / 10_000
  console.log(`POST /2/posts: ${best.plain.toFixed(0)}/s without names, ${best.named.toFixed(0)}/s with three`)
  console.log(
    `looking for names takes ${share.toFixed(2)} % of a post's time; three names and their terms ${((1 - best.named / best.plain) * 100).toFixed(1)} %`,
  )
  await server.stop()
} finally {
  remove()
}
