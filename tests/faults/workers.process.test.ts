import http from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningProgram, startProgram } from '../cli/running-program.ts'
import { openStream } from '../support/read-stream.ts'

let program: RunningProgram
beforeAll(async () => {
  program = await startProgram(['--workers', '2', '--rate-limits', 'off'])
})
afterAll(() => program?.stop())

/** The status of one request on a connection of its own, so both workers get some. */
function ask(path: string): Promise<number> {
  const { baseUrl, credentials } = program.server
  const headers = { authorization: `Bearer ${credentials.apps[0]!.bearer_token}` }
  return new Promise((resolve, reject) => {
    const request = http.get(baseUrl + path, { agent: false, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode!))
    })
    request.on('error', reject)
  })
}

async function recorded(): Promise<{ seq: string; path: string; fault?: { id: string } }[]> {
  const { baseUrl, credentials } = program.server
  const headers = { authorization: `Bearer ${credentials.admin_key}` }
  const answer = await fetch(`${baseUrl}/_rostra/requests?limit=1000`, { headers })
  return ((await answer.json()) as { requests: [] }).requests
}

test('of many requests at once, exactly as many fail as the fault says, over all workers', async () => {
  const fault = await program.run('fault', 'add', '--match', 'GET /2/users/by/*', '--times', '25', '--status', '503')
  const statuses = await Promise.all(Array.from({ length: 80 }, () => ask('/2/users/by/username/bob')))
  expect(statuses.filter((status) => status === 503)).toHaveLength(25)
  expect(statuses.filter((status) => status === 200)).toHaveLength(55)
  const requests = (await recorded()).filter(({ path }) => path.startsWith('/2/users/by/'))
  const workers = new Set(requests.map(({ seq }) => seq.slice(14, 18)))
  expect(workers.size).toBe(2)
  expect(requests.filter((item) => item.fault?.id === fault.id)).toHaveLength(25)
  expect((await program.run('fault', 'list')).faults).toMatchObject([{ id: fault.id, used: 25, active: false }])
})

test('a fault applies in every worker when the command returns, and is gone when it is cleared', async () => {
  await program.run('fault', 'add', '--match', '/2/users/*', '--named', 'over-capacity')
  const many = () => Promise.all(Array.from({ length: 20 }, () => ask('/2/users/by/username/bob')))
  expect(new Set(await many())).toEqual(new Set([503]))
  await program.run('fault', 'clear')
  expect(new Set(await many())).toEqual(new Set([200]))
})

test('stream commands reach the streams of every worker', async () => {
  const paths = ['/2/posts/label/stream', '/2/posts/sample/stream', '/2/likes/sample10/stream?partition=1']
  const streams = await Promise.all(paths.map((path) => openStream(program.server, path)))
  const open = streams.filter((stream) => stream.status === 200)
  expect(open.length).toBeGreaterThan(1)
  const listed: { endpoint_name: string; sent: { lines: number } | null }[] = (await program.run('stream', 'list'))
    .streams
  expect(listed.map(({ sent }) => sent)).toEqual(open.map(() => expect.objectContaining({ stalled: false })))
  expect(await program.run('stream', 'disconnect', '--type', 'SlowReader')).toEqual({ streams: open.length })
  for (const stream of open) expect(await stream.next()).toMatchObject({ errors: [{ disconnect_type: 'SlowReader' }] })
})

test('the command line shows faults in words, and refuses with what is allowed', async () => {
  const added = await program.call('fault', 'add', '--match', 'POST /2/posts', '--delay', '2s', '--times', '3')
  expect(added.stdout).toMatch(/^id +\d+\n/)
  expect(added.stdout).toContain('delay_ms')
  const listed = await program.call('fault', 'list')
  expect(listed.stdout).toMatch(/POST \/2\/posts +delay_ms 2000 +0 of 3/)
  await program.run('fault', 'add', '--match', '/2/lists/*', '--drop-after', '1kb', '--rate', '0.5', '--seed', 'a')
  await program.run('deliveries', 'fail-next', '--times', '2', '--kind', 'timeout')
  expect((await program.run('fault', 'list')).faults.slice(-2)).toMatchObject([
    { drop_after_bytes: 1_024, rate: 0.5, seed: 'a' },
    { target: 'delivery', kind: 'timeout', times: 2 },
  ])
  expect((await program.call('fault', 'clear')).stdout).toMatch(/^Removed \d faults\.\n$/)
  expect((await program.call('fault', 'list')).stdout).toBe('There are no faults.\n')
  expect(await program.refusal('fault', 'add', '--status', '503')).toContain('--match')
  expect(await program.refusal('fault', 'add', '--match', '/2/posts', '--delay', 'long')).toContain('500ms, 2s or 1m')
  expect(await program.refusal('fault', 'add', '--match', '/2/posts', '--named', 'broken')).toContain('rate-limited')
  expect(await program.refusal('fault', 'add', '--match', '/2/posts', '--rate', '2', '--malformed')).toContain(
    'at most 1',
  )
  expect(await program.refusal('stream', 'stall', '--endpoint', 'none')).toContain('filtered_stream')
})

test('rostra log names the fault of a request', async () => {
  const { id } = await program.run('fault', 'add', '--match', '/2/users/by/*', '--times', '1', '--stall', '5ms')
  await expect(ask('/2/users/by/username/bob')).rejects.toThrow()
  await program.run('fault', 'add', '--match', '/2/users/by/*', '--times', '1', '--delay', '5ms')
  await ask('/2/users/by/username/bob')
  const { stdout } = await program.call('log', '--limit', '8')
  expect(stdout).toContain(`refused: fault ${id}, stall 5 ms`)
  expect(stdout).toMatch(/\n {4}fault \d+, delay 5 ms/)
})
