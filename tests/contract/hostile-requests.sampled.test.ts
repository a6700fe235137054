import { createHash } from 'node:crypto'
import http from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { families } from '../../src/app.ts'
import { accessToken, rows } from '../social/acting.ts'
import { misdescribed } from '../support/check-answer.ts'
import { sampleOf } from '../support/sampling.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const { operations } = families[0]

let server: TestServer
let userToken: string
const agent = new http.Agent({ keepAlive: true, maxSockets: 6 })
beforeAll(async () => {
  server = await startTestServer()
  userToken = await accessToken(server, 'bob', ['post.read', 'post.write', 'users.read'])
})
afterAll(async () => {
  agent.destroy()
  await server.close()
})

interface Sent {
  method: string
  path: string
  body?: Buffer | string
  type?: string
}
interface Got {
  status: number
  type: string
  text: string
}

/** Sends bytes as they are: no client library corrects them first. */
function send(sent: Sent, bearer: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    const body = sent.body === undefined ? undefined : Buffer.from(sent.body as string)
    const request = http.request(server.baseUrl, {
      agent,
      method: sent.method,
      path: sent.path,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(sent.type === undefined ? {} : { 'content-type': sent.type }),
        ...(body ? { 'content-length': body.length } : {}),
      },
    })
    let answered = false
    request.on('response', (answer) => {
      answered = true
      // A caller who is admitted to a stream would wait for its end.
      if (answer.headers['transfer-encoding'] === 'chunked') {
        resolve({ status: answer.statusCode ?? 0, type: String(answer.headers['content-type']), text: '{"data":{}}' })
        request.destroy()
        return
      }
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: String(answer.headers['content-type']),
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    // The server may stop reading a body that is too large as soon as it has answered.
    request.on('error', (error) => {
      if (!answered) reject(error)
    })
    request.end(body)
  })
}

const JSON_TYPE = 'application/json'
// The same bytes in every run, so a failure can be repeated.
const noise = (seed: number, outputLength: number) =>
  createHash('shake256', { outputLength }).update(`noise ${seed}`).digest()
const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const IDS = [
  'abc',
  '-1',
  '+1',
  '1.0',
  '1e3',
  '0x10',
  '0',
  '00001',
  '1'.repeat(19),
  '1'.repeat(20),
  '9'.repeat(400),
  '9'.repeat(4_000),
  '9223372036854775808',
  '%00',
  '1%00',
  '%zz',
  '%',
  '%f',
  '%ff%fe',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '%D9%A1%D9%A2',
  '1%2F2',
  '..%2F..%2Fetc',
  "1'%20or%20'1'='1",
  '%3Cscript%3E',
  '1%0A2',
  '%E2%80%AE1',
  '__proto__',
  'constructor',
  '%7B%7D',
  '1,2',
  '*',
  '%2e%2e',
]
const QUERIES = [
  '%zz',
  'ids=%zz',
  'ids=%ff%fe',
  'ids=%00',
  'ids=1%00',
  '%00=1',
  'ids=',
  '=',
  '&&&',
  '=1',
  'ids',
  'ids=1&ids=abc',
  'ids[]=1',
  'ids[0]=1',
  'ids[$ne]=1',
  `ids=${'1,'.repeat(3_000)}`,
  `ids=${'9'.repeat(5_000)}`,
  "ids=1'--",
  'ids=1;ids=2',
  'ids=１',
  'usernames=%F0%9F%98%80',
  'usernames=a%00b',
  `usernames=${'a'.repeat(5_000)}`,
  '__proto__=1',
  '__proto__[x]=1',
  'constructor=1',
  'toString=1',
  'ids=1&expansions=__proto__',
  'ids=1&post.fields=constructor',
  'ids=1&post.fields=toString,text',
  'ids=1&user.fields=hasOwnProperty',
  'ids=1&place.fields=__proto__',
  `ids=1&post.fields=${'id,'.repeat(2_000)}id`,
  'ids=1&expansions=author_id,author_id',
  'ids=1&expansions=author_id.author_id',
  'ids=1&post.fields=%2C',
  `${'x'.repeat(4_000)}=1`,
  Array.from({ length: 500 }, (_, index) => `p${index}=1`).join('&'),
  'webhook_config.fields=secret',
  'ids=1%2C2%2C',
]

