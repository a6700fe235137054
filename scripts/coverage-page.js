// Writes COVERAGE.md: which operations of the references are built, and which tests call them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const METHODS = ['get', 'post', 'put', 'delete']
const CREDENTIAL_WORDS = {
  BearerToken: 'app',
  OAuth2UserToken: 'OAuth 2.0',
  OAuth2User: 'OAuth 2.0',
  UserToken: 'OAuth 1.0a',
}
const NEUTRAL = { id: 'neutral', index: 0, rename: (name) => name, restore: (name) => name }

/** The text of COVERAGE.md. `references` has the reference document of each family by its id. */
export function coveragePage({ families, references, testFiles }) {
  const sections = families.map((family) => familyRows(family, references[family.id]))
  return `${[
    '# Coverage',
    '',
    '`npm run coverage-page` writes this page from the declared operations and the reference documents; a test fails when it is out of date.',
    '',
    'The contract tests call every built operation in both namings: with refused credentials, wrong parameters, and its example, whose answer is checked against the schema. The column Tests lists the other test files that contain the operation id, or its method and route in either naming. Calls through client libraries or with composed paths are not found.',
    '',
    '| Interface | Version | Built | Of |',
    '|---|---|---:|---:|',
    ...sections.map(
      ({ family, rows, extra }) =>
        `| ${family.title} | ${family.version} | ${builtIn(rows) || extra.length} | ${rows.length || 'no reference'} |`,
    ),
    ...sections.flatMap((section) => ['', ...familyLines(section, testFiles)]),
  ].join('\n')}\n`
}

const builtIn = (rows) => rows.filter((row) => row.built).length

/** The operations of a family's reference, each with the one that is built. */
function familyRows(family, reference = { paths: {} }) {
  const { id, route } = family.document.endpoint
  const [method, documentPath] = route.split(' ')
  const served = [...family.operations, ...(family.endpoints ?? []), { id, method, path: documentPath }]
  const rows = referenceRows(reference).map((row) => ({
    ...row,
    legacy: family.legacy.rename(row.path),
    built: served.find((item) => item.id === row.id && item.method === row.method && item.path === row.path),
  }))
  const extra = family.operations.filter((item) => !rows.some((row) => row.built === item))
  const tags = [...new Set([...(reference.tags ?? []).map((tag) => tag.name), ...rows.map((row) => row.tag)])]
  return { family, rows, extra, tags: tags.filter((tag) => rows.some((row) => row.tag === tag)) }
}

function familyLines({ family, rows, extra, tags }, testFiles) {
  if (rows.length === 0)
    return [`# ${family.title}`, '', 'There is no reference document. These calls are built.', '', ...extraLines(extra)]
  const calls = findCalls(rows, testFiles)
  for (const row of rows)
    for (const name of RELATIVE_CALLS[family.id]?.(row, testFiles) ?? []) calls.get(row.id).add(name)
  const rowsOf = (tag) => rows.filter((row) => row.tag === tag)
  return [
    `# ${family.title}`,
    '',
    `**${builtIn(rows)} of ${rows.length} operations are built.**`,
    '',
    '| Tag | Built | Of |',
    '|---|---:|---:|',
    ...tags.map((tag) => `| ${tag} | ${builtIn(rowsOf(tag))} | ${rowsOf(tag).length} |`),
    ...tags.flatMap((tag) => [
      '',
      `## ${tag}`,
      '',
      '| Built | Operation | Route | Legacy route | Credentials | Tests |',
      '|---|---|---|---|---|---|',
      ...rowsOf(tag).map((row) => rowLine(row, credentialsOf(family, row), calls.get(row.id))),
    ]),
    ...(extra.length === 0 ? [] : ['', '## Beyond the reference', '', ...extraLines(extra)]),
  ]
}

const extraLines = (extra) => [
  '| Operation | Route |',
  '|---|---|',
  ...extra.map(
    ({ id, method, path: route, since }) => `| ${id} | \`${method} ${route}\`${since ? ` (since ${since})` : ''} |`,
  ),
]

function rowLine(row, credentials, files) {
  const legacy = row.legacy === row.path ? 'the same' : `\`${row.legacy}\``
  const tests = row.built
    ? [...files]
        .sort()
        .map((name) => `\`${name}\``)
        .join(', ') || 'contract only'
    : ''
  return `| ${row.built ? 'yes' : 'no'} | ${row.id} | \`${row.method} ${row.path}\` | ${legacy} | ${credentials.join(', ') || 'none'} | ${tests} |`
}

