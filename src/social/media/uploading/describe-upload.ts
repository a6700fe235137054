import { isProcessed, type StoredType } from '../categories.ts'
import type { UploadRow } from '../media.statements.ts'

/** An upload as the answers of all its steps show it. */
export function describeUpload(row: UploadRow, now: number) {
  const isComplete = row.status !== 'uploading'
  return {
    id: row.id,
    media_key: row.media_key,
    ...(isComplete ? { size: Number(row.received_bytes) } : {}),
    expires_after_secs: Math.max(0, Math.ceil((row.expires_at.getTime() - now) / 1000)),
    ...(isComplete && isProcessed(row.type as StoredType) ? { processing_info: processingInfo(row) } : {}),
  }
}

function processingInfo(row: UploadRow) {
  switch (row.status) {
    case 'waiting':
      return { state: 'pending', check_after_secs: 1 }
    case 'processing':
      return { state: 'in_progress', check_after_secs: 1, progress_percent: row.progress_percent }
    case 'failed':
      return { state: 'failed', error: row.failure }
    default:
      return { state: 'succeeded', progress_percent: 100 }
  }
}
