// Basic benchmarks. Each figure is compared with a bare node:http server that sends the same bytes, with one worker each and 64
// connections. Both are measured in turn, several times, because the speed of a shared machine changes within seconds: the median
// of the rounds counts, and the ratios of single rounds show how steady it was.
import { load } from './load.js'
import { memoryOf, startBare, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const SECONDS = Number(process.argv[2] ?? 3)
const ROUNDS = 5
// Until the compiler has seen what is called often.
const WARM_SECONDS = 10
// Posts of one author wait for each other, because they update the same counter row.
const AUTHORS = 100

const figure = (number) => number.toFixed(number < 10 ? 2 : 0).padStart(8)
const median = (numbers) => numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)]

async function compare(name, sample, status, next, baseUrl) {
  const bare = await startBare(sample, status)
  try {
    await load(bare.baseUrl, 1, next, status)
    await load(baseUrl, WARM_SECONDS, next, status)
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) {
      const beside = await load(bare.baseUrl, SECONDS, next, status)
      const own = await load(baseUrl, SECONDS, next, status)
      rounds.push({ bare: beside.rate, own: own.rate, p50: own.p50, p99: own.p99, ratio: own.rate / beside.rate })
    }
    const middle = (key) => median(rounds.map((round) => round[key]))
    const ratios = rounds.map((round) => round.ratio.toFixed(2)).join(' ')
    console.log(
      `${name.padEnd(44)}${['bare', 'own', 'p50', 'p99', 'ratio'].map((key) => figure(middle(key))).join('')}   (${ratios})`,
    )
  } finally {
    bare.stop()
  }
}

async function lookup(server) {
  const { base_url, apps, users } = server.credentials
  const [app] = apps
  const bearer = { authorization: `Bearer ${app.bearer_token}` }
  const ids = []
  for (const user of users.slice(0, 4)) {
    for (let index = 0; index < 3 && ids.length < 10; index++) {
      const made = await fetch(`${base_url}/2/posts`, {
        method: 'POST',
        headers: {
          authorization: signer('POST', `${base_url}/2/posts`, app, user)(),
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          text: `Post ${index} of ${user.username}: a sentence of ordinary length with a #tag and a link https://example.com/${index}`,
        }),
      })
      ids.push((await made.json()).data.id)
    }
  }
  const path = `/2/posts?ids=${ids.join()}&expansions=author_id&post.fields=created_at,public_metrics,entities&user.fields=public_metrics,verified`
  const sample = await (await fetch(base_url + path, { headers: bearer })).text()
  await compare(
    `GET /2/posts, 10 ids with authors, ${sample.length} bytes`,
    sample,
    200,
    () => ({ method: 'GET', path, headers: bearer }),
    base_url,
  )
}

async function signedRead(server) {
  const { base_url, apps, users } = server.credentials
  const sign = signer('GET', `${base_url}/2/users/me`, apps[0], users[0])
  const sample = await (await fetch(`${base_url}/2/users/me`, { headers: { authorization: sign() } })).text()
  await compare(
    'GET /2/users/me signed with OAuth 1.0a',
    sample,
    200,
    () => ({ method: 'GET', path: '/2/users/me', headers: { authorization: sign() } }),
    base_url,
  )
}

async function makeAuthor(server, index) {
  const { base_url, admin_key } = server.credentials
  const run = async (name, args) => {
    const answer = await fetch(`${base_url}/_rostra/commands/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    })
    return answer.json()
  }
  const app = (await run('app.list', {})).apps[0].id
  await run('user.create', { username: `author_${index}`, password: 'a password' })
  return run('user.token', { user: `author_${index}`, app })
}

async function create(server) {
  const { base_url, apps } = server.credentials
  const signs = []
  for (let index = 0; index < AUTHORS; index++)
    signs.push(signer('POST', `${base_url}/2/posts`, apps[0], await makeAuthor(server, index)))
  let count = 0
  const next = () => {
    count += 1
    return {
      method: 'POST',
      path: '/2/posts',
      headers: { authorization: signs[count % signs.length](), 'content-type': 'application/json' },
      body: JSON.stringify({
        text: `A post of ordinary length, number ${count} of the run ${process.pid}, with some more words to fill it`,
      }),
    }
  }
  const sample = JSON.stringify({ data: { id: '2121831738505175040', text: JSON.parse(next().body).text } })
  await compare('POST /2/posts, durable, signed', sample, 201, next, base_url)
}

const { folder, remove } = temporaryFolder()
try {
  const first = await startRostra(folder)
  console.log(
    `\n${'one worker, 64 connections'.padEnd(44)}${['bare/s', 'ours/s', 'p50 ms', 'p99 ms', 'ratio'].map((word) => word.padStart(8)).join('')}`,
  )
  await lookup(first)
  await signedRead(first)
  await create(first)
  await first.stop()
  const second = await startRostra(folder, [])
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const memory = process.platform === 'linux' ? memoryOf(second.pid) : undefined
  console.log(
    `\nfirst start ${Math.round(first.readyMs)} ms, next start ${Math.round(second.readyMs)} ms (all workers ready, one per core)`,
  )
  if (memory)
    console.log(
      `idle memory: Node ${Math.round(memory.node)} MB, PostgreSQL ${Math.round(memory.postgres)} MB (proportional, all processes)`,
    )
  await second.stop()
} finally {
  remove()
}
