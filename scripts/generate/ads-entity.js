// An advertising entity as the reference document describes it.
import { filesIn, GeneratorError, kebab, readJson, readText } from './project.js'

const reference = readJson('tests/reference/ads.openapi.json')
const METHODS = ['get', 'post', 'put', 'delete']
const STANDARD = ['id', 'account_id', 'created_at', 'updated_at', 'deleted']

const resolve = (item) =>
  item?.$ref
    ? item.$ref
        .split('/')
        .slice(1)
        .reduce((inside, part) => inside[part], reference)
    : item

const operations = Object.entries(reference.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })),
)

const replyOf = (operation) =>
  operation.responses['200']?.content?.['application/json']?.schema?.$ref?.split('/').pop() ?? ''

const isBuilt = (id) => new RegExp(`^\\| yes \\| ${id} \\|`, 'm').test(readText('COVERAGE.md'))

/** The operations that answer with a record of a component, by what they do. */
function operationsOf(component) {
  const found = {}
  for (const operation of operations) {
    const reply = replyOf(operation)
    if (![`${component}Response`, `${component}ListResponse`, `${component}BatchResponse`].includes(reply)) continue
    const kind = kindOf(operation, reply)
    found[kind] ??= operation
  }
  return found
}

function kindOf({ method }, reply) {
  if (reply.endsWith('BatchResponse')) return 'batch'
  if (method === 'get') return reply.endsWith('ListResponse') ? 'list' : 'get'
  return { post: 'create', put: 'update', delete: 'delete' }[method]
}

/** The components that can be generated: records with operations, of which none is built. */
export const entityNames = () =>
  Object.keys(reference.components.schemas).filter((name) => {
    const found = Object.values(operationsOf(name))
    return isRecord(name) && found.length > 1 && !found.some((item) => isBuilt(item.operationId))
  })

const isRecord = (name) => reference.components.schemas[name]?.properties?.id !== undefined

/** The facts about an entity that the generated files contain. */
export function describeEntity(component) {
  if (!isRecord(component ?? ''))
    throw new GeneratorError(
      `The reference has no record ${component}. \`npm run new-entity -- --list\` lists the records that can be generated.`,
    )
  const found = operationsOf(component)
  if (!found.list && !found.create)
    throw new GeneratorError(`The reference has no operations that answer with ${component} records.`)
  const built = Object.values(found).find((item) => isBuilt(item.operationId))
  if (built) throw new GeneratorError(`${built.operationId} is built already (COVERAGE.md).`)
  const schema = reference.components.schemas[component]
  const name = kebab(component).replace(/-/g, '_')
  const collection = (found.list ?? found.create).path
  const last = collection.split('/').pop()
  const plural = last.startsWith('{') ? `${name}s` : last
  const item = found.get ?? found.update ?? found.delete
  const idName = item ? /\{(\w+)\}$/.exec(item.path)?.[1] : `${name}_id`
  return {
    component,
    name,
    plural,
    constant: plural.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
    table: `ads_${name}`,
    tag: (found.list ?? found.create).tags?.[0] ?? component,
    path: collection === `/12/accounts/{account_id}/${plural}` ? undefined : collection,
    idName,
    operations: Object.fromEntries(Object.entries(found).map(([kind, operation]) => [kind, operation.operationId])),
    fields: fieldsOf(schema, found),
    filters: found.list ? filtersOf(found.list, idName, schema) : [],
    isNamed: parametersOf(found.list).some((parameter) => parameter.name === 'q'),
    isSorted: parametersOf(found.list).some((parameter) => parameter.name === 'sort_by'),
    isPlainList: !parametersOf(found.list).some((parameter) => parameter.name === 'with_deleted'),
    takesJson: found.create?.requestBody !== undefined,
    missing: ['created_at', 'updated_at', 'deleted'].filter((member) => !schema.properties[member]),
    rules: [...new Set([schema, ...Object.values(found)].flatMap((described) => described['x-rules'] ?? []))].filter(
      (rule) => !isGeneral(rule),
    ),
  }
}

// The kit implements rules that many operations have, such as those of paging.
const MANY = 5
const isGeneral = (rule) => operations.filter((operation) => operation['x-rules']?.includes(rule)).length > MANY

const parametersOf = (operation) => (operation?.parameters ?? []).map(resolve)

/** The members that a client may send, with their schemas. */
function inputOf(operation) {
  const body = resolve(operation?.requestBody?.content?.['application/json']?.schema)
  const query = parametersOf(operation).filter((item) => item.in === 'query')
  const inBody = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    schema,
    required: body.required?.includes(name) === true,
  }))
  return new Map([...inBody, ...query].map((item) => [item.name, item]))
}

function fieldsOf(schema, found) {
  const created = inputOf(found.create)
  const updated = inputOf(found.update)
  return Object.entries(schema.properties)
    .filter(([name]) => !STANDARD.includes(name))
    .map(([name, shown]) => ({
      name,
      schema: { ...resolve(shown), ...resolve(created.get(name)?.schema) },
      refersTo: entitiesById().get(name),
      isRequired: created.get(name)?.required === true,
      isReadOnly: !created.has(name) && !updated.has(name),
      isCreateOnly: created.has(name) && found.update !== undefined && !updated.has(name),
      isUpdateOnly: !created.has(name) && updated.has(name),
    }))
}

const KNOWN = ['account_id', 'count', 'cursor', 'sort_by', 'with_deleted', 'with_total_count', 'with_draft', 'q']

function filtersOf(list, idName, schema) {
  return parametersOf(list)
    .filter((item) => item.in === 'query' && !KNOWN.includes(item.name))
    .map((item) => {
      const single = item.name.replace(/s$/, '')
      const column = single === idName ? 'id' : schema.properties[single] ? single : undefined
      return { name: item.name, column: item.name.endsWith('_ids') ? column : undefined }
    })
}

let entities
/** The declared entities by the name of their id: `line_item_id` is `lineItems` of its file. */
function entitiesById() {
  entities ??= new Map(
    filesIn('src/ads')
      .filter((folder) => !folder.includes('.'))
      .flatMap((folder) =>
        filesIn(`src/ads/${folder}`)
          .filter((file) => file.endsWith('.entity.ts'))
          .flatMap((file) => {
            const text = readText(`src/ads/${folder}/${file}`)
            const hits = text.matchAll(/^export const (\w+)[^=\n]* = defineAdsEntity\(\{\s+name: '(\w+)'/gm)
            return [...hits].map((hit) => [`${hit[2]}_id`, { constant: hit[1], file: `${folder}/${file}` }])
          }),
      ),
  )
  return entities
}
