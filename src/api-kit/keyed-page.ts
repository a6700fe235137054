import type { House } from './house.ts'
import type { ReadContext } from './object.ts'
import type { Answer } from './operation.ts'
import { type KeyedList, type PageRequest, readKeyedPage } from './paging.ts'
import { answerPage } from './reply.ts'
import type { Selection } from './selection.ts'

/** Answers with a page of a list that has one owner. */
export async function answerKeyedPage(
  context: ReadContext,
  house: House,
  query: { page: PageRequest; selection: Selection },
  list: KeyedList,
  owner: string,
): Promise<Answer> {
  const { ids, meta } = await readKeyedPage(house.database, query.page, list, owner)
  return answerPage(context, ids, query.selection, meta)
}
