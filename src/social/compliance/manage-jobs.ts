import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv, wordParameter } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, DateTime, idSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { otherNotFound } from '../../api-kit/writing/partial-errors.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { conflict, onlyError } from '../../api-kit/writing/problems.ts'
import { wireTime } from '../../process/clock.ts'
import { isStorableId } from '../../process/ids.ts'
import { appLock, type JobRow, jobAdd, jobOfApp, jobsOfApp, jobUnderway } from './compliance.statements.ts'
import { signedAddress } from './signed-address.ts'

const UPLOAD_MS = 15 * 60_000
const DOWNLOAD_MS = 7 * 24 * 3600_000
const MOST_LISTED = 500

const optional = Type.Optional
const TYPES = ['posts', 'users'] as const
const STATUSES = ['created', 'in_progress', 'failed', 'complete'] as const
const JobId = idSchema('JobId')
const ComplianceJobName = component('ComplianceJobName', Type.String({ maxLength: 64 }))

const ComplianceJob = component(
  'ComplianceJob',
  Type.Object({
    created_at: component('CreatedAt', DateTime),
    download_expires_at: component('DownloadExpiration', DateTime),
    download_url: component('DownloadUrl', Type.String({ format: 'uri' })),
    id: JobId,
    name: optional(ComplianceJobName),
    resumable: optional(Type.Boolean()),
    status: component('ComplianceJobStatus', words([...STATUSES, 'expired'])),
    type: component('ComplianceJobType', words(TYPES)),
    upload_expires_at: component('UploadExpiration', DateTime),
    upload_url: component('UploadUrl', Type.String({ format: 'uri' })),
  }),
)
const oneJob = (name: string) => component(name, Type.Object({ data: optional(ComplianceJob), errors: ErrorsSchema }))

const auth = { app: true }
const limit = { app: '150/15m' }
// All members are shown by default, so the parameter adds none.
const fields = {
  'compliance_job.fields': csv(
    words([
      'created_at',
      'download_expires_at',
      'download_url',
      'id',
      'name',
      'resumable',
      'status',
      'type',
      'upload_expires_at',
      'upload_url',
    ]),
    { unique: true, required: false },
  ),
}

function showJob(runtime: Runtime, job: JobRow) {
  const isExpired = job.status === 'created' && job.upload_expires_at.getTime() <= runtime.clock.now()
  return {
    ...job,
    status: isExpired ? 'expired' : job.status,
    created_at: wireTime(job.created_at.getTime()),
    upload_expires_at: wireTime(job.upload_expires_at.getTime()),
    download_expires_at: wireTime(job.download_expires_at.getTime()),
    upload_url: signedAddress(runtime, 'upload', job.id, job.upload_expires_at),
    download_url: signedAddress(runtime, 'download', job.id, job.download_expires_at),
  }
}

export const createComplianceJobs = defineOperation({
  id: 'createComplianceJobs',
  route: 'POST /2/compliance/jobs',
  tag: 'Compliance',
  summary: 'Create a job that finds which of uploaded ids may not be kept',
  auth,
  limit,
  body: component(
    'CreateComplianceJobRequest',
    closed({ name: optional(ComplianceJobName), resumable: optional(Type.Boolean()), type: words(TYPES) }),
  ),
  reply: oneJob('CreateComplianceJobResponse'),
  handle: async ({ body, caller, runtime }) => {
    // Whole seconds, as the answer and the signatures have them.
    const now = Math.floor(runtime.clock.now() / 1000) * 1000
    const job = await change(runtime, async (tx) => {
      await appLock.first(tx, caller.app.id)
      if (await jobUnderway.first(tx, caller.app.id, body.type, new Date(runtime.clock.now())))
        throw conflict(
          say`A compliance job of the type ${named(body.type)} is in progress. Only one can run at a time.`,
        )
      return jobAdd.first(
        tx,
        runtime.ids.next(),
        caller.app.id,
        body.type,
        body.name ?? null,
        body.resumable ?? false,
        new Date(now),
        new Date(now + UPLOAD_MS),
        new Date(now + DOWNLOAD_MS),
      )
    })
    return { data: showJob(runtime, job!) }
  },
})

export const getComplianceJobs = defineOperation({
  id: 'getComplianceJobs',
  route: 'GET /2/compliance/jobs',
  tag: 'Compliance',
  summary: 'List the compliance jobs of the app, newest first',
  auth,
  limit,
  query: {
    type: wordParameter(TYPES, { required: true }),
    status: wordParameter(STATUSES, { required: false }),
    ...fields,
  },
  reply: component(
    'Get2ComplianceJobsResponse',
    Type.Object({
      data: optional(Type.Array(ComplianceJob, { minItems: 1 })),
      errors: ErrorsSchema,
      meta: optional(
        Type.Object({ result_count: optional(component('ResultCount', Type.Integer({ format: 'int32' }))) }),
      ),
    }),
  ),
  handle: async ({ query, caller, runtime }) => {
    const now = new Date(runtime.clock.now())
    const { database } = runtime
    const jobs = await jobsOfApp.all(database, caller.app.id, query.type!, query.status ?? null, now, MOST_LISTED)
    const shown = jobs.map((job) => showJob(runtime, job))
    return { data: shown.length === 0 ? undefined : shown, meta: { result_count: shown.length } }
  },
})

export const getComplianceJobsById = defineOperation({
  id: 'getComplianceJobsById',
  route: 'GET /2/compliance/jobs/{id}',
  tag: 'Compliance',
  summary: 'Get a compliance job',
  auth,
  limit,
  path: { id: JobId },
  query: fields,
  reply: oneJob('Get2ComplianceJobsIdResponse'),
  handle: async ({ path, caller, runtime }) => {
    const job = isStorableId(path.id) ? await jobOfApp.first(runtime.database, path.id, caller.app.id) : undefined
    if (!job) throw onlyError(otherNotFound('compliance job', 'id', path.id))
    return { data: showJob(runtime, job) }
  },
})
