import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ChildServer,
  removeFolder,
  rostraJson,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { openLive, sendRaw, signInWith } from '../support/console.ts'

const folder = temporaryFolder()
const dataDir = path.join(folder, 'data')
const linkInFile = () => JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8')).console_url as string

let server: ChildServer
let session: Record<string, string>
beforeAll(async () => {
  server = await startChildServer({ dataDir, flags: ['--workers', '2'] })
  session = await signInWith(linkInFile())
})
afterAll(async () => {
  await server.stop()
  removeFolder(folder)
})

test('requests of every worker arrive, each once', async () => {
  // A connection of its own for each: workers take turns.
  const ask = (mark: number) => sendRaw(`${server.baseUrl}/health?mark=${mark}`)
  const readers = await Promise.all(
    Array.from({ length: 4 }, () => openLive(`${server.baseUrl}/_rostra/live?topics=requests`, session)),
  )
  for (let mark = 0; mark < 12; mark++) await ask(mark)
  const marks = (reader: (typeof readers)[number]) =>
    reader
      .items('requests')
      .map((item) => Number(item.path.split('mark=')[1]))
      .sort((left, right) => left - right)
  const all = Array.from({ length: 12 }, (_, mark) => mark)
  for (const reader of readers) await expect.poll(() => marks(reader)).toEqual(all)
  const workers = new Set(readers[0]!.items('requests').map((item) => item.seq.slice(14, 18)))
  expect(workers.size).toBe(2)
  const lastId = readers[0]!.lastId()
  for (const reader of readers) reader.close()
  for (let mark = 12; mark < 18; mark++) await ask(mark)
  const resumed = await openLive(`${server.baseUrl}/_rostra/live?topics=requests`, {
    ...session,
    'last-event-id': lastId,
  })
  await expect.poll(() => marks(resumed)).toEqual([12, 13, 14, 15, 16, 17])
  resumed.close()
})

test('the file has a new link after one was used, and the command line prints it', async () => {
  const link = linkInFile()
  expect((await rostraJson(['console', '--data-dir', dataDir])).console_url).toBe(link)
  await signInWith(link)
  await expect.poll(linkInFile).not.toBe(link)
  await signInWith(linkInFile())
})

test('a browser stays signed in when the server starts again', async () => {
  await server.stop()
  const link = linkInFile()
  server = await startChildServer({ dataDir, flags: ['--workers', '1'] })
  const answer = await sendRaw(`${server.baseUrl}/_rostra/requests`, { headers: session })
  expect(answer.status).toBe(200)
  // The port is another one.
  expect(new URL(linkInFile()).search).toBe(new URL(link).search)
})
