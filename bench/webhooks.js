// Webhook deliveries per second to a fast receiver on this machine, from the event to the receiver's answer.

import { fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'

const EVENTS = Number(process.argv[2] ?? 20_000)

if (process.send && process.argv[2] === 'receiver') receive(process.argv[3])
else await measure()

function receive(secret) {
  let count = 0
  const server = http.createServer((request, response) => {
    if (request.method === 'GET') {
      const token = new URL(request.url, 'http://receiver').searchParams.get('crc_token')
      const digest = createHmac('sha256', secret).update(token).digest('base64')
      response.end(JSON.stringify({ response_token: `sha256=${digest}` }))
      return
    }
    request.resume().on('end', () => {
      count += 1
      response.end()
    })
  })
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
  process.on('message', () => process.send({ count }))
}

async function measure() {
  const { folder, remove } = temporaryFolder()
  const server = await startRostra(folder)
  const { credentials } = server
  const [app] = credentials.apps
  const receiver = fork(fileURLToPath(import.meta.url), ['receiver', app.api_key_secret])
  const answerOf = () => new Promise((resolve) => receiver.once('message', resolve))
  const database = new pg.Client(connectionOf(folder))
  try {
    const { port } = await answerOf()
    await database.connect()
    const call = async (path, body) => {
      const answer = await fetch(credentials.base_url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.bearer_token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return answer.json()
    }
    const webhook = await call('/2/webhooks', { url: `http://127.0.0.1:${port}/hook` })
    const [user] = credentials.users
    const filter = { user_id: user.id }
    await call('/2/activity/subscriptions', { event_type: 'profile.update.bio', filter, webhook_id: webhook.id })
    const started = performance.now()
    // Inserted at once, as a profile change writes them, because the creation of events is not measured.
    await database.query(
      `insert into event_outbox (type, actor_id, payload, happened_at)
       select 'user.update', $1::bigint, jsonb_build_object('field', 'description', 'before', '', 'after', n::text), now() from generate_series(1, $2::int) n`,
      [user.id, EVENTS],
    )
    let count = 0
    while (count < EVENTS) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      receiver.send('count')
      count = (await answerOf()).count
    }
    const seconds = (performance.now() - started) / 1000
    console.log(
      `${EVENTS} events to one receiver in ${seconds.toFixed(1)} s: ${Math.round(EVENTS / seconds)} deliveries/s`,
    )
  } finally {
    receiver.kill('SIGKILL')
    await database.end()
    await server.stop()
    remove()
  }
}
