// Writes COVERAGE.md: which operations of the reference are built, and which tests call them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const METHODS = ['get', 'post', 'put', 'delete']
const KIND_WORDS = { BearerToken: 'app', OAuth2UserToken: 'OAuth 2.0', UserToken: 'OAuth 1.0a' }

/** The text of COVERAGE.md. `endpoints` are served without being declared operations; `rename` spells a path in the legacy naming. */
export function coveragePage({ operations, endpoints, rename, reference, testFiles, ads }) {
  const served = [...operations, ...endpoints.map((endpoint) => ({ ...endpoint, auth: 'none' }))]
  const rows = referenceRows(reference).map((row) => ({
    ...row,
    legacy: rename(row.path),
    built: served.find((item) => item.id === row.id && item.method === row.method && item.path === row.path),
  }))
  const calls = findCalls(rows, testFiles)
  const tags = [...new Set([...(reference.tags ?? []).map((tag) => tag.name), ...rows.map((row) => row.tag)])]
  const extra = served.filter((item) => !rows.some((row) => row.built === item))
  const count = rows.filter((row) => row.built).length
  const lines = [
    '# Coverage',
    '',
    `Written by \`npm run coverage-page\` from the declared operations and the references (version ${reference.info.version}, and version 12 of the advertising interface). A test fails when this page is out of date.`,
    '',
    `**${count} of ${rows.length} operations of version 2 are built.** Each declared one is called in both namings by \`tests/contract/operations.test.ts\`: refusals, parameters, and answers against its schema.`,
    '',
    'The column Tests lists the other test files that contain the operation id, or its method and route in either naming. Calls through client libraries or with composed paths are not found.',
    '',
    '| Tag | Built | Of |',
    '|---|---:|---:|',
  ]
  for (const tag of tags) {
    const own = rows.filter((row) => row.tag === tag)
    if (own.length > 0) lines.push(`| ${tag} | ${own.filter((row) => row.built).length} | ${own.length} |`)
  }
  for (const tag of tags) {
    const own = rows.filter((row) => row.tag === tag)
    if (own.length === 0) continue
    lines.push(
      '',
      `## ${tag}`,
      '',
      '| Built | Operation | Route | Legacy route | Credentials | Tests |',
      '|---|---|---|---|---|---|',
    )
    for (const row of own) lines.push(rowLine(row, calls.get(row.id)))
  }
  if (extra.length > 0) lines.push('', ...beyondLines(extra))
  if (ads) lines.push('', ...adsLines(ads, testFiles))
  return `${lines.join('\n')}\n`
}

const beyondLines = (operations) => [
  '## Beyond the reference',
  '',
  '| Operation | Route |',
  '|---|---|',
  ...operations.map((item) => `| ${item.id} | \`${item.method} ${item.path}\` |`),
]

/** The advertising interface has its own tables: it accepts only OAuth 1.0a, so it needs no column of credentials. */
function adsLines({ operations, rename, reference }, testFiles) {
  const rows = referenceRows(reference).map((row) => ({
    ...row,
    legacy: rename(row.path),
    built: operations.find((item) => item.id === row.id),
  }))
  const tags = [...new Set(rows.map((row) => row.tag))].sort()
  const lines = [
    '# Advertising',
    '',
    `**${rows.filter((row) => row.built).length} of ${rows.length} operations are built.** Analytics and measurement come later. Each declared one is called in both namings by \`tests/ads/contract.test.ts\`, with refusals and hostile values, and its answer is checked against its own schema and the reference's.`,
    '',
    '| Tag | Built | Of |',
    '|---|---:|---:|',
    ...tags.map((tag) => {
      const own = rows.filter((row) => row.tag === tag)
      return `| ${tag} | ${own.filter((row) => row.built).length} | ${own.length} |`
    }),
    '',
    '| Built | Operation | Route | Legacy route | Tests |',
    '|---|---|---|---|---|',
  ]
  for (const row of rows.toSorted((left, right) => (left.tag < right.tag ? -1 : left.tag > right.tag ? 1 : 0))) {
    const legacy = row.legacy === row.path ? 'the same' : `\`${row.legacy}\``
    const tests = row.built
      ? adsCallers(row, testFiles)
          .map((name) => `\`${name}\``)
          .join(', ') || 'contract only'
      : ''
    lines.push(`| ${row.built ? 'yes' : 'no'} | ${row.id} | \`${row.method} ${row.path}\` | ${legacy} | ${tests} |`)
  }
  const extra = operations.filter((item) => !rows.some((row) => row.built === item))
  if (extra.length > 0) lines.push('', ...beyondLines(extra))
  return lines
}

