import { defineObject, staticField } from '../../api-kit/declaring/object.ts'
import { definePart } from '../../api-kit/declaring/part.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { TOPICS } from './topics.data.ts'

export const TopicId = component('TopicId', Type.String())

/** Topics by id. They are a fixed list, so nothing is read from the database. */
const topicRow = definePart('topic', 'row', async (_db, ids) => {
  const found = new Map<string, { id: string; name: string; description: string }>()
  for (const id of ids) {
    const topic = Object.hasOwn(TOPICS, id) ? TOPICS[id] : undefined
    if (topic) found.set(id, { id, name: topic[0], description: topic[1] })
  }
  return found
})

/** The object `topic` of the interface. */
export const topic = defineObject({
  name: 'topic',
  // Problems cannot name topics; a space has only topics that exist, so none is ever missing.
  resource: 'space',
  plural: 'topics',
  component: 'Topic',
  always: ['id', 'name'],
  existence: topicRow,
  fields: {
    id: staticField(topicRow, TopicId, (row) => row.id),
    name: staticField(topicRow, Type.String(), (row) => row.name),
    description: staticField(topicRow, Type.String(), (row) => row.description),
  },
})
