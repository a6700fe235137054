import { AsGiven } from '../../api-kit/writing/problem.ts'
import { type Fault, invalidRequest } from '../../api-kit/writing/problems.ts'
import { type ArticleDraft, MOST_CHARACTERS } from './article.body.ts'

type Content = ArticleDraft['content_state']
type Block = Content['blocks'][number]
type Entity = Content['entities'][number]

const MOST_FAULTS = 10

const fault = (where: string, value: unknown, message: string): Fault => ({
  parameters: new AsGiven({ [where]: [String(value)] }),
  message: `${where}: ${message}`,
})

/** Refuses blocks and entities that do not fit together: ranges outside of their text, and links to nothing. */
export function checkContent({ blocks, entities }: Content): void {
  const keys = new Set(entities.map((entity) => entity.key))
  const faults = [
    ...entities.flatMap((entity, index) => entityFaults(entity, `$.content_state.entities[${index}]`)),
    ...blocks.flatMap((block, index) => blockFaults(block, keys, `$.content_state.blocks[${index}]`)),
  ]
  if (keys.size < entities.length)
    faults.push(fault('$.content_state.entities', entities.length, 'each entity must have a key of its own'))
  const characters = blocks.reduce((sum, block) => sum + block.text.length, 0)
  if (characters > MOST_CHARACTERS)
    faults.push(
      fault('$.content_state.blocks', characters, `the texts may only be ${MOST_CHARACTERS} characters long together`),
    )
  if (faults.length > 0) throw invalidRequest(faults.slice(0, MOST_FAULTS))
}

function blockFaults(block: Block, keys: ReadonlySet<string>, where: string): Fault[] {
  const faults: Fault[] = []
  const { length } = block.text
  const checkRange = (at: string, from: number, to: number) => {
    if (from >= to || to > length) faults.push(fault(at, `${from}-${to}`, `is not a range of the ${length} characters`))
  }
  const entityRanges = block.entity_ranges ?? []
  for (const [index, range] of entityRanges.entries()) {
    const at = `${where}.entity_ranges[${index}]`
    checkRange(at, range.offset, range.offset + range.length)
    if (!keys.has(String(range.key))) faults.push(fault(`${at}.key`, range.key, 'no entity has this key'))
  }
  for (const [index, range] of (block.inline_style_ranges ?? []).entries())
    checkRange(`${where}.inline_style_ranges[${index}]`, range.offset, range.offset + range.length)
  for (const [name, items] of Object.entries(block.data ?? {}))
    for (const [index, item] of (items ?? []).entries())
      checkRange(`${where}.data.${name}[${index}]`, item.from_index, item.to_index)
  if (block.type === 'atomic' && entityRanges.length === 0)
    faults.push(fault(`${where}.entity_ranges`, '', 'an atomic block must have an entity'))
  return faults
}

/** What the data of an entity must have, by its type. */
const NEEDED = { post: 'post_id', link: 'url', image: 'media_items' } as const

function entityFaults({ value: { type, data } }: Entity, where: string): Fault[] {
  const member = NEEDED[type]
  const at = `${where}.value.data.${member}`
  const given = data[member]
  if (given === undefined || given.length === 0)
    return [fault(at, '', `is missing but an entity of type ${type} needs it`)]
  if (type === 'link' && !(URL.canParse(data.url!) && /^https?:$/.test(new URL(data.url!).protocol)))
    return [fault(at, data.url, 'must be an http or https address')]
  return []
}
