// npm run new-entity -- <Component> [--folder <folder of src/ads>]
// Writes an advertising entity, its migration, examples and tests from the reference document, and registers it.
import { describeEntity, entityNames } from './generate/ads-entity.js'
import { entityFile, exampleEntries, exampleFile, migrationFile, testFile } from './generate/ads-entity-code.js'
import { addToExamples, addToList, Draft, exists, filesIn, kebab, runGenerator } from './generate/project.js'

const USAGE = `npm run new-entity -- <component of the reference, such as WebEventTag> [--folder <folder>]
npm run new-entity -- --list`

function newEntity(component, { folder, list }) {
  if (list) return entityNames()
  const entity = describeEntity(component)
  const target = folder ?? kebab(entity.plural)
  const source = `src/ads/${target}/${kebab(entity.name)}.entity.ts`
  const migration = `src/storage/migrations/${nextNumber()}-ads-${kebab(entity.plural)}.sql`
  const examples = `tests/ads/examples/${target}.examples.ts`
  const tests = `tests/ads/${kebab(entity.plural)}.test.ts`

  const draft = new Draft()
  draft.create(source, entityFile(entity, target))
  draft.create(migration, migrationFile(entity))
  draft.edit('src/ads/operations.ts', (text) =>
    addToList(
      text,
      `import { ${entity.constant} } from './${target}/${kebab(entity.name)}.entity.ts'`,
      'adsOperations',
      `...${entity.constant}.operations`,
    ),
  )
  if (exists(examples)) draft.edit(examples, (text) => addToExamples(text, exampleEntries(entity)))
  else draft.create(examples, exampleFile(entity))
  draft.create(tests, testFile(entity, source))
  return [
    ...draft.write(),
    '',
    'Left to do:',
    `- ${source}: every line with TODO; rules go to check and checkAll. ${entity.missing.length > 0 ? `The reference has no ${entity.missing.join(' and ')} in its record: compare.` : ''}`.trim(),
    `- ${migration}: foreign keys, checks, indexes. Once it is on the main branch, it must not change.`,
    `- ${examples}: calls that succeed. The contract tests are red until they do.`,
    `- ${tests}: replace the TODO values and each test.todo; the rules of the reference are among them.`,
    `- npx vitest run tests/ads/contract.test.ts tests/guards ${tests}`,
    '- npm run coverage-page',
  ]
}

function nextNumber() {
  const numbers = filesIn('src/storage/migrations').map((name) => Number.parseInt(name, 10))
  return String(Math.max(...numbers) + 1).padStart(4, '0')
}

runGenerator(newEntity, USAGE)
