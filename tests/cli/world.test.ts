import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeFolder, temporaryFolder } from '../support/child-server.ts'
import { type RunningProgram, startProgram } from './running-program.ts'

const WORLD = `
users:
  - username: mara
    id: 1001
    password: correct horse
    tokens:
      - app: gauge
        access_token: 1001-mara
        access_token_secret: mara-secret
        oauth2_access_token: mara-oauth2
  - username: nils
    follows: [mara]
apps:
  - { key: gauge, name: River gauge, owner: mara, api_key: gauge-key, api_key_secret: gauge-secret, bearer_token: gauge-bearer }
posts:
  - { key: first, author: mara, text: Water is rising, at: -2h, likes: [nils] }
`

let folder: string
let file: string
let program: RunningProgram
beforeAll(async () => {
  folder = temporaryFolder()
  file = path.join(folder, 'world.yaml')
  writeFileSync(file, WORLD)
  program = await startProgram(['--workers', '1', '--rate-limits', 'off', '--world', file])
})
afterAll(async () => {
  await program.stop()
  removeFolder(folder)
})

const get = async (address: string, bearer: string) => {
  const answer = await fetch(`${program.server.baseUrl}${address}`, { headers: { authorization: `Bearer ${bearer}` } })
  return (await answer.json()) as { data?: Record<string, string> & { text: string }[]; meta: { result_count: number } }
}

test('a server starts with the world of a file, and credentials.json lists its apps and users in their order', async () => {
  const { credentials } = program.server
  expect(credentials.apps).toMatchObject([
    {
      name: 'River gauge',
      api_key: 'gauge-key',
      api_key_secret: 'gauge-secret',
      bearer_token: 'gauge-bearer',
      owner: 'mara',
    },
  ])
  expect(credentials.users).toMatchObject([
    {
      id: '1001',
      username: 'mara',
      password: 'correct horse',
      access_token: '1001-mara',
      oauth2_access_token: 'mara-oauth2',
    },
    { username: 'nils' },
  ])
  expect((await get('/2/users/me', 'mara-oauth2')).data).toMatchObject({ id: '1001' })
  expect((await get('/2/users/1001/posts', 'gauge-bearer')).data).toMatchObject([{ text: 'Water is rising' }])
})

test('apply says what it did, and that nothing is left to do', async () => {
  const changed = path.join(folder, 'changed.yaml')
  writeFileSync(changed, `${WORLD}  - { key: second, author: nils, text: 'Seen, @mara', at: -1h }\n`)
  expect((await program.call('apply', changed, '--dry-run')).stdout).toMatch(
    /^create post: \d+ @nils: Seen, @mara\n\nDry run: nothing was changed.\ncreated {4}1 post\nunchanged {2}2 users, /,
  )
  const first = await program.call('apply', changed)
  expect(first.stdout).toMatch(/^created {4}1 post\nunchanged {2}2 users, 1 app, /)
  expect(first.stderr).toMatch(/^Changed http:/)
  const second = await program.call('apply', changed)
  expect(second.stdout).toMatch(/^Nothing to change.\nunchanged {2}2 users, 1 app, /)
  expect(second.stderr).toBe('')
})

test.each([
  'fault clear',
  'stream drop',
  'user apps mara',
  'user sessions mara',
  'user token mara',
  'user token mara --oauth2 --scopes users.read',
])('%s does not say that something was changed when nothing was', async (command) => {
  expect(await program.call(...command.split(' '))).toMatchObject({ code: 0, stderr: '' })
})

test('a reset restores the world of the file', async () => {
  await program.run('reset', '--yes')
  expect((await get('/2/posts/search/recent?query=seen', 'gauge-bearer')).meta.result_count).toBe(0)
  expect((await get('/2/users/1001/posts', 'gauge-bearer')).data).toMatchObject([{ text: 'Water is rising' }])
  expect((await get('/2/users/me', 'mara-oauth2')).data).toMatchObject({ id: '1001' })
})

test('faults have the line and column of the file', async () => {
  const wrong = path.join(folder, 'wrong.yaml')
  writeFileSync(
    wrong,
    'users:\n  - username: olga\n    follows: [nobody]\nposts:\n  - author: olga\n    text: 7\n    atx: -2h\n',
  )
  expect(await program.refusal('apply', wrong)).toMatch(`${wrong}:7:5: posts[0].atx: is not an allowed member`)
  writeFileSync(wrong, 'users:\n  - username: olga\n    follows: [nobody]\n')
  expect(await program.refusal('apply', wrong)).toBe(
    `${wrong}:3:15: users[0].follows[0]: there is no user nobody in this file or on the server`,
  )
  expect(await program.refusal('apply', path.join(folder, 'none.yaml'))).toMatch(/cannot be read: ENOENT/)
})

test('faults are told in words: a description instead of a pattern, a line instead of a path', async () => {
  const wrong = path.join(folder, 'wrong.yaml')
  writeFileSync(
    wrong,
    'users:\n  - username: o l g a\n    id: x1\nposts:\n  - author: mara\n    text: Later\n    at: tomorrow\n',
  )
  expect((await program.refusal('apply', wrong)).split('\n')).toEqual([
    `${wrong}:2:15: users[0].username: does not fit. 1 to 15 letters, digits and underscores.`,
    `${wrong}:3:9: users[0].id: does not fit. A fixed id, up to 19 digits.`,
    expect.stringMatching(/:7:9: posts\[0\]\.at: does not fit\. A time: "-2h", .* or 2026-01-31T08:00:00Z\./),
  ])
  writeFileSync(wrong, 'users:\n  - username: olga\n  - username: per\n  - username: olga\n')
  expect(await program.refusal('apply', wrong)).toBe(`${wrong}:4:15: users[2].username: line 2 has this username too`)
})
