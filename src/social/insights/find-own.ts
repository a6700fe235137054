import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { notAuthorizedForField, resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import type { ProblemBody } from '../../api-kit/writing/problem.ts'
import { isStorableId } from '../../process/ids.ts'
import { isMediaOwner, media, mediaRow } from '../media/media.object.ts'
import { postRow } from '../posts/post.parts.ts'
import { authorsOf, judgePosts } from '../visibility.ts'

/** What a request may see of the objects that it names: its own, in the order of the request, and an error for each other. */
export interface OwnObjects {
  own: string[]
  refused: { id: string; problem: ProblemBody }[]
}

const MEMBER = 'timestamped_metrics'

/** The caller's posts among some. Only the author of a post sees its numbers. */
export async function findOwnPosts(
  context: ReadContext,
  ids: readonly string[],
  parameter: string,
): Promise<OwnObjects> {
  const wanted = [...new Set(ids)]
  const rows = await context.parts.many(postRow, wanted.filter(isStorableId))
  const found = [...rows.values()]
  const verdicts = await judgePosts(context, found.map(authorsOf))
  const refusals = new Map(found.map((row, index) => [row.id, verdicts[index]]))
  return sortOut(wanted, (id) => {
    const row = rows.get(id)
    if (!row) return resourceNotFound('post', parameter, id)
    const refusal = refusals.get(id)
    if (refusal) return refusal({ parameter, value: id, section: 'data' })
    return row.author_id === context.caller?.user?.id
      ? undefined
      : notAuthorizedForField('post', MEMBER, parameter, id, 'data')
  })
}

/** The caller's media items among some. */
export async function findOwnMedia(
  context: ReadContext,
  keys: readonly string[],
  parameter: string,
): Promise<OwnObjects> {
  const wanted = [...new Set(keys)]
  const load = context.parts.load(mediaRow.kind, wanted, [mediaRow])
  if (load.ready) await load.ready
  const entries = load.entries.filter((entry) => entry.values[mediaRow.index] !== undefined)
  const verdicts = (await media.judge(context, entries)) ?? []
  const refusals = new Map(entries.map((entry, index) => [entry.id, verdicts[index]]))
  const rows = await context.parts.many(mediaRow, wanted)
  return sortOut(wanted, (key) => {
    const row = rows.get(key)
    if (!row) return resourceNotFound('media', parameter, key)
    const refusal = refusals.get(key)
    if (refusal) return refusal({ parameter, value: key, section: 'data' })
    return isMediaOwner(row, context) ? undefined : notAuthorizedForField('media', MEMBER, parameter, key, 'data')
  })
}

function sortOut(wanted: readonly string[], refuse: (id: string) => ProblemBody | undefined): OwnObjects {
  const result: OwnObjects = { own: [], refused: [] }
  for (const id of wanted) {
    const problem = refuse(id)
    if (problem) result.refused.push({ id, problem })
    else result.own.push(id)
  }
  return result
}
