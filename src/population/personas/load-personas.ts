import type { Viewer } from '../../ads/serving/look.ts'
import { viewerOfRow } from '../../ads/serving/viewers.ts'
import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { SCOPES } from '../../identity/oauth2/scopes.ts'
import { VOCABULARIES, type Vocabulary } from '../../world/seed-words.data.ts'
import { personasRead } from '../life.statements.ts'

/** A persona as a life has it. */
export interface Persona {
  position: number
  userId: string
  username: string
  viewer: Viewer
  /** Minutes that local time is ahead of UTC. */
  zone: number
  later: number
  looksPerDay: number
  activity: number
  topics: readonly number[]
  vocabulary: Vocabulary
  /** What the behaviour remembers, as JSON. */
  memory: Record<string, unknown> | null
}

const PERSONAS_PER_READ = 5_000
const vocabularies = new Map(VOCABULARIES.map((item) => [item.lang, item]))

/** The personas of a seed, in order. Equal values are kept once: most people share theirs with many others. */
export async function loadPersonas(runtime: Runtime, seed: number, count: number): Promise<Persona[]> {
  const personas: Persona[] = []
  const lists = new Map<string, readonly string[]>()
  const shared = (values: readonly string[]): readonly string[] => {
    const key = values.join()
    const known = lists.get(key)
    if (known) return known
    lists.set(key, values)
    return values
  }
  const read = (from: number) =>
    from < count
      ? personasRead.all(runtime.database, seed, from, Math.min(count, from + PERSONAS_PER_READ))
      : Promise.resolve([])
  let next = read(0)
  for (let from = 0; from < count; from += PERSONAS_PER_READ) {
    const rows = await next
    // The database reads while these are converted.
    next = read(from + PERSONAS_PER_READ)
    for (const row of rows) {
      const viewer = viewerOfRow(row)
      personas.push({
        position: row.position,
        userId: viewer.userId,
        username: row.username,
        viewer: {
          ...viewer,
          locations: shared(viewer.locations),
          interests: shared(viewer.interests),
          appCategories: shared(viewer.appCategories),
        },
        zone: row.zone,
        later: row.later,
        looksPerDay: row.looks_per_day,
        activity: row.activity,
        topics: row.topics,
        vocabulary: vocabularies.get(row.language ?? 'en') ?? VOCABULARIES[0]!,
        memory: row.memory as Persona['memory'],
      })
    }
  }
  return personas
}

/** What posts of personas name as their source. Nobody has keys for it. */
const appNamed = (name: string): Caller['app'] => ({
  id: '0',
  name,
  clientId: '',
  tier: 'enterprise',
  projectId: '0',
  accountId: '0',
  ownerUserId: '0',
  naming: 'auto',
  isOwn: true,
})
const PHONE = appNamed('Phone App')
const WEB = appNamed('Web App')

/** A persona as the caller of an operation: somebody who uses the pages of this server. */
export const callerOf = ({ userId, username, viewer }: Persona): Caller => ({
  kind: 'oauth2',
  app: viewer.device === null ? WEB : PHONE,
  user: { id: userId, username },
  scopes: SCOPES,
  level: 'read-write-messages',
})
