import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { defineEndpoint } from '../api-kit/declaring/endpoint.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { chooseEncoding, type Encoding } from '../api-kit/serving/compress.ts'
import { Answer, BytesAnswer } from '../api-kit/writing/answer.ts'
import { blank } from '../api-kit/writing/problems.ts'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'

/** What browsers load, as the build makes it. */
const TYPES = {
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'pages.js': 'text/javascript; charset=utf-8',
  'pages.css': 'text/css; charset=utf-8',
} as const

export type AssetName = keyof typeof TYPES

interface Asset {
  /** With a digest of the content, so browsers may keep it forever. */
  servedName: string
  type: string
  etag: string
  bytes: Buffer
  encoded: Map<Encoding, Promise<Buffer>>
}

// Where the sources run, in tests, the build is beside them.
const FOLDERS = [path.join(PROGRAM_FOLDER, 'browser'), path.join(PROGRAM_FOLDER, '../dist/browser')]

const assets = new Map<AssetName, Asset | undefined>()

function findAsset(name: AssetName): Asset | undefined {
  if (assets.has(name)) return assets.get(name)
  const file = FOLDERS.map((folder) => path.join(folder, name)).find((candidate) => existsSync(candidate))
  let asset: Asset | undefined
  if (file !== undefined) {
    const bytes = readFileSync(file)
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
    const { name: stem, ext } = path.parse(name)
    const servedName = `${stem}-${digest}${ext}`
    asset = { servedName, type: TYPES[name], etag: `"${digest}"`, bytes, encoded: new Map() }
    // What is missing may be built later, in tests.
    assets.set(name, asset)
  }
  return asset
}

/** The address of a script or style sheet, with the mount path and a digest of its content. */
export const assetPath = (runtime: Pick<Runtime, 'mount'>, name: AssetName): string =>
  `${runtime.mount}/i/assets/${findAsset(name)?.servedName ?? name}`

const compressed = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** Compressed at first use. */
function encode(asset: Asset, encoding: Encoding): Promise<Buffer> {
  const known = asset.encoded.get(encoding)
  if (known) return known
  const made = encoding === 'identity' ? Promise.resolve(asset.bytes) : compressed[encoding](asset.bytes)
  asset.encoded.set(encoding, made)
  return made
}

/** Scripts and style sheets. Their names change with their content, so browsers keep them. */
export const assetEndpoint = {
  ...defineEndpoint('asset', 'GET /i/assets/{name}', async ({ headers }, _runtime, { path: { name } }) => {
    const asset = (Object.keys(TYPES) as AssetName[]).map(findAsset).find((item) => item?.servedName === name)
    if (!asset)
      throw blank(404, 'There is no such file. It belongs to another version of the server: load the page again.')
    const common = { 'cache-control': 'public, max-age=31536000, immutable', etag: asset.etag, vary: 'accept-encoding' }
    if (headers['if-none-match'] === asset.etag)
      return new Answer('', { status: 304, contentType: asset.type, headers: common })
    const encoding = chooseEncoding(String(headers['accept-encoding'] ?? ''))
    const bytes = await encode(asset, encoding)
    return new BytesAnswer(bytes.length, oneChunk(bytes), 200, {
      ...common,
      'content-type': asset.type,
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    })
  }),
  unrecorded: true,
  takesHead: true,
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
