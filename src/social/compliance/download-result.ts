import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import { BytesAnswer } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import type { Db } from '../../storage/database.ts'
import { resultOf, resultPart } from './compliance.statements.ts'
import { checkAddress } from './signed-address.ts'

async function* partsOf(db: Db, jobId: string, parts: number): AsyncGenerator<Buffer> {
  // One part is in memory at a time.
  for (let part = 1; part <= parts; part++) {
    const row = await resultPart.first(db, jobId, part)
    if (!row) throw new Error('the result of a compliance job was dropped during its download')
    if (row.bytes.length > 0) yield row.bytes
  }
}

/** GET: the result of a complete job, a JSON object a line. */
export const downloadResult = defineEndpoint(
  'downloadComplianceResult',
  'GET /compliance/jobs/{id}/download',
  async (request, runtime, { path }) => {
    checkAddress(runtime, 'download', path.id!, request.rawQuery)
    const job = await resultOf.first(runtime.database, path.id!)
    if (job?.status !== 'complete') throw blank(404, 'This compliance job has no result yet.')
    return new BytesAnswer(Number(job.result_bytes), partsOf(runtime.database, path.id!, job.result_parts), 200, {
      'content-type': 'application/x-ndjson; charset=utf-8',
    })
  },
)
