// A page of a conversation over HTTP, in a conversation and beside others, at two sizes of what the reader has.
// node bench/conversation-page.js [messages of the smaller size] [of the larger size]
import pg from 'pg'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const given = process.argv.slice(2).map(Number)
const SIZES = given.length === 2 ? given : [50_000, 500_000]
const REPEATS = 40

async function call(credentials, url) {
  const sign = signer('GET', url, credentials.apps[0], credentials.users[0])
  const answer = await fetch(url, { headers: { authorization: sign() } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

/** The median time of a page, and how many events it has. */
async function measure(credentials, url) {
  const times = []
  let answer
  for (let round = 0; round < REPEATS; round++) {
    const started = performance.now()
    answer = await call(credentials, url)
    times.push(performance.now() - started)
  }
  times.sort((left, right) => left - right)
  return { ms: times[REPEATS / 2], events: answer.data?.length ?? 0 }
}

/** Half of the messages in one conversation with the second user, the others in a hundred groups, by SQL. */
async function fill(folder, [reader, other], count) {
  const client = new pg.Client(connectionOf(folder))
  await client.connect()
  const ids = BigInt(reader) < BigInt(other) ? [reader, other] : [other, reader]
  const pair = ids.join('-')
  await client.query(
    `insert into dm_conversation (id, is_group, created_at)
     select $1, false, timestamptz '2026-01-01' union all
     select (100000000000000000 + n)::text, true, timestamptz '2026-01-01' from generate_series(0, 99) n`,
    [pair],
  )
  await client.query(
    `insert into dm_participant (conversation_id, user_id, has_written) select c.id, u.id, true from dm_conversation c, unnest($1::bigint[]) as u (id)`,
    [ids],
  )
  const first = ((BigInt(Date.now()) - 1288834974657n - 86_400_000n) << 22n).toString()
  await client.query(
    `insert into dm_event (id, conversation_id, type, sender_id, participant_ids, text, created_at)
     select $1::bigint + n, case when n % 2 = 0 then $2 else (100000000000000000 + n / 2 % 100)::text end,
            case when n % 10000 = 1 then 'ParticipantsJoin' else 'MessageCreate' end, $3,
            case when n % 10000 = 1 then array[$3::bigint] else '{}' end,
            case when n % 10000 = 1 then null else 'Message ' || n end, timestamptz '2026-01-01' + n * interval '1 second'
       from generate_series(1, $4::int) n`,
    [first, pair, other, count],
  )
  await client.query(
    `insert into dm_view (user_id, event_id, conversation_id, type)
     select u.id, e.id, e.conversation_id, e.type from dm_event e, unnest($1::bigint[]) as u (id)`,
    [ids],
  )
  await client.query('analyze dm_event, dm_view, dm_participant, dm_conversation')
  await client.end()
}

async function measureSize(count) {
  const { folder, remove } = temporaryFolder()
  try {
    const server = await startRostra(folder)
    const { credentials } = server
    const [reader, other] = credentials.users
    await fill(folder, [reader.id, other.id], count)
    const base = `${credentials.base_url}/2`
    const expansions = 'expansions=sender_id&dm_event.fields=created_at,sender_id'
    const conversation = `${base}/dm_conversations/with/${other.id}/dm_events?max_results=100&${expansions}`
    let deep = (await call(credentials, conversation)).meta.next_token
    for (let page = 0; page < 20; page++)
      deep = (await call(credentials, `${conversation}&pagination_token=${deep}`)).meta.next_token
    const addresses = {
      'first page of a conversation': conversation,
      'a page 2,000 messages back': `${conversation}&pagination_token=${deep}`,
      'first page of all messages': `${base}/dm_events?max_results=100&${expansions}`,
      'only joins, of all messages': `${base}/dm_events?max_results=5&event_types=ParticipantsJoin`,
      'a group among a hundred': `${base}/dm_conversations/100000000000000007/dm_events?max_results=100&${expansions}`,
    }
    const results = []
    for (const [name, url] of Object.entries(addresses)) results.push([name, await measure(credentials, url)])
    await server.stop()
    return results
  } finally {
    remove()
  }
}

const [small, large] = [await measureSize(SIZES[0]), await measureSize(SIZES[1])]
console.log(
  `${SIZES[0].toLocaleString('en')} and ${SIZES[1].toLocaleString('en')} messages, median of ${REPEATS} requests:`,
)
for (const [index, [name, one]] of small.entries()) {
  const other = large[index][1]
  const ratio = (other.ms / one.ms).toFixed(2)
  console.log(
    `${name.padEnd(30)} ${one.ms.toFixed(1)} ms, ${other.ms.toFixed(1)} ms: x${ratio} (${other.events} events)`,
  )
}
