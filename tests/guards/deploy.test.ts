import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingFlags } from '../../src/settings.ts'
import { ROOT } from './source-files.ts'

const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8')
const known = Object.values(settingFlags)
  .map((flag) => flag.help)
  .join(' ')
/** Variables of ours that are not settings. */
const unknown = (text: string) => [...new Set(text.match(/\bROSTRA_[A-Z_]+/g))].filter((name) => !known.includes(name))

test('the files for operators set only variables that exist', () => {
  for (const name of ['deploy/Dockerfile', 'deploy/compose.yaml', 'deploy/rostra.service', 'action.yml'])
    expect([name, unknown(read(name))]).toEqual([name, []])
})

test('the image runs as a user, and its health check is the status of the server', () => {
  const lines = read('deploy/Dockerfile').split('\n')
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  expect(last).toContain('USER node')
  expect(last.find((line) => line.startsWith('HEALTHCHECK'))).toMatch(
    /CMD \["node", "\/app\/bin\/rostra\.js", "status"\]$/,
  )
})

test('compose and the action are YAML with what they need', () => {
  const { services } = parse(read('deploy/compose.yaml'))
  expect(services.rostra.build.dockerfile).toBe('deploy/Dockerfile')
  const { runs, outputs } = parse(read('action.yml'))
  expect(runs.using).toBe('composite')
  expect(Object.keys(outputs)).toEqual(['base-url', 'credentials'])
})
