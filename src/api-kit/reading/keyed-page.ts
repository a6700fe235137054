import type { ReadContext } from '../declaring/object.ts'
import type { Answer } from '../declaring/operation.ts'
import { answerPage } from '../declaring/reply.ts'
import type { Runtime } from '../runtime.ts'
import { type KeyedList, type PageRequest, readKeyedPage } from './paging.ts'
import type { Selection } from './selection.ts'

/** Answers with a page of a list that has one owner. */
export async function answerKeyedPage(
  context: ReadContext,
  runtime: Runtime,
  query: { page: PageRequest; selection: Selection },
  list: KeyedList,
  owner: string,
): Promise<Answer> {
  const { ids, meta } = await readKeyedPage(runtime.database, query.page, list, owner)
  return answerPage(context, ids, query.selection, meta)
}
