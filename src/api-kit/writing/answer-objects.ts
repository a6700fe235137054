import type { Naming } from '../naming/naming.ts'
import { type KeyedList, type PageRequest, readKeyedPage } from '../reading/paging.ts'
import type { ReadContext } from '../reading/read-context.ts'
import { type ReadObjects, type RequestedObject, readObjects } from '../reading/read-objects.ts'
import type { Selection } from '../reading/selection.ts'
import type { Runtime } from '../runtime.ts'
import { Answer } from './answer.ts'
import { renderBody } from './problem.ts'

/** Looks up objects and answers with the list. */
export async function answerList(
  context: ReadContext,
  wanted: readonly RequestedObject[],
  selection: Selection,
  parameter: string,
): Promise<Answer> {
  const read = await readObjects(context, wanted, selection, { parameter })
  return new Answer(objectOf([dataPart(read), ...sideParts(read, context.naming, context.problemBase)]))
}

/**
 * Answers with a page of a list; what the caller may not see is left out without an error. `meta` may depend on the ids that are
 * shown; it also has their number, unless the list has no such member.
 */
export async function answerPage(
  context: ReadContext,
  ids: readonly string[],
  selection: Selection,
  meta: object | ((shown: readonly string[]) => object),
  { counted = true }: { counted?: boolean } = {},
): Promise<Answer> {
  const wanted = ids.map((id) => ({ id, value: id }))
  const read = await readObjects(context, wanted, selection, { parameter: 'id', silent: true })
  const parts = [dataPart(read), ...sideParts(read, context.naming, context.problemBase)].filter(Boolean)
  const count = counted ? { result_count: read.data.length } : {}
  const fullMeta = { ...(typeof meta === 'function' ? meta(read.ids) : meta), ...count }
  return new Answer(`{${[...parts, `"meta":${JSON.stringify(fullMeta)}`].join()}}`)
}

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

/** Looks up one object. If it is missing, the answer has only an error. */
export async function answerOne(
  context: ReadContext,
  wanted: RequestedObject,
  selection: Selection,
  parameter: string,
): Promise<Answer> {
  const read = await readObjects(context, [wanted], selection, { parameter })
  const data = read.data.length === 0 ? '' : `"data":${read.data[0]}`
  return new Answer(objectOf([data, ...sideParts(read, context.naming, context.problemBase)]))
}

/**
 * Each visible object as the members of its own answer, `"data":{...},"includes":{...}`, by id: for answers that are composed
 * elsewhere, such as the lines of a stream.
 */
export async function renderEach(
  context: ReadContext,
  ids: readonly string[],
  selection: Selection,
): Promise<Map<string, string>> {
  const read = (some: readonly string[]) =>
    readObjects(
      context,
      some.map((id) => ({ id, value: id })),
      selection,
      { parameter: 'id', silent: true },
    )
  // All together first, in few queries; then each is read from the cache.
  if (ids.length > 1) await read(ids)
  const rendered = new Map<string, string>()
  for (const id of ids) {
    const one = await read([id])
    if (one.data.length === 0) continue
    rendered.set(id, [`"data":${one.data[0]}`, ...sideParts(one, context.naming, context.problemBase)].join())
  }
  return rendered
}

/** An object of members as JSON, those that are not empty. */
function objectOf(members: readonly string[]): string {
  let text = ''
  for (const member of members) if (member !== '') text += text === '' ? member : `,${member}`
  return `{${text}}`
}

const dataPart = (read: ReadObjects): string => (read.data.length === 0 ? '' : `"data":[${read.data.join()}]`)

function sideParts(read: ReadObjects, naming: Naming, problemBase: string): string[] {
  const parts: string[] = []
  if (read.includes.size > 0) {
    let groups = ''
    for (const [plural, items] of read.includes) {
      const group = `"${naming.rename(plural)}":[${[...items.values()].join()}]`
      groups += groups === '' ? group : `,${group}`
    }
    parts.push(`"includes":{${groups}}`)
  }
  if (read.errors.length > 0) parts.push(`"errors":${JSON.stringify(renderBody(read.errors, naming, problemBase))}`)
  return parts
}
