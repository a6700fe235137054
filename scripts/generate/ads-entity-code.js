// The files of a generated advertising entity.
import path from 'node:path'
import { filesIn, readText } from './project.js'

/** The file of the kit that exports a name. It is looked up, so the generator does not depend on how the kit is split. */
function kitFile(name) {
  const exported = new RegExp(`^export (?:async )?(?:const|function) ${name}\\b`, 'm')
  const files = filesIn('src/ads/kit').filter((item) => item.endsWith('.ts'))
  const file = files.find((item) => exported.test(readText(`src/ads/kit/${item}`)))
  if (!file) throw new Error(`src/ads/kit does not export ${name}. Adapt this generator to the kit.`)
  return `kit/${file}`
}

class Imports {
  files = new Map()

  use(name, file = kitFile(name)) {
    this.files.set(file, (this.files.get(file) ?? new Set()).add(name))
    return name
  }

  lines(folder) {
    return [...this.files]
      .map(([file, names]) => {
        const found = path.posix.relative(folder, file)
        return `import { ${[...names].sort().join(', ')} } from '${found.startsWith('.') ? found : `./${found}`}'`
      })
      .join('\n')
  }
}

export function entityFile(entity, folder) {
  const imports = new Imports()
  imports.use('defineAdsEntity')
  const fields = entity.fields.map((item) => `${noteOf(item)}${item.name}: ${fieldCode(item, imports)},`)
  const filters = entity.filters.map((item) => filterCode(item, imports))
  const named = entity.fields.some((item) => item.name === 'name')
  const lines = [
    `name: '${entity.name}',`,
    `plural: '${entity.plural}',`,
    `tag: '${entity.tag}',`,
    `component: '${entity.component}',`,
    `table: '${entity.table}',`,
    '// TODO: the code of the reference for a missing record, if it has one of its own.',
    "notFound: 'NOT_FOUND',",
    entity.path && `path: '${entity.path}',`,
    entity.idName !== `${entity.name}_id` && `idName: '${entity.idName}',`,
    `fields: {\n${fields.join('\n')}\n},`,
    filters.length > 0 && `filters: {\n${filters.join('\n')}\n},`,
    entity.isNamed && named && "named: 'name',",
    entity.isSorted && "sorts: ['created_at', 'updated_at', 'deleted'],",
    entity.isPlainList && 'plainList: true,',
    '// TODO: what a role must be allowed to do (kit/access.ts).',
    "may: { see: 'see campaigns', manage: 'manage campaigns' },",
    `operations: {\n${Object.entries(entity.operations)
      .map(([kind, id]) => `${kind}: '${id}',`)
      .join('\n')}\n},`,
  ]
  return `${imports.lines(folder)}

/** TODO: say what ${entity.plural.replace(/_/g, ' ')} are. */
export const ${entity.constant} = defineAdsEntity({
${lines.filter(Boolean).join('\n')}
})
`
}

const noteOf = (item) =>
  item.isReadOnly
    ? '// TODO: no client sends it. Set it with `initial` or `derive`, or move it to `reads` or `shown`.\n'
    : ''

const isText = (schema, type) => schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type))

/** How a member is stored: the function of the kit that declares it, and the type of its column. */
function kindOf({ name, schema, refersTo }) {
  if (refersTo) return { maker: 'reference', column: 'bigint' }
  if (isText(schema, 'boolean')) return { maker: 'flag', column: 'boolean' }
  if (/_local_micro$/.test(name)) return { maker: 'micros', column: 'bigint' }
  if (isText(schema, 'integer')) return { maker: 'whole', column: 'integer' }
  if (isText(schema, 'array') && schema.items?.type === 'string') return { maker: 'listOf', column: 'text[]' }
  if (isText(schema, 'array') || isText(schema, 'object')) return { maker: 'field', column: 'jsonb' }
  if (schema.format === 'date-time') return { maker: 'time', column: 'timestamptz' }
  if (schema.enum) return { maker: 'oneOf', column: 'text' }
  if (schema.pattern === '^[0-9]+$') return { maker: 'long', column: 'bigint' }
  return { maker: 'text', column: 'text' }
}

function fieldCode(item, imports) {
  const { maker } = kindOf(item)
  imports.use(maker)
  const { schema } = item
  const rules = [
    item.isRequired && 'required: true',
    item.isCreateOnly && 'createOnly: true',
    item.isUpdateOnly && 'updateOnly: true',
    item.isReadOnly && 'readOnly: true',
  ]
  const bounds = (...pairs) =>
    pairs.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const call = (first, more = []) => {
    const options = [...more, ...rules].filter(Boolean)
    const last = options.length > 0 ? `{ ${options.join(', ')} }` : ''
    return `${maker}(${[first, last].filter(Boolean).join(', ')})`
  }
  if (maker === 'reference') return call(`() => ${imports.use(item.refersTo.constant, item.refersTo.file)}`)
  if (maker === 'oneOf') return call(JSON.stringify(schema.enum))
  if (maker === 'whole')
    return call('', bounds(['min', schema.minimum], ['max', schema.maximum], ['among', schema.enum]))
  if (maker === 'listOf')
    return call(`${imports.use('textKind')}()`, bounds(['min', schema.minItems], ['max', schema.maxItems]))
  if (maker === 'text') return call('', bounds(['min', schema.minLength], ['max', schema.maxLength]))
  if (maker !== 'field') return call('')
  imports.use('Type', '../api-kit/declaring/schema.ts')
  return call(`${imports.use('jsonKind')}(Type.Unknown())`)
}

