import http from 'node:http'
import { type RunningInstance, runningInstance } from '../../start/instance-lock.ts'

/** Exit codes of `status`, `wait` and `stop`. docs/operating.md lists them. */
export const NOT_RUNNING = 3
export const NOT_IN_TIME = 4

/** What is known about the server of a data folder. */
export interface ServerState {
  state: 'running' | 'starting' | 'not answering' | 'stopped'
  instance: RunningInstance | undefined
}

const ANSWER_WITHIN_MS = 3_000

/** Looks at the server of a data folder, and asks it whether it is healthy. */
export async function lookAtServer(dataDir: string): Promise<ServerState> {
  const instance = await runningInstance(dataDir)
  if (!instance) return { state: 'stopped', instance }
  if (!instance.listen_url) return { state: 'starting', instance }
  return { state: (await isHealthy(instance.listen_url)) ? 'running' : 'not answering', instance }
}

function isHealthy(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(`${address}/health`, { agent: false, timeout: ANSWER_WITHIN_MS }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
