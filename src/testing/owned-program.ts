import * as owned from '../process/owned-program.ts'
import { RostraStartError } from './errors.ts'
import { environmentOfServer } from './own-environment.ts'
import type { Duration } from './types.ts'
import { milliseconds } from './units.ts'

const READY_WITHIN_MS = 120_000
const STOP_WITHIN_MS = 30_000

export interface OwnedProgramOptions {
  env?: Record<string, string> | undefined
  startTimeout?: Duration | undefined
  onLog?: ((line: string) => void) | undefined
}

/** Starts a `rostra` command that ends with this process, however that ends. */
export async function startOwned<T>(args: string[], options: OwnedProgramOptions): Promise<owned.OwnedProgram<T>> {
  const { env, startTimeout, onLog } = options
  try {
    return await owned.startOwned<T>(args, {
      environment: environmentOfServer(env),
      readyWithinMs: startTimeout === undefined ? READY_WITHIN_MS : milliseconds(startTimeout),
      stopWithinMs: STOP_WITHIN_MS,
      onLog,
    })
  } catch (error) {
    throw error instanceof owned.OwnedProgramFailed ? new RostraStartError(error.message) : error
  }
}