function filterCode({ name, column }, imports) {
  if (!column) return `// TODO: the list accepts ${name}.`
  for (const used of ['filter', 'idKind', 'listKind']) imports.use(used)
  return `${name}: filter(listKind(idKind), (placeholder) => \`r.${column} = any(\${placeholder}::bigint[])\`),`
}

export function migrationFile(entity) {
  const columns = entity.fields.map((item) => {
    const parent = item.refersTo ? ` references ads_${item.name.replace(/_id$/, '')}` : ''
    return `  ${item.name} ${kindOf(item).column}${item.isRequired ? ' not null' : ''}${parent},`
  })
  const indexes = entity.fields
    .filter((item) => item.refersTo)
    .map(
      (item) => `create index ${entity.table}_of_${item.name.replace(/_id$/, '')} on ${entity.table} (${item.name});\n`,
    )
  return `-- TODO: say what the table holds; add checks, and indexes for the orders and filters of its list.
create table ${entity.table} (
  id bigint primary key,
  account_id bigint not null references ads_account,
${columns.join('\n')}
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ${entity.table}_page on ${entity.table} (account_id, id);
${indexes.join('')}`
}

/** Values of the members that a client must send. */
const samples = (entity) =>
  entity.fields
    .filter((item) => item.isRequired)
    .map((item) => `${item.name}: ${sampleOf(item, entity.takesJson)}`)
    .join(', ')

function sampleOf({ schema }, isJson) {
  if (schema.enum) return JSON.stringify(schema.enum[0])
  if (isText(schema, 'boolean')) return 'true'
  if (isText(schema, 'integer')) return String(schema.minimum ?? 1)
  if (schema.format === 'date-time') return "'2026-05-01T00:00:00Z'"
  if (isJson && isText(schema, 'array')) return '[]'
  return "'TODO'"
}

const pathOf = (entity, id) => `path: { ${entity.idName}: ${id} }`

export function exampleEntries(entity) {
  const sent = entity.takesJson ? `json: { ${samples(entity)} }` : `values: { ${samples(entity)} }`
  // The interface itself creates what a call needs; a JSON body is sent with scene.json.
  const made = entity.takesJson
    ? `(await scene.json('POST', '${entity.plural}', { ${samples(entity)} })).body.data.id`
    : `(await scene.made('${entity.plural}', { ${samples(entity)} })).id`
  const calls = {
    list: '() => ({})',
    get: `async (scene) => ({ ${pathOf(entity, made)} })`,
    create: `() => ({ ${sent} })`,
    update: `async (scene) => ({ ${pathOf(entity, made)}, ${entity.takesJson ? 'json: {}' : 'values: {}'} })`,
    delete: `async (scene) => ({ ${pathOf(entity, made)} })`,
    batch: `() => ({ json: [{ operation_type: 'Create', params: { ${samples(entity)} } }] })`,
  }
  const entries = Object.entries(entity.operations).map(([kind, id]) => `  ${id}: ${calls[kind]},\n`)
  return `  // TODO: put real values here.\n${entries.join('')}`
}

export const exampleFile = (entity) => `import type { AdsExample } from './example.ts'

/** Examples of ${entity.plural.replace(/_/g, ' ')}. */
export const examples: Record<string, AdsExample> = {
${exampleEntries(entity)}}
`

export function testFile(entity, source) {
  const call = entity.takesJson
    ? `scene.json('POST', '${entity.plural}', { ${samples(entity)} })`
    : `scene.post('${entity.plural}', { ${samples(entity)} })`
  const thing = entity.plural.replace(/_/g, ' ')
  const rules = entity.rules.map((rule) => `  test.todo(${JSON.stringify(rule)})`)
  return `import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdsScene, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

describe('${thing}', () => {
  test('are created with what was sent', async () => {
    const answer = await ${call}
    expect(answer.status, \`TODO: complete ${source} and put real values here: \${answer.text}\`).toBe(200)
    expect(answer.body.data).toEqual({ TODO: 'the whole record, as a client sees it' })
  })

  test.todo('are listed, filtered and sorted, page by page')
  test.todo('of another account are not found')
  test.todo('are refused for a user whose role may not manage them')
${rules.join('\n')}
})
`
}
