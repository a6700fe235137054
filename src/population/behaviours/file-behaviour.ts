import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { LifeError } from '../life.ts'
import type { Behaviour, Decision, SeenTimeline } from './behaviour.ts'

const ANSWERS_WITHIN_MS = 30_000
const MOST_MEMORY_MB = 512

/** Runs in the thread: loads the file, and answers each batch of looks in their order. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const loaded = import(workerData.url).then((module) => module.decide ?? module.default?.decide ?? module.default)
const answer = async ({ persona, timeline, ...look }, decide) => {
  const before = JSON.stringify(persona.memory)
  const decided = (await decide(persona, timeline, look)) ?? []
  const { actions = [], memory = persona.memory } = Array.isArray(decided) ? { actions: decided } : decided
  return JSON.stringify(memory) === before ? { actions } : { actions, memory }
}
loaded.then(
  (decide) => {
    if (typeof decide !== 'function') return parentPort.postMessage({ failed: 'it does not export a function decide' })
    parentPort.on('message', async (looks) => {
      try {
        const decisions = []
        for (const look of looks) decisions.push(await answer(look, decide))
        parentPort.postMessage({ decisions })
      } catch (error) {
        parentPort.postMessage({ failed: String(error?.stack ?? error) })
      }
    })
    parentPort.postMessage({ ready: true })
  },
  (error) => parentPort.postMessage({ failed: String(error?.message ?? error) }),
)
`

interface Message {
  ready?: true
  decisions?: Decision[]
  failed?: string
}

/**
 * A behaviour of a file, in a thread of its own: it cannot stop the server, nor use its memory or its environment. It is not a
 * sandbox: the file may do what the server's user may.
 */
export async function openFileBehaviour(path: string): Promise<Behaviour> {
  if (!existsSync(path)) throw new LifeError(`There is no file ${path} on the server's machine.`)
  const worker = new Worker(THREAD, {
    eval: true,
    workerData: { url: pathToFileURL(path).href },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  const next = () => nextMessage(worker, path)
  try {
    await next()
  } catch (error) {
    await worker.terminate()
    throw error
  }
  return {
    decide: async (looks: readonly SeenTimeline[]) => {
      const answered = next()
      worker.postMessage(looks)
      return (await answered).decisions!
    },
    close: async () => {
      await worker.terminate()
    },
  }
}

function nextMessage(worker: Worker, path: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => finish(() => reject(new LifeError(`The behaviour ${path} failed: ${why}.`)))
    const onMessage = (message: Message) =>
      message.failed === undefined ? finish(() => resolve(message)) : fail(message.failed.slice(0, 2_000))
    const onError = (error: Error) => fail(error.message)
    const onExit = () => fail('it ended the thread')
    const timer = setTimeout(() => fail(`it did not answer within ${ANSWERS_WITHIN_MS} ms`), ANSWERS_WITHIN_MS)
    const finish = (then: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      then()
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}