const BODIES: [string | Buffer, string | undefined][] = [
  ...Array.from({ length: 6 }, (_, index): [Buffer, string] => [noise(index, 10 ** (index % 4) * 3), JSON_TYPE]),
  ['', JSON_TYPE],
  [' ', JSON_TYPE],
  ['null', JSON_TYPE],
  ['true', JSON_TYPE],
  ['5', JSON_TYPE],
  ['"text"', JSON_TYPE],
  ['[]', JSON_TYPE],
  ['[{"text":"x"}]', JSON_TYPE],
  ['{', JSON_TYPE],
  ['{"text":"cut', JSON_TYPE],
  ['{"text":"x"}}', JSON_TYPE],
  ["{'text':'x'}", JSON_TYPE],
  ['{text:"x"}', JSON_TYPE],
  ['{"text":NaN}', JSON_TYPE],
  ['{"text":1e999}', JSON_TYPE],
  [`{"text":${'9'.repeat(400)}}`, JSON_TYPE],
  [`{"url":-${'9'.repeat(400)}}`, JSON_TYPE],
  ['{"text":"a\\u0000b","url":"a\\u0000b"}', JSON_TYPE],
  ['{"text":"a\u0000b"}', JSON_TYPE],
  ['{"a\\u0000":1}', JSON_TYPE],
  [Buffer.from('{"text":"\xff\xfe"}', 'latin1'), JSON_TYPE],
  [Buffer.from('{"text":"x"}', 'utf16le'), JSON_TYPE],
  ['\ufeff\ufeff{"text":"x"}', JSON_TYPE],
  [deep('[', ']', 100_000), JSON_TYPE],
  [deep('{"a":', '}', 50_000).replace(':}', ':1}'), JSON_TYPE],
  [`{"text":${deep('[', ']', 100_000)}}`, JSON_TYPE],
  [`{"url":${deep('[', ']', 100_000)}}`, JSON_TYPE],
  [`{"poll":{"options":[${deep('[', ']', 100_000)}]}}`, JSON_TYPE],
  [`{"reply":${'{"reply":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, JSON_TYPE],
  ['{"__proto__":{"text":"x"}}', JSON_TYPE],
  ['{"constructor":{"prototype":{}}}', JSON_TYPE],
  ['{"text":{"toString":1}}', JSON_TYPE],
  ['{"text":["x"]}', JSON_TYPE],
  ['{"url":["http://127.0.0.1/"]}', JSON_TYPE],
  ['{"url":""}', JSON_TYPE],
  ['{"url":"\\ud800"}', JSON_TYPE],
  [`{"url":"http://${'a'.repeat(300)}"}`, JSON_TYPE],
  ['{"url":"javascript:alert(1)"}', JSON_TYPE],
  ['{"url":"http://[::"}', JSON_TYPE],
  ['{"url":"http://127.0.0.1:99999/"}', JSON_TYPE],
  ['{"url":"http://127.0.0.1:1/\\r\\nX: y"}', JSON_TYPE],
  ['{"url":"file:///etc/passwd"}', JSON_TYPE],
  ['{"text":"x","geo":{"place_id":"\\ud800"}}', JSON_TYPE],
  ['{"text":"x","reply":{"in_reply_to_post_id":"9999999999999999999"}}', JSON_TYPE],
  ['{"text":"x","community_id":"9999999999999999999"}', JSON_TYPE],
  ['{"text":"x","edit_options":{"previous_post_id":"0"}}', JSON_TYPE],
  ['{"text":"half \\ud800 a pair","poll":{"options":["\\ud800","\\udfff"],"duration_minutes":5}}', JSON_TYPE],
  ['{"text":"x \\ud800","direct_message_deep_link":"https://example.com/?recipient_id=1&x=\\ud800"}', JSON_TYPE],
  ['{"text":"y","reply":{"in_reply_to_post_id":"1","exclude_reply_user_ids":["9999999999999999999"]}}', JSON_TYPE],
  ['{"text":"x"}', 'text/plain'],
  ['{"text":"x"}', undefined],
  ['text=x', 'application/x-www-form-urlencoded'],
  ['--b\r\n\r\n--b--', 'multipart/form-data; boundary=b'],
  ['<text>x</text>', 'application/xml'],
  ['{"text":5}', 'application/json; charset=latin1'],
  ['{"text":"x"}', 'application/jsonx'],
  ['{"text":"x"}', ';'],
  [`{"text":"${'a'.repeat(2 * 1024 * 1024)}"}`, JSON_TYPE],
  [Buffer.alloc(2 * 1024 * 1024), 'application/octet-stream'],
]

// What is broken on purpose stays; only what node:http would not send is escaped.
const escaped = (query: string) => query.replace(/[^\x21-\x7e]/gu, encodeURIComponent)

/** Every hostile request for an operation; where the path is not attacked, it has a valid id. */
function attacksOn(operation: (typeof operations)[number]): Sent[] {
  const { method } = operation
  const plain = operation.path.replace(/\{username\}/g, 'nobody_1').replace(/\{[^}]+\}/g, '1')
  const attacks: Sent[] = QUERIES.map((query) => ({ method, path: `${plain}?${escaped(query)}` }))
  if (plain !== operation.path)
    attacks.push(...IDS.map((id) => ({ method, path: operation.path.replace(/\{[^}]+\}/, id) })))
  if (operation.body) attacks.push(...BODIES.map(([body, type]) => ({ method, path: plain, body, type })))
  else attacks.push(...BODIES.slice(0, 12).map(([body, type]) => ({ method, path: plain, body, type })))
  return attacks
}

const countRows = async () => {
  const [counts] = await rows(
    server,
    'select (select count(*) from post)::int as posts, (select count(*) from user_account)::int as users, (select count(*) from webhook)::int as webhooks',
  )
  return counts
}

/** Why an answer does not have the shape of the interface; undefined when it does. */
function misshapen(got: Got): string | undefined {
  if (!/^application\/(problem\+)?json; charset=utf-8$/.test(got.type)) return `content type ${got.type}`
  let body: { title?: unknown; type?: unknown; errors?: unknown; data?: unknown; meta?: unknown }
  try {
    body = JSON.parse(got.text)
  } catch {
    return 'not JSON'
  }
  // An empty page has only its meta.
  if (got.status < 300) return body.data || body.errors || body.meta ? undefined : 'neither data, errors nor meta'
  const isProblem = typeof body.title === 'string' && typeof body.type === 'string'
  const isList = Array.isArray(body.errors) && body.errors.length > 0
  if (isProblem !== got.type.startsWith('application/problem+json')) return `content type ${got.type}`
  return isProblem || isList ? undefined : 'neither a problem nor a list of errors'
}

describe('hostile requests are refused in the shape of the interface and leave nothing behind', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    const every = attacksOn(operation)
    expect(every.length).toBeGreaterThan(50)
    const attacks = sampleOf(`hostile ${id}`, every, 12)
    const takesApp = operation.auth !== 'none' && operation.auth.app
    const bearer = takesApp ? server.credentials.apps[0]!.bearer_token! : userToken
    const before = await countRows()
    const failures: string[] = []
    let created = 0
    for (let at = 0; at < attacks.length; at += 6) {
      const batch = attacks.slice(at, at + 6)
      const answers = await Promise.all(batch.map((sent) => send(sent, bearer)))
      for (const [index, got] of answers.entries()) {
        const sent = batch[index]!
        if (got.status === 201) created++
        const why =
          got.status >= 500 || got.status < 200
            ? 'status'
            : (misshapen(got) ?? (await misdescribed(server, { ...sent, ...got })))
        if (why)
          failures.push(
            `${why}: ${sent.method} ${sent.path.slice(0, 80)} ${String(sent.body ?? '').slice(0, 80)} -> ${got.status} ${got.text.slice(0, 120)}`,
          )
      }
    }
    expect(failures).toEqual([])
    const after = await countRows()
    expect(after).toEqual({ ...before, posts: before.posts + created })
  })
})
