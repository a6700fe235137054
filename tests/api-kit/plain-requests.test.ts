import http from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface Got {
  status: number
  names: string[]
  text: string
}

/** A GET over a connection of its own, with a body or without. */
function get(path: string, body?: string): Promise<Got> {
  const { base_url, apps } = server.credentials
  return new Promise((resolve, reject) => {
    const request = http.request(
      base_url + path,
      { agent: false, headers: { authorization: `Bearer ${apps[0]!.bearer_token}` } },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, names: Object.keys(answer.headers).sort(), text }))
      },
    )
    request.on('error', reject)
    if (body !== undefined) request.setHeader('content-length', Buffer.byteLength(body)).write(body)
    request.end()
  })
}

test.for([
  '/2/users/by/username/alice',
  '/2/users/by/username/%61lice',
  '/2/users/by/username/nobody_has_it',
  '/2/users?usernames=alice',
  '/2/users/by?usernames=alice,bob&user.fields=description',
  `/2/users/by/username/${'a'.repeat(600)}`,
  '/2/users/by/username/%E0%A4%A',
  '/2/nothing',
  '/ads/12/accounts',
])('a GET of %s has the same answer with a body, which the framework reads, and without', async (path) => {
  const [plain, read] = [await get(path), await get(path, '{}')]
  expect(plain).toEqual(read)
})

test('texts beyond ASCII arrive as they are, with their length in bytes', async () => {
  for (const text of ['plain', 'café', 'Grüße aus Köln – „schön“', '猫と犬', 'an emoji 🦦']) {
    const { body } = await server.post('/2/posts', { text }, { user: 'alice' })
    const { text: answer } = await get(`/2/posts/${body.data.id}`)
    expect(JSON.parse(answer).data.text).toBe(text)
  }
})

test('requests on one connection are answered in their order', async () => {
  const { base_url, apps } = server.credentials
  const { hostname, port } = new URL(base_url)
  const { connect } = await import('node:net')
  const names = ['alice', 'bob', 'bob', 'alice', 'bob']
  const head = `host: ${hostname}:${port}\r\nauthorization: Bearer ${apps[0]!.bearer_token}\r\n`
  const text = await new Promise<string>((resolve, reject) => {
    let got = ''
    const socket = connect(Number(port), hostname)
    socket.on('error', reject).on('close', () => resolve(got))
    socket.setEncoding('utf8').on('data', (part: string) => {
      got += part
    })
    socket.write(
      names
        .map(
          (name, at) =>
            `GET /2/users/by/username/${name} HTTP/1.1\r\n${head}${at === names.length - 1 ? 'connection: close\r\n' : ''}\r\n`,
        )
        .join(''),
    )
  })
  expect([...text.matchAll(/"username":"(\w+)"/g)].map(([, name]) => name)).toEqual(names)
})
