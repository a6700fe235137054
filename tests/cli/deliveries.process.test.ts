import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildProgram,
  type ChildServer,
  removeFolder,
  rostraJson,
  runRostra,
  spawnRostra,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { until } from '../support/until.ts'
import { type LinkedWebhook, linkWebhook } from '../webhooks/linked-webhook.ts'
import { call } from './call-main.ts'

let server: ChildServer
let hook: LinkedWebhook
let where: string[]
let child: ChildProcessWithoutNullStreams | undefined

beforeAll(async () => {
  buildProgram()
  server = await startChildServer({ flags: ['--workers', '2'] })
  where = ['--data-dir', server.dataDir]
  const app = server.credentials.apps[0]!
  const send = async (method: string, path: string, json?: unknown) => {
    const answer = await fetch(server.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${app.bearer_token}`, 'content-type': 'application/json' },
      body: json === undefined ? undefined : JSON.stringify(json),
    })
    return { status: answer.status, text: await answer.text() }
  }
  hook = await linkWebhook(send, app.api_key_secret, 'mango')
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await server?.stop()
  await hook?.close()
})

const trigger = (text: string) => rostraJson(['trigger', 'post.create', '--text', text, ...where])
const say = (status: number, text: string) =>
  hook.answerDeliveriesWith((response) => response.writeHead(status).end(text))

/** What `deliveries` lists as JSON, newest last. */
async function listed(...args: string[]) {
  const { code, stdout, stderr } = await call(['deliveries', '--json', ...args, ...where])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

describe('against a running server', () => {
  test('a triggered event is delivered, listed in a line and shown with body and attempts', async () => {
    say(200, 'eaten')
    const made = await trigger('A ripe mango')
    expect(made).toMatchObject({ event_type: 'post.create', first: [], done: `@alice wrote post ${made.post_id}` })
    await hook.received(1)
    const item = await until(async () => (await listed()).find(({ state }) => state === 'delivered'))
    expect(item).toMatchObject({
      event_place: made.event_place,
      record: [{ status: 200, answer: 'eaten' }],
      request: { body: { data: { id: made.post_id } } },
    })

    const list = await runRostra(['deliveries', ...where])
    expect(list).toMatchObject({ code: 0, stderr: '' })
    const time = item.created_at.slice(11, 23)
    expect(list.stdout).toBe(
      `${item.id.padStart(6)}  ${time}  delivered  1 tried  200  filtered-stream  ${hook.url()}\n`,
    )
    const shown = await runRostra(['deliveries', 'show', item.id, ...where])
    expect(shown.stdout).toMatch(/^state +delivered$/m)
    expect(shown.stdout).toMatch(/^Attempts:\n {2}\S+Z {2}200 {2}\d+ ms\n {4}eaten$/m)
    expect(shown.stdout).toContain(`Body, ${item.request.bytes} bytes:\n${hook.deliveries[0]!.raw}\n`)
    expect((await rostraJson(['deliveries', 'show', item.id, ...where])).id).toBe(item.id)
  })

  test('a delivery is repeated as a new one', async () => {
    const [old] = await listed('--limit', '1')
    const count = hook.deliveries.length
    const { id } = await rostraJson(['deliveries', 'repeat', old.id, ...where])
    await hook.received(count + 1)
    expect(hook.deliveries.at(-1)!.raw).toEqual(hook.deliveries.at(-2)!.raw)
    expect(
      await until(async () => (await listed()).find((item) => item.id === id && item.attempts === 1)),
    ).toMatchObject({
      state: 'delivered',
      event_place: old.event_place,
    })
  })

  test('--follow shows a new delivery, its failure, the next attempt and its end', async () => {
    say(500, 'no')
    child = spawnRostra(['deliveries', '--follow', '--limit', '1', ...where])
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    const shows = (words: RegExp) => until(async () => words.exec(text) ?? undefined)
    await shows(/delivered/)
    await trigger('A green mango')
    const [, id] = await shows(/^ *(\d+) .* pending {4}1 tried {2}500 .*\n +next attempt at [\d:.]+$/m)
    say(200, 'yes')
    await shows(new RegExp(`^ *${id} .* delivered {2}2 tried {2}200 `, 'm'))
    child.kill('SIGTERM')
    expect((await listed('--state', 'delivered', '--limit', '1'))[0].id).toBe(id)
    expect(await listed('--state', 'given_up')).toEqual([])
    const none = await runRostra(['deliveries', '--state', 'given_up', ...where])
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'There are no such deliveries.\n' })
    expect((await listed('--webhook', hook.webhookId)).length).toBe(3)
  })

  test('--follow ends when its reader has left', async () => {
    child = spawnRostra(['deliveries', '--follow', '--limit', '1', ...where])
    const ended = new Promise((resolve) => child!.once('exit', (code, signal) => resolve({ code, signal })))
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
    await new Promise((resolve) => child!.stdout.once('data', resolve))
    child.stdout.destroy()
    await trigger('A red mango')
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(said).toBe('')
  })

  test('trigger prints what was done, and what was done before it', async () => {
    const first = await runRostra(['trigger', 'follow.follow', '--target', 'dario', ...where])
    expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Changed http:.*\n$/) })
    expect(first.stdout).toMatch(
      /^(first: @alice stopped following @dario\n)?@alice followed @dario\n\nevent_type +follow/,
    )
    const second = await runRostra(['trigger', 'follow.follow', '--target', 'dario', ...where])
    expect(second.stdout).toMatch(/^first: @alice stopped following @dario\n@alice followed @dario\n/)
    expect(second.stdout).toMatch(/^event_place +\d+$/m)
  })

  test.each([
    ['an unknown type', ['trigger', 'post.make'], /^There is no event type post\.make\. The types are: post\.create, /],
    ['no type', ['trigger'], /^Name one event type; `rostra trigger --list` has them all\.$/],
    ['a delivery that is not there', ['deliveries', 'show', '12345'], /^There is no delivery 12345\. /],
    ['to repeat one that is not there', ['deliveries', 'repeat', '12345'], /^There is no delivery 12345\. /],
    ['a wrong id', ['deliveries', 'show', 'last'], /^ids must be ids/],
    ['a wrong state', ['deliveries', '--state', 'lost'], /^state is not one of /],
  ])('%s is refused with one sentence', async (_name, args, words) => {
    const { code, stdout, stderr } = await call([...args, ...where])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trimEnd()).toMatch(words)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  test('log does not show requests for deliveries', async () => {
    const { stdout } = await call(['log', '--limit', '500', ...where])
    expect(stdout).toContain('/_rostra/commands/trigger')
    expect(stdout).not.toMatch(/ 200 GET +\/_rostra\/deliveries/)
  })
})

describe('without a server', () => {
  test.each([
    ['deliveries', ['deliveries']],
    ['deliveries show', ['deliveries', 'show', '1']],
    ['deliveries repeat', ['deliveries', 'repeat', '1']],
    ['trigger', ['trigger', 'post.create']],
  ])('%s says that none runs', async (_name, args) => {
    const folder = temporaryFolder()
    const { code, stderr } = await call([...args, '--data-dir', folder])
    const empty = { code, stderr }
    mkdirSync(path.join(folder, 'postgres'))
    const stopped = await call([...args, '--data-dir', folder])
    expect(empty).toEqual({
      code: 1,
      stderr: expect.stringMatching(`^There is no server and no data in ${folder}, and nothing was changed\\.`),
    })
    expect(stopped).toMatchObject({
      code: 1,
      stderr: `No server is running on the data folder ${folder}. \`rostra start\` starts it.\n`,
    })
    removeFolder(folder)
  })
})
