import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { TSchema } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { compileWriter } from '../../api-kit/writing/writer.ts'
import type { SegmentStats } from './segmented-stats.ts'
import { StatsEntitySchema } from './stats.schema.ts'

const PART_BYTES = 256 * 1024

const DataSchema = ((StatsEntitySchema.properties as Record<string, TSchema>).id_data as TSchema).items as TSchema

/** What a file holds besides the statistics. */
export interface FileHead {
  /** The records asked for, in base 36. */
  ids: readonly string[]
  timeSeriesLength: number
  /** The echo of the request, spelled as the client does. */
  params: Record<string, unknown>
  naming: Naming
}

/** The JSON text of a file, piece by piece. */
async function* textOf(head: FileHead, stats: AsyncIterable<SegmentStats>): AsyncGenerator<string> {
  const write = compileWriter(DataSchema, head.naming) as (value: unknown) => string
  const waiting = [...head.ids]
  let isFirst = true
  let open: string | undefined
  const begin = (id: string) => {
    const text = `${open === undefined ? '' : ']}'}${isFirst ? '' : ','}{"id":"${id}","id_data":[`
    isFirst = false
    open = id
    waiting.splice(waiting.indexOf(id), 1)
    return text
  }
  yield `{"data_type":"stats","time_series_length":${head.timeSeriesLength},"data":[`
  for await (const { id, data } of stats) yield `${id === open ? ',' : begin(id)}${write(data)}`
  for (const id of [...waiting]) yield begin(id)
  yield `${open === undefined ? '' : ']}'}],"request":${JSON.stringify({ params: head.params })}}`
}

/** Writes a file as gzip JSON, in parts: neither the text nor the file is ever whole in memory. */
export async function writeStatsFile(
  head: FileHead,
  stats: AsyncIterable<SegmentStats>,
  store: (part: number, bytes: Buffer) => Promise<unknown>,
): Promise<void> {
  let waiting: Buffer[] = []
  let size = 0
  let part = 0
  const flush = async () => {
    part += 1
    const bytes = Buffer.concat(waiting)
    waiting = []
    size = 0
    await store(part, bytes)
  }
  await pipeline(Readable.from(textOf(head, stats)), createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    for await (const chunk of compressed) {
      waiting.push(chunk)
      size += chunk.length
      if (size >= PART_BYTES) await flush()
    }
    if (size > 0) await flush()
  })
}
