import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildProgram } from '../support/child-server.ts'

// Objects that live until the young generation was collected several times, as lines that wait for their sockets do.
const PROGRAM = `
  import { collectWhenIdle } from './dist/modules/start/idle-collection.js'
  collectWhenIdle()
  const used = () => Math.round(process.memoryUsage().heapUsed / 2 ** 20)
  let burst = Array.from({ length: 2_000_000 }, (_, index) => ({ index, of: [index] }))
  const during = used()
  burst = undefined
  const end = Date.now() + 30_000
  while (used() > during / 2 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100))
  console.log(JSON.stringify({ during, after: used() }))
`

test('a process with nothing to do gives the memory of a burst back', async () => {
  buildProgram()
  const run = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM])
  const { during, after } = JSON.parse(run.stdout)
  expect(during).toBeGreaterThan(100)
  expect(after).toBeLessThan(during / 4)
})
