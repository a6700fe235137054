import http from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { makePost, readPost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
afterEach(() => server.close())

const TARGET = 'https://example.com/a/long/way?to=go'

test('short links can be on our own address, where they open', async () => {
  server = await startTestServer(['--link-host', 'own'])
  const { text, entities } = await readPost(
    server,
    await makePost(server, 'alice', { text: `See ${TARGET} now` }),
    'entities',
  )
  const [link] = entities.urls
  expect(link.url).toMatch(new RegExp(`^${server.baseUrl}/i/links/\\w{10}$`))
  expect([...text].slice(link.start, link.end).join('')).toBe(link.url)
  const opened = await fetch(link.url, { redirect: 'manual' })
  expect([opened.status, opened.headers.get('location')]).toEqual([302, TARGET])
})

test('short links can have a host of their own, which leads to this server', async () => {
  server = await startTestServer(['--link-host', 'go.example.org'])
  const id = await makePost(server, 'alice', { text: `See ${TARGET} now` })
  const [link] = (await readPost(server, id, 'entities')).entities.urls
  expect(link.url).toMatch(/^https:\/\/go\.example\.org\/\w{10}$/)
  const { pathname } = new URL(link.url)
  const headers = { host: 'go.example.org' }
  const location = await new Promise((resolve) =>
    http.get(server.baseUrl + pathname, { headers }, (answer) => resolve(answer.resume().headers.location)),
  )
  expect(location).toBe(TARGET)
  const page = await (await fetch(`${server.baseUrl}/alice/status/${id}`)).text()
  expect(page).toContain(`href="/i/links${pathname}?post=${id}"`)
})
