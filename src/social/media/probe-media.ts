import type { StoredType } from './categories.ts'
import { probeImage } from './probe-image.ts'
import { invalidMedia, type MediaBytes, type Probed, unsupportedMedia } from './probed.ts'
import { readGif } from './read-gif.ts'
import { readMp4 } from './read-mp4.ts'

/** The longest film in seconds: of a post, and where the account may send longer ones. */
export const VIDEO_SECONDS = 140
export const LONG_VIDEO_SECONDS = 600

/** What is wanted of a media besides being what it says. */
interface Wanted {
  type: StoredType
  /** What the client said it is. */
  mediaType: string | null
  /** The longest that a film may be. */
  seconds: number
}

/** Finds out what bytes are, and whether they keep to the limits of what they are meant for. */
export async function probeMedia(bytes: MediaBytes, wanted: Wanted): Promise<Probed> {
  const found = await probeBytes(bytes, wanted)
  const said = wanted.mediaType === 'image/pjpeg' ? 'image/jpeg' : wanted.mediaType
  if (!found.shape || said === null || said === found.shape.contentType) return found
  return invalidMedia(`The media_type was said to be ${said}, but the bytes are ${found.shape.contentType}.`)
}

async function probeBytes(bytes: MediaBytes, wanted: Wanted): Promise<Probed> {
  if (wanted.type === 'video') return probeVideo(bytes, wanted.seconds)
  // The other kinds are small.
  const whole = await bytes.read(0, bytes.size)
  if (wanted.type === 'photo') return probeImage(whole)
  return wanted.type === 'animated_gif' ? probeAnimation(whole) : probeSubtitles(whole)
}

const MOST_FRAMES = 350
const MOST_PIXELS = 300_000_000

function probeAnimation(bytes: Buffer): Probed {
  const gif = readGif(bytes)
  if (!gif || gif.width < 1 || gif.height < 1) return invalidMedia('The bytes are no whole GIF.')
  const { width, height, frames, durationMs, firstFrameBytes } = gif
  if (width > 1280 || height > 1080)
    return invalidMedia(`The GIF has ${width}×${height} pixels; it can have 1280×1080 at most.`)
  if (frames > MOST_FRAMES) return invalidMedia(`The GIF has ${frames} frames; it can have ${MOST_FRAMES} at most.`)
  if (width * height * frames > MOST_PIXELS)
    return invalidMedia(`The frames of the GIF have more than ${MOST_PIXELS} pixels together.`)
  return { shape: { contentType: 'image/gif', width, height, durationMs, firstFrameBytes } }
}

// Baseline, main, extended and high: the profiles whose pictures are 4:2:0 with eight bits.
const PROFILES = new Set([66, 77, 88, 100])

async function probeVideo(bytes: MediaBytes, seconds: number): Promise<Probed> {
  const film = await readMp4(bytes)
  if (!film) return unsupportedMedia('The bytes are no MP4 or QuickTime film with an index that can be read.')
  const { video, durationMs } = film
  if (!video) return invalidMedia('The film has no pictures.')
  if (video.codec !== 'avc1' && video.codec !== 'avc3')
    return unsupportedMedia(`The pictures are coded as [${printable(video.codec)}]; only H.264 is taken.`)
  if (video.profile !== undefined && !PROFILES.has(video.profile))
    return unsupportedMedia('The pictures are not YUV 4:2:0 with eight bits.')
  const sound = film.soundCodecs.find((codec) => codec !== 'mp4a')
  if (sound !== undefined) return unsupportedMedia(`The sound is coded as [${printable(sound)}]; only AAC is taken.`)
  if (durationMs < 500 || durationMs > seconds * 1000)
    return invalidMedia(`The film lasts ${durationMs / 1000} seconds; it can last 0.5 to ${seconds}.`)
  const [long, short] = [Math.max(video.width, video.height), Math.min(video.width, video.height)]
  if (short < 32 || long > 1280 || short > 1024)
    return invalidMedia(`The film has ${video.width}×${video.height} pixels; it can have 32×32 to 1280×1024.`)
  if (long > short * 3) return invalidMedia('The ratio of the sides of the film is not between 1:3 and 3:1.')
  if (Math.round(video.framesPerSecond) > 60)
    return invalidMedia(`The film has ${Math.round(video.framesPerSecond)} frames per second; it can have 60 at most.`)
  return {
    shape: {
      contentType: film.brand === 'qt  ' ? 'video/quicktime' : 'video/mp4',
      width: video.width,
      height: video.height,
      durationMs: Math.round(durationMs),
      bitRate: Math.round((bytes.size * 8 * 1000) / durationMs),
    },
  }
}

const printable = (codec: string): string => codec.replace(/[^\x20-\x7e]/g, '?')

const SRT_TIMES = /^\d{1,2}:\d\d:\d\d,\d{3} --> \d{1,2}:\d\d:\d\d,\d{3}/m
const VTT_TIMES = /^(?:\d{2,}:)?\d\d:\d\d\.\d{3} --> (?:\d{2,}:)?\d\d:\d\d\.\d{3}/m

function probeSubtitles(bytes: Buffer): Probed {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n')
  } catch {
    return invalidMedia('Subtitles must be UTF-8.')
  }
  if (/^WEBVTT(?:[ \t\n]|$)/.test(text))
    return VTT_TIMES.test(text)
      ? { shape: { contentType: 'text/vtt' } }
      : invalidMedia('The subtitles have no line with times.')
  if (SRT_TIMES.test(text)) return { shape: { contentType: 'text/srt' } }
  return unsupportedMedia('The bytes are no subtitles in SRT or VTT.')
}