/** The kinds of credential that a built operation takes; for others, those of the reference. */
function credentialsOf(family, row) {
  // Endpoints describe no credentials; the reference does.
  if (!row.built || family.endpoints?.includes(row.built)) return row.credentials
  const { document } = family
  const described = row.built.handle ? document.operation(row.built, NEUTRAL, () => ({})) : {}
  const rules = described.security ?? document.frame(NEUTRAL, '').security ?? []
  return rules.flatMap(credentialWords)
}

const credentialWords = (rule) => Object.keys(rule).map((kind) => CREDENTIAL_WORDS[kind] ?? kind)

function referenceRows(reference) {
  return Object.entries(reference.paths).flatMap(([route, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      id: item[method].operationId,
      method: method.toUpperCase(),
      path: route,
      tag: item[method].tags?.[0] ?? 'General',
      credentials: (item[method].security ?? reference.security ?? []).flatMap(credentialWords),
    })),
  )
}

/** For each operation the test files that call it. */
function findCalls(rows, testFiles) {
  const calls = new Map(rows.map((row) => [row.id, new Set()]))
  const patterns = rows.map((row) => ({
    row,
    fits: [row.path, row.legacy].map(pathPattern),
    parts: row.path.split('{').length,
  }))
  for (const { name, text } of testFiles) {
    const words = new Set(text.match(/\w+/g))
    for (const row of rows) if (words.has(row.id)) calls.get(row.id).add(name)
    for (const { method, literal } of pathLiterals(text)) {
      const fitting = patterns.filter((item) => item.fits.some((pattern) => pattern.test(literal)))
      // /2/users/me is not also /2/users/{id}.
      const fewest = Math.min(...fitting.map((item) => item.parts))
      const meant = fitting.filter((item) => item.parts === fewest).map((item) => item.row)
      const called = method ? meant.filter((row) => row.method === method) : meant.length === 1 ? meant : []
      for (const row of called) calls.get(row.id).add(name)
    }
  }
  return calls
}

const pathPattern = (route) => new RegExp(`^${route.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`)

/** Paths written as text, with the method of the call around them where there is one. */
function pathLiterals(source) {
  // A value in a template stands for one part of a path.
  let text = source
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/\$\{[^{}]*\}/g, '1')
  }
  const call = /(?:\b(get|post|put|delete)\(\s*|(['"])(GET|POST|PUT|DELETE)\2,\s*)?['"`]1?(\/[\d.]+\/[^'"`?\s]*)/g
  return [...text.matchAll(call)].map((hit) => ({ method: (hit[1] ?? hit[3])?.toUpperCase(), literal: hit[4] }))
}

/** Families whose tests write paths relative to an account: how to find those calls. */
const RELATIVE_CALLS = {
  ads: (row, testFiles) => {
    const relative = row.path.replace(/^\/\d+\/(?:accounts\/\{account_id\}\/)?/, '')
    const route = relative.replace(/\{[^}]+\}/g, '\\$\\{[^}]+\\}')
    const methods = row.method === 'POST' ? 'post|made' : row.method.toLowerCase()
    const call = new RegExp(`(?:\\b(?:${methods})\\(\\s*|'${row.method}',\\s*)['"\`][^'"\`?]*?\\b${route}['"\`?]`)
    return testFiles
      .filter((file) => file.name.startsWith('tests/ads/') && call.test(file.text))
      .map((file) => file.name)
  },
}

/** The test files of the project, except those that run over every operation. */
export function readTestFiles() {
  return readdirSync(path.join(root, 'tests'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .map((file) => ({ name: path.relative(root, file).split(path.sep).join('/'), text: readFileSync(file, 'utf8') }))
    .filter((file) => !/^tests\/(contract\/(?!rate-limits)|guards\/|ads\/contract)/.test(file.name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

/** The reference documents of the families, by id. */
export const readReferences = (families) =>
  Object.fromEntries(
    families
      .filter(({ reference }) => reference.length > 0)
      .map(({ id }) => [
        id,
        JSON.parse(readFileSync(path.join(root, 'tests/reference', `${id}.openapi.json`), 'utf8')),
      ]),
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { families } = await import('../dist/app.js')
  const page = coveragePage({ families, references: readReferences(families), testFiles: readTestFiles() })
  writeFileSync(path.join(root, 'COVERAGE.md'), page)
}
