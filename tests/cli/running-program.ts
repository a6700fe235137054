import path from 'node:path'
import { expect } from 'vitest'
import {
  buildProgram,
  type ChildServer,
  type Finished,
  removeFolder,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { call, WHERE_CHANGED } from './call-main.ts'

/** A server in its own process, and the command line on its data folder. */
export interface RunningProgram {
  server: ChildServer
  dataDir: string
  /** Runs a command and returns its output. */
  call(...args: string[]): Promise<Finished>
  /** Runs a command that must succeed; returns its JSON result. */
  // biome-ignore lint/suspicious/noExplicitAny: results whose shape the tests assert.
  run(...args: string[]): Promise<any>
  /** Runs a command that must be refused; returns the sentence. */
  refusal(...args: string[]): Promise<string>
  stop(): Promise<void>
}

export async function startProgram(flags: string[]): Promise<RunningProgram> {
  buildProgram()
  const folder = temporaryFolder()
  const dataDir = path.join(folder, 'data')
  const server = await startChildServer({ dataDir, flags })
  const onFolder: RunningProgram['call'] = (...args) => call([...args, '--data-dir', dataDir])
  return {
    server,
    dataDir,
    call: onFolder,
    run: async (...args) => {
      const { code, stdout, stderr } = await onFolder(...args, '--json')
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(WHERE_CHANGED) })
      return JSON.parse(stdout)
    },
    refusal: async (...args) => {
      const { code, stdout, stderr } = await onFolder(...args)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      return stderr.trimEnd()
    },
    stop: async () => {
      await server.stop()
      removeFolder(folder)
    },
  }
}
