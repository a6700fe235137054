import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'

// Only one job of a type can run: each example ends those before it.
async function endJobs({ server }: Scene, cast: Cast): Promise<void> {
  await server.runtime.database.pool.query(`update compliance_job set status = 'complete' where app_id = $1`, [
    cast.appId,
  ])
}

async function job(scene: Scene, cast: Cast): Promise<string> {
  await endJobs(scene, cast)
  const made = await scene.server.post('/2/compliance/jobs', { type: 'users', name: 'An example' }, cast.app)
  if (made.status !== 200) throw new Error(`The example job was refused: ${made.text}`)
  return made.body.data.id
}

export const examples: Examples = {
  createComplianceJobs: async (scene, cast) => {
    await endJobs(scene, cast)
    return [{ as: 'app', body: { type: 'posts', name: 'Kept posts', resumable: true } }]
  },
  getComplianceJobs: async (scene, cast) => {
    await job(scene, cast)
    return [{ as: 'app', query: { type: 'users', status: 'created' } }]
  },
  getComplianceJobsById: async (scene, cast) => [{ as: 'app', path: { id: await job(scene, cast) } }],
}
