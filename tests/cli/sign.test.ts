import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { call } from './call-main.ts'

const run = promisify(execFile)
const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-sign-'))
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  writeFileSync(path.join(folder, 'credentials.json'), JSON.stringify(server.credentials))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const sign = async (...words: string[]): Promise<string> => {
  const { stdout } = await run(process.execPath, ['bin/rostra.js', 'sign', ...words, '--data-dir', folder])
  return stdout.trim()
}

test('`rostra sign` prints a header that the server accepts', async () => {
  const address = `${server.baseUrl}/2/users/me?user.fields=location&expansions=pinned_post_id`
  const header = await sign('GET', address, '--user', 'bob')
  expect(header).toMatch(/^Authorization: OAuth /)
  const answer = await fetch(address, { headers: { authorization: header.slice('Authorization: '.length) } })
  expect(await answer.json()).toMatchObject({ data: { username: 'bob', location: 'Lagos' } })
})

test('`rostra sign` signs the pairs of a form too', async () => {
  const address = `${server.baseUrl}/ads/12/accounts/${server.credentials.ads_account_id}`
  const header = await sign('PUT', address, '--form', 'name=A new & better name')
  const answer = await fetch(address, {
    method: 'PUT',
    headers: { authorization: header.slice('Authorization: '.length) },
    body: new URLSearchParams({ name: 'A new & better name' }),
  })
  expect(await answer.json()).toMatchObject({ data: { name: 'A new & better name' } })
})

test('`rostra sign` names the users it can sign for', async () => {
  await expect(sign('GET', server.baseUrl, '--user', 'zoe')).rejects.toThrow(/alice, bob, chika/)
})

test('`rostra sign` refuses a folder without data as every command does', async () => {
  const none = path.join(folder, 'none')
  const { code, stderr } = await call(['sign', 'GET', 'http://localhost/2/users/me', '--data-dir', none])
  expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no server and no data in ${none}`)])
})
