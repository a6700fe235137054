// Writes the lists of all operations of the references, from which the server knows what is not built yet.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const LISTS = [
  { reference: 'v2', file: 'src/social/reference-operations.ts', name: 'v2Reference' },
  { reference: 'ads', file: 'src/ads/reference-operations.ts', name: 'adsReference' },
]

for (const { reference, file, name } of LISTS) {
  const { paths } = JSON.parse(readFileSync(path.join(root, `tests/reference/${reference}.openapi.json`), 'utf8'))
  const lines = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.operationId)
      .map(([method, operation]) => `  '${operation.operationId} ${method.toUpperCase()} ${route}',`),
  )
  const text = [
    '/** Every operation of the reference as `id method path`. `npm run reference-operations` writes this file. */',
    `export const ${name}: readonly string[] = [`,
    ...lines,
    ']',
    '',
  ]
  writeFileSync(path.join(root, file), text.join('\n'))
}
