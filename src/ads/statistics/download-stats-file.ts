import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import { BytesAnswer } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import type { Db } from '../../storage/database.ts'
import { jobOfFile, STATS_FILES } from './stats-file-address.ts'
import { filePart } from './stats-job.statements.ts'

/** The rest of a file after its first part. One part is in memory at a time. */
async function* partsOf(db: Db, jobId: string, first: Buffer): AsyncGenerator<Buffer> {
  let bytes: Buffer | undefined = first
  for (let part = 2; bytes; part++) {
    yield bytes
    bytes = (await filePart.first(db, jobId, part))?.bytes
  }
}

/** GET: the file of a complete statistics job, gzip JSON. */
export const downloadStatsFile = defineEndpoint(
  'downloadStatsFile',
  `GET ${STATS_FILES}/{file}`,
  async (_request, runtime, { path }) => {
    const id = jobOfFile(runtime, path.file!)
    const first = await filePart.first(runtime.database, id, 1)
    if (!first) throw blank(404, 'This file does not exist any more.')
    return new BytesAnswer(undefined, partsOf(runtime.database, id, first.bytes), 200, {
      'content-type': 'application/gzip',
    })
  },
)
