import type { StoredType } from '../categories.ts'
import { probeImage } from './probe-image.ts'
import { invalidMedia, type MediaBytes, type Probed, unsupportedMedia } from './probed.ts'
import { readGif } from './read-gif.ts'
import { readMp4 } from './read-mp4.ts'

/** The longest video in seconds, and the longest where the account may upload longer ones. */
export const VIDEO_SECONDS = 140
export const LONG_VIDEO_SECONDS = 600

/** What the bytes of an upload are expected to be. */
interface ExpectedMedia {
  type: StoredType
  /** The type that the client declared. */
  mediaType: string | null
  /** The longest duration of a video. */
  maxSeconds: number
}

/** Determines what the bytes are, and whether they are within the limits. */
export async function probeMedia(bytes: MediaBytes, expected: ExpectedMedia): Promise<Probed> {
  const found = await probeBytes(bytes, expected)
  const declared = expected.mediaType === 'image/pjpeg' ? 'image/jpeg' : expected.mediaType
  if (!found.shape || declared === null || declared === found.shape.contentType) return found
  return invalidMedia(`The declared media_type is ${declared}, but the file is ${found.shape.contentType}.`)
}

async function probeBytes(bytes: MediaBytes, expected: ExpectedMedia): Promise<Probed> {
  if (expected.type === 'video') return probeVideo(bytes, expected.maxSeconds)
  // The other types are small.
  const whole = await bytes.read(0, bytes.size)
  if (expected.type === 'photo') return probeImage(whole)
  return expected.type === 'animated_gif' ? probeAnimation(whole) : probeSubtitles(whole)
}

const MAX_FRAMES = 350
const MAX_PIXELS = 300_000_000

function probeAnimation(bytes: Buffer): Probed {
  const gif = readGif(bytes)
  if (!gif || gif.width < 1 || gif.height < 1) return invalidMedia('The file is not a complete GIF.')
  const { width, height, frames, durationMs, firstFrameBytes } = gif
  if (width > 1280 || height > 1080)
    return invalidMedia(`The GIF has ${width}×${height} pixels; it can have at most 1280×1080.`)
  if (frames > MAX_FRAMES) return invalidMedia(`The GIF has ${frames} frames; it can have at most ${MAX_FRAMES}.`)
  if (width * height * frames > MAX_PIXELS)
    return invalidMedia(`The frames of the GIF have more than ${MAX_PIXELS} pixels in total.`)
  return { shape: { contentType: 'image/gif', width, height, durationMs, firstFrameBytes } }
}

// Baseline, main, extended and high: the profiles with 8-bit 4:2:0 frames.
const PROFILES = new Set([66, 77, 88, 100])

async function probeVideo(bytes: MediaBytes, maxSeconds: number): Promise<Probed> {
  const file = await readMp4(bytes)
  if (!file) return unsupportedMedia('The file is not an MP4 or QuickTime video with a readable index.')
  const { video, durationMs } = file
  if (!video) return invalidMedia('The video has no video track.')
  if (video.codec !== 'avc1' && video.codec !== 'avc3')
    return unsupportedMedia(`The video codec is [${printable(video.codec)}]; only H.264 is accepted.`)
  if (video.profile !== undefined && !PROFILES.has(video.profile))
    return unsupportedMedia('The video is not 8-bit YUV 4:2:0.')
  const sound = file.soundCodecs.find((codec) => codec !== 'mp4a')
  if (sound !== undefined) return unsupportedMedia(`The audio codec is [${printable(sound)}]; only AAC is accepted.`)
  if (durationMs < 500 || durationMs > maxSeconds * 1000)
    return invalidMedia(`The video lasts ${durationMs / 1000} seconds; it can last 0.5 to ${maxSeconds}.`)
  const [long, short] = [Math.max(video.width, video.height), Math.min(video.width, video.height)]
  const fits = (width: number, height: number) => video.width <= width && video.height <= height
  if (short < 32 || !(fits(1920, 1200) || fits(1200, 1900)))
    return invalidMedia(
      `The video has ${video.width}×${video.height} pixels; it can have 32×32 to 1920×1200, or 1200×1900.`,
    )
  if (long > short * 3) return invalidMedia('The aspect ratio of the video is not between 1:3 and 3:1.')
  if (Math.round(video.framesPerSecond) > 60)
    return invalidMedia(`The video has ${Math.round(video.framesPerSecond)} frames per second; it can have at most 60.`)
  return {
    shape: {
      contentType: file.brand === 'qt  ' ? 'video/quicktime' : 'video/mp4',
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
  return unsupportedMedia('The file does not contain subtitles in SRT or VTT.')
}
