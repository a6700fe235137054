import type { MediaBytes } from './probed.ts'

/** What the index of an MP4 or QuickTime file describes. */
interface Mp4 {
  brand: string
  durationMs: number
  video?: { codec: string; profile: number | undefined; width: number; height: number; framesPerSecond: number }
  soundCodecs: string[]
}

const MAX_BOXES = 2_000
const MAX_INDEX_BYTES = 32 * 1024 * 1024
const WINDOW = 64 * 1024

interface Box {
  name: string
  /** Where its content begins. */
  start: number
  end: number
}

/**
 * Reads the index of a video wherever it is in the file, without the frames. Other boxes are skipped, and no count in the file
 * is trusted. Undefined when there is no readable index.
 */
export async function readMp4(file: MediaBytes): Promise<Mp4 | undefined> {
  let window: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) }
  const peek = async (at: number): Promise<Buffer> => {
    if (at < window.at || at + 16 > window.at + window.bytes.length)
      window = { at, bytes: await file.read(at, Math.min(WINDOW, file.size - at)) }
    return window.bytes.subarray(at - window.at, at - window.at + 16)
  }
  let brand = ''
  let at = 0
  for (let boxes = 0; boxes < MAX_BOXES && at + 8 <= file.size; boxes++) {
    const head = await peek(at)
    const box = boxAt(head, 0, file.size - at)
    if (!box) return undefined
    if (box.name === 'ftyp') brand = head.toString('latin1', 8, 12)
    if (box.name === 'moov') {
      const size = box.end - box.start
      if (size > MAX_INDEX_BYTES) return undefined
      const index = await file.read(at + box.start, size)
      return index.length === size ? readIndex(index, brand) : undefined
    }
    at += box.end
  }
  return undefined
}

/** The box at an offset, which must end before `limit`. */
function boxAt(bytes: Buffer, at: number, limit: number): Box | undefined {
  if (at + 8 > bytes.length) return undefined
  const name = bytes.toString('latin1', at + 4, at + 8)
  const short = bytes.readUInt32BE(at)
  const isLong = short === 1
  if (isLong && at + 16 > bytes.length) return undefined
  const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? limit - at : short
  const head = isLong ? 16 : 8
  return size < head || at + size > limit ? undefined : { name, start: at + head, end: at + size }
}

function* boxesIn(bytes: Buffer, start: number, end: number): Generator<Box> {
  let at = start
  while (at + 8 <= end) {
    const box = boxAt(bytes, at, end)
    if (!box) return
    yield box
    at = box.end
  }
}

/** The box at a path of names. */
function find(bytes: Buffer, start: number, end: number, ...path: string[]): Box | undefined {
  const [name, ...rest] = path
  for (const box of boxesIn(bytes, start, end)) {
    if (box.name === name) return rest.length === 0 ? box : find(bytes, box.start, box.end, ...rest)
  }
  return undefined
}

function readIndex(index: Buffer, brand: string): Mp4 | undefined {
  try {
    const head = find(index, 0, index.length, 'mvhd')
    if (!head) return undefined
    const file: Mp4 = { brand, durationMs: durationMs(index, head), soundCodecs: [] }
    for (const track of boxesIn(index, 0, index.length)) if (track.name === 'trak') addTrack(file, index, track)
    return file
  } catch (error) {
    // A box is shorter than its kind requires.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The duration in the header of a file or of a track, which have the same layout. */
function durationMs(index: Buffer, head: Box): number {
  const isLong = index[head.start] === 1
  const scale = index.readUInt32BE(head.start + (isLong ? 20 : 12))
  const units = isLong ? Number(index.readBigUInt64BE(head.start + 24)) : index.readUInt32BE(head.start + 16)
  return scale === 0 ? 0 : (units / scale) * 1000
}

function addTrack(file: Mp4, index: Buffer, track: Box): void {
  const media = find(index, track.start, track.end, 'mdia')
  const kindBox = media && find(index, media.start, media.end, 'hdlr')
  const table = media && find(index, media.start, media.end, 'minf', 'stbl')
  const samples = table && find(index, table.start, table.end, 'stsd')
  const sample = samples && boxAt(index, samples.start + 8, samples.end)
  if (!media || !kindBox || !table || !sample) return
  const kind = index.toString('latin1', kindBox.start + 8, kindBox.start + 12)
  if (kind === 'soun') file.soundCodecs.push(sample.name)
  if (kind !== 'vide' || file.video) return
  const head = find(index, media.start, media.end, 'mdhd')
  const seconds = head ? durationMs(index, head) / 1000 : 0
  const times = find(index, table.start, table.end, 'stts')
  const settings = find(index, sample.start + 78, sample.end, 'avcC')
  const [width, height] = [index.readUInt16BE(sample.start + 24), index.readUInt16BE(sample.start + 26)]
  const isRotated = isSideways(index, track)
  file.video = {
    codec: sample.name,
    profile: settings && index[settings.start + 1],
    width: isRotated ? height : width,
    height: isRotated ? width : height,
    framesPerSecond: times && seconds > 0 ? countFrames(index, times) / seconds : 0,
  }
}

function countFrames(index: Buffer, times: Box): number {
  let frames = 0
  for (let at = times.start + 8; at + 8 <= times.end; at += 8) frames += index.readUInt32BE(at)
  return frames
}

/** Phones store upright videos sideways, with a matrix that rotates them. */
function isSideways(index: Buffer, track: Box): boolean {
  const head = find(index, track.start, track.end, 'tkhd')
  if (!head) return false
  const matrix = head.start + (index[head.start] === 1 ? 52 : 40)
  return index.readInt32BE(matrix) === 0 && index.readInt32BE(matrix + 4) !== 0
}
