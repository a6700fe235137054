import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** Sends bytes, and returns what the server sends until it closes the connection. */
function sendBytes(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(server.baseUrl)
    const socket = net.connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    socket.on('close', () => resolve(text)).on('error', reject)
    socket.write(bytes)
  })
}

test.each([
  ['two lengths of one body', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400, 'Bad Request'],
  ['a broken chunk', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n', 400, 'Bad Request'],
  ['headers without end', `X: ${'a'.repeat(40_000)}\r\n\r\n`, 431, 'Request Header Fields Too Large'],
])('%s is refused in the shape of every refusal', async (_, rest, status, title) => {
  const answer = await sendBytes(`POST /2/posts HTTP/1.1\r\nHost: localhost\r\n${rest}`)
  const [head, body] = answer.split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} ${title}\r\ncontent-type: application/problem\\+json`))
  expect(JSON.parse(body)).toMatchObject({ title, type: 'about:blank', status })
  // Client libraries read these of every answer.
  for (const name of ['limit', 'remaining', 'reset'])
    expect(head).toMatch(new RegExp(`\r\nx-rate-limit-${name}: \\d+\r\n`))
})
