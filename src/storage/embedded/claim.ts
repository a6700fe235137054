import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError } from './plain-words.ts'
import { isIdInUse, lookAtProcess } from './processes.ts'

const PATIENCE_MS = 5000
const STEP_MS = 100

const heldHere = new Map<string, number>()

/** A place belongs to one living process; this says which one. Returns what gives the place back. */
export async function claimPlace(folder: string): Promise<() => Promise<void>> {
  const file = path.join(folder, 'owner')
  const holders = heldHere.get(file) ?? 0
  if (holders === 0) await writeClaim(file, folder)
  heldHere.set(file, holders + 1)
  let released = false
  return async () => {
    if (released) return
    released = true
    const left = (heldHere.get(file) ?? 1) - 1
    heldHere.set(file, left)
    if (left === 0) await rm(file, { force: true })
  }
}

async function writeClaim(file: string, folder: string): Promise<void> {
  const mine = `${process.pid} ${(await lookAtProcess(process.pid))?.started ?? ''}\n`
  const begun = performance.now()
  for (;;) {
    const written = await writeFile(file, mine, { flag: 'wx', mode: 0o644 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false
        throw error
      },
    )
    if (written) return
    const found = await readFile(file, 'utf8').catch(() => undefined)
    if (found === undefined) continue
    const waited = performance.now() - begun
    const owner = await livingOwner(found)
    // A claim without its end is one that is being written now, or one whose writer was killed.
    const isUnfinished = !found.endsWith('\n') && waited < PATIENCE_MS
    if (!owner && !isUnfinished) {
      await dropClaim(file, found)
    } else if (waited > PATIENCE_MS) {
      throw new EmbeddedPostgresError(
        `Another Rostra (process ${owner}) is using the database in ${folder}. ` +
          `Stop it first, or give this one a data folder of its own with ROSTRA_DATA_DIR.`,
      )
    } else {
      // It may be on its way out.
      await sleep(STEP_MS)
    }
  }
}

async function livingOwner(claim: string): Promise<number | undefined> {
  const [pid, started] = claim.trim().split(/ (.*)/)
  // In a restarted container we may have got the very id of the owner that was killed.
  if (!Number(pid) || Number(pid) === process.pid) return undefined
  // An owner that could not look itself up left its id alone.
  const lives = started ? (await lookAtProcess(Number(pid)))?.started === started : isIdInUse(Number(pid))
  return lives ? Number(pid) : undefined
}

async function dropClaim(file: string, judged: string): Promise<void> {
  const aside = `${file}.dropped-${process.pid}`
  try {
    await rename(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  // Somebody else may have replaced the claim since it was judged.
  const dropped = await readFile(aside, 'utf8')
  if (dropped !== judged) await writeFile(file, dropped, { flag: 'wx' }).catch(() => undefined)
  await rm(aside, { force: true })
}
