import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { buildProgram, temporaryFolder } from '../support/child-server.ts'

export const ROOT = path.resolve(import.meta.dirname, '../..')

/** A new folder in which the packed package is installed, as npm would: with its dependencies beside it. */
export function installPacked(): string {
  buildProgram()
  const folder = temporaryFolder()
  const modules = path.join(folder, 'node_modules')
  mkdirSync(path.join(modules, 'rostra'), { recursive: true })
  // Without its scripts: the build is there.
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  const target = path.join(modules, 'rostra')
  execFileSync('tar', ['xzf', path.join(folder, tarball), '-C', target, '--strip-components', '1'])
  // The dependencies are those of this checkout, so nothing has to be downloaded.
  for (const name of readdirSync(path.join(ROOT, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name))
  return folder
}
