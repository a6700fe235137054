// JSON Schema of a reference document as TypeBox code.
import path from 'node:path'
import { filesIn, readText } from './project.js'

/** Makes code from schemas and collects the imports that the code needs. */
export class SchemaCode {
  imports = new Map()

  constructor(reference) {
    this.reference = reference
    this.ids = [...readText('src/social/ids.ts').matchAll(/^export const (\w+)/gm)].map((hit) => hit[1])
  }

  use(file, ...names) {
    const known = this.imports.get(file) ?? new Set()
    for (const name of names) known.add(name)
    this.imports.set(file, known)
    return names[0]
  }

  /** The import lines of a file in a folder two levels below `src`. */
  importLines(folder) {
    return [...this.imports]
      .map(([file, names]) => {
        const found = path.posix.relative(folder, file)
        return `import { ${[...names].sort().join(', ')} } from '${found.startsWith('.') ? found : `./${found}`}'`
      })
      .join('\n')
  }

  resolve(item) {
    if (!item?.$ref) return item
    const [, , kind, name] = item.$ref.split('/')
    return this.reference.components[kind][name]
  }

  code(schema, open = []) {
    if (schema.$ref) return this.referred(schema, open)
    if (schema.enum) {
      this.use(SCHEMA, 'words')
      return `words(${JSON.stringify(schema.enum)})`
    }
    this.use(SCHEMA, 'Type')
    if (schema.oneOf ?? schema.anyOf)
      return `Type.Union([${(schema.oneOf ?? schema.anyOf).map((item) => this.code(item, open)).join(', ')}])`
    if (schema.allOf) return `Type.Intersect([${schema.allOf.map((item) => this.code(item, open)).join(', ')}])`
    if (schema.type === 'array')
      return `Type.Array(${this.code(schema.items, open)}${options(schema, ['minItems', 'maxItems', 'uniqueItems'])})`
    if (schema.type === 'object' || schema.properties) return this.object(schema, open)
    const plain = { string: 'String', integer: 'Integer', number: 'Number', boolean: 'Boolean' }[schema.type]
    return plain ? `Type.${plain}(${options(schema, FACTS).replace(/^, /, '')})` : 'Type.Unknown()'
  }

  object(schema, open, maker = 'Type.Object') {
    const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
      if (name === 'errors') return `errors: ${this.use(REPLY, 'ErrorsSchema')}`
      const made = this.code(member, open)
      const isRequired = schema.required?.includes(name)
      return `${/^\w+$/.test(name) ? name : `'${name}'`}: ${isRequired ? made : `${this.optional()}(${made})`}`
    })
    return `${maker}({ ${members.join(', ')} })`
  }

  optional() {
    this.use(SCHEMA, 'Type')
    return 'Type.Optional'
  }

  referred(schema, open) {
    const name = schema.$ref.split('/').pop()
    if (this.ids.includes(name)) return this.use('social/ids.ts', name)
    const object = this.objectOf(name)
    if (object) return `${this.use(object.file, object.name)}.schema`
    if (open.includes(name)) {
      this.use(SCHEMA, 'Type')
      return 'Type.Unknown()'
    }
    const target = this.resolve(schema)
    if (target.pattern === '^[0-9]{1,19}$') {
      this.use(SCHEMA, 'idSchema')
      return `idSchema('${name}')`
    }
    return this.code(target, [...open, name])
  }

  /** The declared object with this component name: `User` is `user` in `user.object.ts`. */
  objectOf(component) {
    this.objects ??= findObjects()
    return this.objects.find((item) => item.component === component)
  }
}

export const SCHEMA = 'api-kit/declaring/schema.ts'
export const REPLY = 'api-kit/declaring/reply.ts'

const FACTS = ['format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'default']

function options(schema, names) {
  const found = names.filter((name) => schema[name] !== undefined)
  if (found.length === 0) return ''
  return `, { ${found.map((name) => `${name}: ${JSON.stringify(schema[name])}`).join(', ')} }`
}

function findObjects() {
  return filesIn('src/social').flatMap((folder) =>
    filesIn(folder.includes('.') ? 'none' : `src/social/${folder}`)
      .filter((name) => name.endsWith('.object.ts'))
      .flatMap((name) => {
        const file = `social/${folder}/${name}`
        const hits = readText(`src/${file}`).matchAll(
          /^export const (\w+)[^=\n]* = defineObject\(\{([\s\S]*?)\n {2}fields/gm,
        )
        return [...hits].map((hit) => ({
          name: hit[1],
          file,
          component: /component: '(\w+)'/.exec(hit[2])?.[1] ?? hit[1][0].toUpperCase() + hit[1].slice(1),
        }))
      }),
  )
}
