// Whether dist/ is older than the sources. Apart from the build, because the command line looks at each call.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
export const src = path.join(root, 'src')
export const dist = path.join(root, 'dist')
export const stamp = path.join(dist, '.built')

/** Looks at every source file. */
export const isStale = () => isOlderThan([...filesBelow(src), ...named('tsconfig.json', 'package.json')])

/** Looks only at what the command line itself is made from: enough for a call of a running server. */
export const isCommandLineStale = () =>
  isOlderThan([
    ...filesBelow(path.join(src, 'cli')),
    ...named('src/main.ts', 'src/settings.ts', 'src/setting-rules.ts', 'package.json'),
  ])

function isOlderThan(inputs) {
  if (!existsSync(stamp)) return true
  const built = statSync(stamp).mtimeMs
  return inputs.some((file) => statSync(file).mtimeMs > built)
}

const named = (...names) => names.map((name) => path.join(root, name))

export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
}
