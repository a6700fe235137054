// How long 1,000 agents with tokens of both kinds and 20 follows each take, beside 50 single creations through the control
// interface, in turns on one server. A single creation has a password; with tokens it also has one of each kind.
import { startRostra, temporaryFolder } from './processes.js'

const ROUNDS = Number(process.argv[2] ?? 3)
const COUNT = Number(process.argv[3] ?? 1_000)
const SINGLE = 50

const median = (numbers) => numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)]
const { folder, remove } = temporaryFolder()
const server = await startRostra(folder)
const { base_url, admin_key } = server.credentials

async function command(name, args) {
  const answer = await fetch(`${base_url}/_rostra/commands/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

let made = 0
async function single(withTokens) {
  for (let number = 0; number < SINGLE; number++) {
    made += 1
    const user = `single${made}`
    await command('user.create', { username: user })
    if (!withTokens) continue
    await command('user.token', { user })
    await command('user.token', { user, oauth2: true })
  }
}

const kinds = {
  [`${COUNT} agents`]: () =>
    command('agents.create', { count: COUNT, tokens: ['oauth1', 'oauth2'], follows: 'random:20' }),
  [`${SINGLE} single users`]: () => single(false),
  [`${SINGLE} single users with tokens`]: () => single(true),
}
const times = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]))
try {
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, work] of Object.entries(kinds)) {
      const started = performance.now()
      await work()
      times[name].push(performance.now() - started)
    }
  const [agents] = Object.keys(kinds)
  const base = median(times[agents])
  for (const [name, all] of Object.entries(times)) {
    const ms = median(all)
    console.log(
      `${name.padEnd(34)}${ms.toFixed(0).padStart(6)} ms${name === agents ? '' : `  agents take ${(base / ms).toFixed(2)} of that`}`,
    )
  }
} finally {
  await server.stop()
  remove()
}
