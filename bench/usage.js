// What counting costs a read: lookups with counting on and off, in turns on two servers of the same build. The second pair reads
// posts that were not read before, so every post is counted.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { load } from './load.js'
import { startRostra, temporaryFolder } from './processes.js'

const ROUNDS = Number(process.argv[2] ?? 5)
const SECONDS = Number(process.argv[3] ?? 3)
const USERS = 100
const POSTS = Number(process.argv[4] ?? 20_000)

const root = path.dirname(import.meta.dirname)
const median = (numbers) => numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)]

async function start(usage) {
  const { folder, remove } = temporaryFolder()
  const seed = ['seed', '--users', String(USERS), '--posts', String(POSTS), '--data-dir', folder]
  execFileSync(process.execPath, [path.join(root, 'bin', 'rostra.js'), ...seed], { stdio: 'ignore' })
  const server = await startRostra(folder, ['--workers', '1', '--rate-limits', 'off', '--usage', usage])
  const { base_url, apps } = server.credentials
  const headers = { authorization: `Bearer ${apps[0].bearer_token}` }
  const ids = []
  for (let number = 0; number < USERS; number++) {
    const read = async (address) => (await fetch(base_url + address, { headers })).json()
    const { data: user } = await read(`/2/users/by/username/seed1_${number.toString(36)}`)
    ids.push(...((await read(`/2/users/${user.id}/posts?max_results=100`)).data ?? []).map((post) => post.id))
  }
  return { baseUrl: base_url, headers, ids, stop: () => server.stop().then(remove) }
}

async function compare(name, servers, pathOf) {
  const rates = { on: [], off: [] }
  for (let round = 0; round < ROUNDS; round++)
    for (const [usage, server] of Object.entries(servers)) {
      const next = () => ({ method: 'GET', path: pathOf(server), headers: server.headers })
      const { rate } = await load(server.baseUrl, SECONDS, next, 200)
      // The first round warms up.
      if (round > 0 || ROUNDS === 1) rates[usage].push(rate)
    }
  const [on, off] = [median(rates.on), median(rates.off)]
  console.log(
    `${name.padEnd(40)}off ${off.toFixed(0).padStart(6)}/s  on ${on.toFixed(0).padStart(6)}/s  counting costs ${((1 - on / off) * 100).toFixed(1)} %`,
  )
}

const servers = { on: await start('on'), off: await start('off') }
try {
  const ten = (server) => `/2/posts?ids=${server.ids.slice(0, 10).join()}&expansions=author_id&post.fields=created_at`
  const any = (server) => {
    const from = Math.floor(Math.random() * (server.ids.length - 20))
    return `/2/posts?ids=${server.ids.slice(from, from + 20).join()}&post.fields=created_at`
  }
  await compare('10 posts, always the same', servers, ten)
  await compare(`20 of ${servers.on.ids.length} posts, at random`, servers, any)
} finally {
  await servers.on.stop()
  await servers.off.stop()
}
