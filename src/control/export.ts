import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { readOwnQuery, readWord } from '../api-kit/reading/request-query.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { BytesAnswer } from '../api-kit/writing/answer.ts'
import { blank } from '../api-kit/writing/problems.ts'
import { exportedBytes } from '../world/exchange/export-rows.ts'
import { KINDS, kindOf } from '../world/exchange/kinds.ts'
import { FORMATS, type Format } from '../world/exchange/manifest.ts'

const CONTENT_TYPES: Record<Format, string> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** Streams one file of an export, as it is at this moment. */
export async function readExport(
  request: RequestFacts,
  runtime: Runtime,
  path: Record<string, string>,
): Promise<BytesAnswer> {
  const format = (readWord(readOwnQuery(request.rawQuery, ['format']), 'format', [...FORMATS]) ?? 'jsonl') as Format
  const kind = kindOf(path.what ?? '')
  if (!kind)
    throw blank(404, `There is no kind with this name. The kinds are: ${KINDS.map((item) => item.name).join(', ')}.`)
  return new BytesAnswer(undefined, exportedBytes(runtime.database, kind, format), 200, {
    'content-type': CONTENT_TYPES[format],
    'content-disposition': `attachment; filename="${kind.name}.${format}"`,
  })
}
