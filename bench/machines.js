// How long after a change on one machine another one on the same database shows it: from the answer of the write to the first
// answer of the other machine that has it. Two installations on one database stand for two machines.
//   npm run bench:machines            50 changes of each kind, without NATS and, where a nats-server is there, with it
//   npm run bench:machines -- 20
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import net from 'node:net'
import pg from 'pg'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'

const CHANGES = Number(process.argv[2] ?? 50)
const LONGEST_MS = 10_000

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** A new database in the cluster of an installation, as an address. */
async function createDatabase(folder, name) {
  const connection = connectionOf(folder)
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const { user, password, host, port } = connection
  return `postgres://${user}:${encodeURIComponent(password ?? '')}@/${name}?host=${encodeURIComponent(host)}&port=${port ?? 5432}`
}

const callerOf = ({ credentials }) => {
  const alice = credentials.users.find(({ username }) => username === 'alice')
  const call = async (method, path, body, token = alice.oauth2_access_token) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(credentials.base_url + path, { method, headers, body: body && JSON.stringify(body) })
    return { status: answer.status, body: await answer.json() }
  }
  const command = (name, args) => call('POST', `/_rostra/commands/${name}`, args, credentials.admin_key)
  return { alice, call, command }
}

/** Milliseconds until `isSeen` holds. */
async function until(isSeen) {
  const begun = performance.now()
  while (!(await isSeen())) {
    if (performance.now() - begun > LONGEST_MS) throw new Error('the other machine never showed the change')
  }
  return performance.now() - begun
}

/** One change of each kind: what the other machine has cached before it, and what it must show afterwards. */
const kinds = (here, there) => ({
  'a deleted post is gone': async (turn) => {
    const { id } = (await here.call('POST', '/2/posts', { text: `Gone ${turn}` })).body.data
    const read = () => there.call('GET', `/2/posts/${id}`)
    await read()
    await here.call('DELETE', `/2/posts/${id}`)
    return until(async () => (await read()).body.data === undefined)
  },
  'a like is counted': async (turn) => {
    const { id } = (await here.call('POST', '/2/posts', { text: `Liked ${turn}` })).body.data
    const read = () => there.call('GET', `/2/posts/${id}?post.fields=public_metrics`)
    await read()
    await here.call('POST', `/2/users/${here.alice.id}/likes`, { post_id: id })
    return until(async () => (await read()).body.data.public_metrics.like_count === 1)
  },
  'a renamed user': async (turn) => {
    const name = `Alice ${turn}`
    await there.call('GET', '/2/users/me')
    await here.command('user.update', { user: 'alice', name })
    return until(async () => (await there.call('GET', '/2/users/me')).body.data.name === name)
  },
  'a revoked token is refused': async () => {
    const { body } = await here.command('user.token', {
      user: 'bob',
      oauth2: true,
      scopes: ['users.read', 'post.read'],
    })
    const token = body.data?.access_token ?? body.access_token
    const app = body.data?.app_id ?? body.app_id
    const read = () => there.call('GET', '/2/users/me', undefined, token)
    if ((await read()).status !== 200) throw new Error('the new token does not work')
    await here.command('user.revoke', { user: 'bob', app })
    return until(async () => (await read()).status === 401)
  },
})

async function measure(title, databaseUrl, secretKey, natsUrl) {
  const folders = [temporaryFolder(), temporaryFolder()]
  const flags = ['--workers', '1', '--rate-limits', 'off', '--database-url', databaseUrl, '--secret-key', secretKey]
  if (natsUrl) flags.push('--nats-url', natsUrl)
  const servers = []
  try {
    for (const { folder } of folders) servers.push(await startRostra(folder, flags))
    const [here, there] = servers.map(callerOf)
    for (const [name, change] of Object.entries(kinds(here, there))) {
      const times = []
      for (let turn = 0; turn < CHANGES; turn++) times.push(await change(turn))
      times.sort((left, right) => left - right)
      const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1)
      console.log(`${title.padEnd(13)} ${name.padEnd(28)} p50 ${at(0.5)} ms  p95 ${at(0.95)} ms  most ${at(1)} ms`)
    }
  } finally {
    for (const server of servers) await server.stop()
    for (const { remove } of folders) remove()
  }
}

const cluster = temporaryFolder()
const owner = await startRostra(cluster.folder)
const secretKey = randomBytes(32).toString('hex')
try {
  await measure('without NATS', await createDatabase(cluster.folder, 'without_nats'), secretKey)
  if (spawnSync('nats-server', ['--version']).status === 0) {
    const port = await freePort()
    const nats = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
    try {
      const url = `nats://127.0.0.1:${port}`
      await measure('with NATS', await createDatabase(cluster.folder, 'with_nats'), secretKey, url)
    } finally {
      nats.kill()
    }
  } else console.log('with NATS     not measured: there is no nats-server')
} finally {
  await owner.stop()
  cluster.remove()
}
