import { closed } from '../../api-kit/declaring/schema.ts'
import { neutral } from '../../api-kit/naming/naming.ts'
import { compileBody } from '../../api-kit/reading/body.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Problem, renderBody } from '../../api-kit/writing/problem.ts'
import { makeFirstWorld } from '../first-world.ts'
import { readWorldFile } from './read-world-file.ts'
import { type World, WorldSchema } from './world.schema.ts'
import { WorldFileError } from './world-file-error.ts'

/** Makes the world of a new database from a file. Faults are shown with line and column. */
export async function startFromFile(runtime: Runtime, name: string): Promise<boolean> {
  const file = readWorldFile(name)
  try {
    const { world } = compileBody(closed({ world: WorldSchema }), neutral)({ world: file.world }) as { world: World }
    return await makeFirstWorld(runtime, { world })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const body = renderBody(error.body, neutral, 'problem') as {
      errors?: { message: string; parameters: Record<string, string[]> }[]
    }
    const faults = (body.errors ?? []).flatMap(({ message, parameters }) =>
      Object.keys(parameters).map((path) => ({ path, message })),
    )
    if (faults.length === 0) throw error
    throw new WorldFileError(file.explain(faults))
  }
}
