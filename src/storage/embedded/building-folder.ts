import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { isIdInUse } from './processes.ts'

const underConstruction = new Set<string>()
let built = 0

/**
 * Fills a folder under a temporary name and gives it its real name in one step: a kill in the middle leaves
 * no incomplete folder under the real name. When another process finishes first, its folder is kept.
 */
export async function buildFolder(target: string, fill: (building: string) => Promise<void>): Promise<void> {
  const building = `${target}.new-${process.pid}-${++built}`
  underConstruction.add(building)
  try {
    await rm(building, { recursive: true, force: true })
    await mkdir(building, { mode: 0o700 })
    await fill(building)
    await rename(building, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(building, { recursive: true, force: true })
    underConstruction.delete(building)
  }
}

/** Removes what killed starts left beside `target`, but nothing that a living process still builds. */
export async function removeLeftovers(target: string): Promise<void> {
  const parent = path.dirname(target)
  const unfinished = `${path.basename(target)}.new`
  for (const name of await readdir(parent)) {
    if (!name.startsWith(unfinished) || isBeingBuilt(path.join(parent, name))) continue
    // Renamed first: should its builder live after all, its last step fails instead of naming a half-removed folder.
    const condemned = path.join(parent, `${unfinished}-removed`)
    await rm(condemned, { recursive: true, force: true })
    if (name !== path.basename(condemned)) await rename(path.join(parent, name), condemned)
    await rm(condemned, { recursive: true, force: true })
  }
}

function isBeingBuilt(folder: string): boolean {
  const pid = Number(/\.new-(\d+)-\d+$/.exec(folder)?.[1])
  if (!pid) return false
  if (pid === process.pid) return underConstruction.has(folder)
  return isIdInUse(pid)
}
