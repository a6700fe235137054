import { expect, test } from 'vitest'
import type { Runtime } from '../../src/api-kit/runtime.ts'
import { defineSingleton, Singletons } from '../../src/api-kit/singleton.ts'

// Singletons see a runtime only through what they use of it.
const runtimeWith = (singletons: Singletons) =>
  ({ singleton: (singleton) => singletons.get(singleton) }) as Pick<Runtime, 'singleton'>

test('singletons are created in order, use those before them, and stop in reverse', async () => {
  const steps: string[] = []
  const first = defineSingleton({
    name: 'first',
    create: () => 'the first',
    stop: (instance) => void steps.push(`stop ${instance}`),
  })
  const second = defineSingleton({
    name: 'second',
    create: (runtime) => `after ${runtime.singleton(first)}`,
    stop: (instance) => void steps.push(`stop ${instance}`),
  })
  const singletons = new Singletons()
  singletons.create(runtimeWith(singletons) as Runtime, [first, second])
  expect(singletons.get(second)).toBe('after the first')
  await singletons.stop()
  expect(steps).toEqual(['stop after the first', 'stop the first'])
})

test('a singleton that the process does not list is named in the error', () => {
  const missing = defineSingleton({ name: 'missing queue', create: () => 1 })
  expect(() => new Singletons().get(missing)).toThrow('This process does not have the singleton "missing queue"')
})
