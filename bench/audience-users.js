// Batches of audience users over HTTP: 2,500 operations of about 5,000,000 bytes, on a small audience and one ten times as large.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const SIZES = process.argv.slice(2).length === 2 ? process.argv.slice(2).map(Number) : [200_000, 2_000_000]
const REPEATS = 5
const OPERATIONS = 2_500
const MOST_BYTES = 5_000_000
const USERS = 100_000

const hash = () => randomBytes(32).toString('hex')
const median = (times) => times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)]

/** A body with as many people as fit, each with these identifiers. */
function body(identifiers, type = 'Update') {
  const person = () => Object.fromEntries(identifiers.map((name) => [name, [hash()]]))
  const bytes = JSON.stringify(person()).length + 1
  const each = Math.floor((MOST_BYTES / OPERATIONS - 60) / bytes)
  const operations = Array.from({ length: OPERATIONS }, () => ({
    operation_type: type,
    params: { users: Array.from({ length: each }, person) },
  }))
  return { text: JSON.stringify(operations), people: OPERATIONS * each, keys: OPERATIONS * each * identifiers.length }
}

async function call(credentials, method, url, text) {
  const sign = signer(method, url, credentials.apps[0], credentials.users[0])
  const headers = { authorization: sign(), ...(text ? { 'content-type': 'application/json' } : {}) }
  const answer = await fetch(url, { method, headers, ...(text ? { body: text } : {}) })
  const reply = await answer.text()
  if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${reply.slice(0, 300)}`)
  return JSON.parse(reply).data
}

/** The processes of the installation that serve requests. */
const workersOf = (pid) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        const stat = readFileSync(`/proc/${child}/stat`, 'utf8')
        const isChild = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
        return isChild && readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('node')
      } catch {
        return false
      }
    })
const memory = (pid, what) =>
  Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
/** Peak memory of the workers in MB during a run, and the increase since before the run. */
async function peakDuring(workers, work) {
  const before = workers.map((pid) => memory(pid, 'VmRSS'))
  for (const pid of workers) writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const result = await work()
  const peaks = workers.map((pid) => memory(pid, 'VmHWM'))
  return { ...result, peak: Math.max(...peaks), grown: Math.max(...peaks.map((peak, index) => peak - before[index])) }
}

async function measure(workers, credentials, url, identifiers) {
  const bodies = Array.from({ length: REPEATS }, () => body(identifiers))
  return peakDuring(workers, async () => {
    const times = []
    for (const { text, people } of bodies) {
      const started = performance.now()
      const counts = await call(credentials, 'POST', url, text)
      if (counts.total_count !== people) throw new Error(`${counts.total_count} of ${people}`)
      times.push(performance.now() - started)
    }
    const started = performance.now()
    await call(credentials, 'POST', url, bodies[0].text.replaceAll('"Update"', '"Delete"'))
    const deletion = performance.now() - started
    return { ms: median(times), deletion, people: bodies[0].people, keys: bodies[0].keys, bytes: bodies[0].text.length }
  })
}

/** Fills an audience by SQL, a third of it with the handles of users. */
async function fill(client, audience, count) {
  await client.query(
    `insert into ads_audience_key (audience_id, kind, hash, member, effective_at, expires_at)
     select $1::bigint, case when n % 3 = 0 then 3 else 1 end, sha256((case when n % 3 = 0 then 'benchuser' else $1::bigint::text end || n)::bytea), 0,
            timestamptz '2026-01-01', timestamptz '2040-01-01' from generate_series(1, $2::int) n`,
    [audience, count],
  )
  await client.query('update ads_custom_audience set due_at = null where id = $1', [audience])
  await client.query('analyze ads_audience_key')
}

const decimal = (id) => [...id].reduce((sum, sign) => sum * 36n + BigInt(Number.parseInt(sign, 36)), 0n).toString()

/** How long the task needs to find and count the people of an audience. */
async function count(client, audience) {
  await client.query('update ads_custom_audience set due_at = now(), audience_size = null where id = $1', [audience])
  const started = performance.now()
  for (;;) {
    const found = await client.query('select audience_size from ads_custom_audience where id = $1', [audience])
    if (found.rows[0].audience_size !== null)
      return { ms: performance.now() - started, size: found.rows[0].audience_size }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const { folder, remove } = temporaryFolder()
const server = await startRostra(folder)
try {
  const { credentials } = server
  const base = `${credentials.ads_url}/12/accounts/${credentials.ads_account_id}/custom_audiences`
  const client = new pg.Client(connectionOf(folder))
  client.on('error', () => {})
  await client.connect()
  await client.query(
    `with u as (insert into user_account (id, username, name, created_at) select n, 'benchuser' || n, 'Bench', now() from generate_series(1, $1::int) n returning id)
     insert into user_metrics (user_id) select id from u`,
    [USERS],
  )
  await client.query('analyze user_account, user_metrics')
  const workers = workersOf(server.pid)
  const forms = { 'one key each': ['email'], 'three keys each': ['email', 'handle', 'phone_number'] }
  const results = []
  for (const size of SIZES) {
    const { id } = await call(
      credentials,
      'POST',
      `${base}?name=${createHash('md5').update(String(size)).digest('hex')}`,
    )
    await fill(client, decimal(id), size)
    const counted = await count(client, decimal(id))
    const measured = []
    for (const identifiers of Object.values(forms))
      measured.push(await measure(workers, credentials, `${base}/${id}/users`, identifiers))
    results.push({ measured, counted })
  }
  const rate = ({ people, ms }) => `${Math.round((people * 1000) / ms).toLocaleString('en')} people/s`
  const [few, many] = results
  console.log(
    `Batches of ${OPERATIONS.toLocaleString('en')} operations on audiences of ${SIZES.map((size) => size.toLocaleString('en')).join(' and ')} keys (one worker, one client)`,
  )
  for (const [index, name] of Object.keys(forms).entries()) {
    const [small, large] = [few.measured[index], many.measured[index]]
    console.log(
      `  ${name}: ${small.people.toLocaleString('en')} people, ${small.keys.toLocaleString('en')} keys, ${small.bytes.toLocaleString('en')} bytes`,
    )
    console.log(
      `    added    ${rate(small)} and ${rate(large)}: ${Math.round(small.ms)} and ${Math.round(large.ms)} ms, ratio ${(large.ms / small.ms).toFixed(2)}`,
    )
    console.log(
      `    deleted  ${Math.round(small.deletion)} and ${Math.round(large.deletion)} ms, ratio ${(large.deletion / small.deletion).toFixed(2)}`,
    )
    console.log(
      `    memory   of the worker at most ${Math.round(small.peak)} and ${Math.round(large.peak)} MB, ${Math.round(small.grown)} and ${Math.round(large.grown)} MB more than before`,
    )
  }
  console.log(
    `  counted: ${few.counted.size.toLocaleString('en')} and ${many.counted.size.toLocaleString('en')} of ${USERS.toLocaleString('en')} users found in ${Math.round(few.counted.ms)} and ${Math.round(many.counted.ms)} ms, the wait for the run (up to 1 s) included`,
  )
  await client.end()
} finally {
  await server.stop()
  remove()
}
