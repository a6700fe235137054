import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** How the bytes of an answer are written. */
export type Encoding = 'br' | 'gzip' | 'identity'

/** Below this, compressing saves less than a packet. */
const LEAST_BYTES = 1_024
// An answer is compressed while somebody waits: the higher levels take several times as long for a few percent.
const QUALITY = 4
const LEVEL = 5

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** The encoding that a client takes, by its `accept-encoding`. */
export function chooseEncoding(accepted: string): Encoding {
  const words = accepted.split(',').map((part) => part.trim().toLowerCase())
  const takes = (name: string) => words.some((word) => word.split(';', 1)[0] === name && !/;\s*q=0(\.0*)?$/.test(word))
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity'
}

/** The bytes of a text as the client takes them; undefined where it is sent as it is. */
export async function compressText(
  text: string,
  accepted: string,
): Promise<{ bytes: Buffer; encoding: Encoding } | undefined> {
  if (text.length < LEAST_BYTES) return undefined
  const encoding = chooseEncoding(accepted)
  if (encoding === 'identity') return undefined
  const bytes =
    encoding === 'br'
      ? await brotli(text, {
          params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
        })
      : await zip(text, { level: LEVEL })
  return { bytes, encoding }
}
