import { expect, test } from 'vitest'
import { Lifecycle, StoppedWhileStarting } from '../../src/process/lifecycle.ts'
import { createLogger } from '../../src/process/logger.ts'

const log = createLogger('fatal', 'tests')
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A lifecycle that notes what happens in it. */
function noting() {
  const lifecycle = new Lifecycle(log)
  const notes: string[] = []
  const step = (name: string, ms = 0) =>
    lifecycle.start({
      name,
      start: async () => {
        await pause(ms)
        notes.push(`start ${name}`)
      },
      stop: async () => {
        notes.push(`stop ${name}`)
      },
    })
  return { lifecycle, notes, step }
}

test('steps start in order and stop in reverse, once', async () => {
  const { lifecycle, notes, step } = noting()
  await step('a')
  await step('b')
  await Promise.all([lifecycle.stop(), lifecycle.stop()])
  await lifecycle.stop()
  expect(notes).toEqual(['start a', 'start b', 'stop b', 'stop a'])
})

test('an error while starting stops what was started before it is thrown', async () => {
  const { lifecycle, notes, step } = noting()
  await step('a')
  const failing = lifecycle.start({
    name: 'b',
    start: () => {
      throw new Error('no room')
    },
    stop: () => void notes.push('stop b'),
  })
  await expect(failing).rejects.toThrow('no room')
  expect(notes).toEqual(['start a', 'stop a'])
})

test('a stop during a start waits for it, stops it too, and refuses what would follow', async () => {
  const { lifecycle, notes, step } = noting()
  await step('a')
  const starting = step('b', 30)
  const stopped = lifecycle.stop()
  await expect(starting).rejects.toThrow(StoppedWhileStarting)
  await stopped
  await expect(step('c')).rejects.toThrow(StoppedWhileStarting)
  expect(notes).toEqual(['start a', 'start b', 'stop b', 'stop a'])
})

test('a step learns that the stop has begun, and may give up', async () => {
  const { lifecycle } = noting()
  const waiting = lifecycle.start({
    name: 'slow',
    start: (stopping) =>
      new Promise((_resolve, reject) => stopping.addEventListener('abort', () => reject(new Error('gave up')))),
  })
  const begun = performance.now()
  void lifecycle.stop()
  await expect(waiting).rejects.toThrow(StoppedWhileStarting)
  expect(performance.now() - begun).toBeLessThan(1_000)
})

test('a step that does not stop in time, or fails to, does not keep the others from stopping', async () => {
  const { lifecycle, notes, step } = noting()
  await step('a')
  await lifecycle.start({ name: 'stuck', start: () => {}, stop: () => new Promise(() => {}), stopWithinMs: 20 })
  await lifecycle.start({
    name: 'failing',
    start: () => {},
    stop: () => {
      throw new Error('already gone')
    },
  })
  await lifecycle.stop()
  expect(notes).toEqual(['start a', 'stop a'])
})
