// Writes schemas/world.schema.json from the declaration of world files.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { worldJsonSchema } from '../dist/modules/world/files/json-schema.js'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
writeFileSync(path.join(root, 'schemas', 'world.schema.json'), `${JSON.stringify(worldJsonSchema(), null, 2)}\n`)