/** Test files that contain the operation id, or its method and the part of its route after the account. */
function adsCallers(row, testFiles) {
  const relative = row.path.replace(/^\/\d+\/(?:accounts\/\{account_id\}\/)?/, '')
  const route = relative.replace(/\{[^}]+\}/g, '\\$\\{[^}]+\\}')
  const methods = row.method === 'POST' ? 'post|made' : row.method.toLowerCase()
  const call = new RegExp(`(?:\\b(?:${methods})\\(\\s*|'${row.method}',\\s*)['"\`][^'"\`?]*?\\b${route}['"\`?]`)
  const id = new RegExp(`\\b${row.id}\\b`)
  return testFiles
    .filter((file) => file.name.startsWith('tests/ads/') && (call.test(file.text) || id.test(file.text)))
    .map((file) => file.name)
}

function rowLine(row, files) {
  const legacy = row.legacy === row.path ? 'the same' : `\`${row.legacy}\``
  const kinds = row.built ? builtKinds(row.built.auth) : row.kinds
  const tests = row.built
    ? [...files]
        .sort()
        .map((name) => `\`${name}\``)
        .join(', ') || 'contract only'
    : ''
  return `| ${row.built ? 'yes' : 'no'} | ${row.id} | \`${row.method} ${row.path}\` | ${legacy} | ${kinds.join(', ') || 'none'} | ${tests} |`
}

const builtKinds = (auth) =>
  auth === 'none' ? [] : [auth.app && 'app', auth.oauth2 && 'OAuth 2.0', auth.oauth1 && 'OAuth 1.0a'].filter(Boolean)

function referenceRows(reference) {
  return Object.entries(reference.paths).flatMap(([route, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      id: item[method].operationId,
      method: method.toUpperCase(),
      path: route,
      tag: item[method].tags?.[0] ?? 'General',
      kinds: (item[method].security ?? []).flatMap((rule) => Object.keys(rule).map((kind) => KIND_WORDS[kind] ?? kind)),
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
    for (const row of rows) if (new RegExp(`\\b${row.id}\\b`).test(text)) calls.get(row.id).add(name)
    for (const { method, literal } of pathLiterals(text)) {
      const fitting = patterns.filter((item) => item.fits.some((pattern) => pattern.test(literal)))
      // /2/users/me is itself, not /2/users/{id}.
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
  const call = /(?:\b(get|post|put|delete)\(\s*|(['"])(GET|POST|PUT|DELETE)\2,\s*)?['"`]1?(\/2\/[^'"`?\s]*)/g
  return [...text.matchAll(call)].map((hit) => ({ method: (hit[1] ?? hit[3])?.toUpperCase(), literal: hit[4] }))
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

const readJson = (name) => JSON.parse(readFileSync(path.join(root, 'tests/reference', name), 'utf8'))
export const readReference = () => readJson('v2.openapi.json')
export const readAdsReference = () => readJson('ads.openapi.json')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { operations } = await import('../dist/app.js')
  const { adsOperations } = await import('../dist/ads/operations.js')
  const { adsLegacyNaming, legacyNaming } = await import('../dist/legacy-words.js')
  const { openApiEndpoint } = await import('../dist/api-kit/describing/openapi.js')
  const page = coveragePage({
    operations,
    endpoints: [openApiEndpoint([], {})],
    rename: legacyNaming.rename,
    reference: readReference(),
    testFiles: readTestFiles(),
    ads: { operations: adsOperations, rename: adsLegacyNaming.rename, reference: readAdsReference() },
  })
  writeFileSync(path.join(root, 'COVERAGE.md'), page)
}
