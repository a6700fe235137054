import { execFileSync } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readWorldFile } from '../../src/world/files/read-world-file.ts'
import { WorldFileError } from '../../src/world/files/world-file-error.ts'
import { removeFolder, temporaryFolder } from '../support/child-server.ts'

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
})
afterAll(() => removeFolder(folder))

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

test('ids, passwords and names need no quotes, and lose no digits', () => {
  const file = write('plain.yaml', 'users:\n  - username: yes\n    id: 1950000000000000001\n    password: 0012345678\n')
  expect(readWorldFile(file).world).toEqual({
    users: [{ username: 'yes', id: '1950000000000000001', password: '0012345678' }],
  })
})

test('a world file may be JSON, and YAML may repeat parts by name', () => {
  const json = write('world.json', '{"users":[{"username":"ana","protected":true}]}')
  expect(readWorldFile(json).world).toEqual({ users: [{ username: 'ana', protected: true }] })
  const yaml = write(
    'named.yaml',
    'users:\n  - username: ana\n    follows: &all [bo, cy]\n  - username: dee\n    follows: *all\n',
  )
  expect(readWorldFile(yaml).world).toMatchObject({ users: [{}, { follows: ['bo', 'cy'] }] })
})

test('a media item has the bytes of the file beside the world file', () => {
  write('dot.bin', 'bytes')
  const file = write('media.yaml', 'posts:\n  - author: ana\n    media:\n      - file: dot.bin\n')
  expect(readWorldFile(file).world).toMatchObject({
    posts: [{ media: [{ file: 'dot.bin', data: Buffer.from('bytes').toString('base64') }] }],
  })
  const missing = write('missing.yaml', 'posts:\n  - author: ana\n    media:\n      - file: none.png\n')
  expect(() => readWorldFile(missing)).toThrow(
    `${missing}:4:15: the file ${path.join(folder, 'none.png')} does not exist`,
  )
})

test('a file that is not YAML is refused with line and column', () => {
  const file = write('broken.yaml', 'users:\n  - username: "ana\n')
  expect(() => readWorldFile(file)).toThrow(new RegExp(`^${file}:\\d+:\\d+: `))
  const twice = write('twice.yaml', 'users: []\nusers: []\n')
  expect(() => readWorldFile(twice)).toThrow(`${twice}:2:1: Map keys must be unique`)
})

test('a fault is shown with the line and column of its value, or of what lacks it', () => {
  const file = write(
    'faults.yaml',
    'users:\n  - username: ana\n    follows:\n      - bo\n      - cy\nposts:\n  - text: hi\n',
  )
  const explained = readWorldFile(file).explain([
    { path: '$.world.users[0].follows[1]', message: '$.world.users[0].follows[1]: there is no user cy' },
    { path: '$.world.posts[0].author', message: '$.world.posts[0].author: is missing but it is required' },
  ])
  expect(explained).toBe(
    `${file}:5:9: users[0].follows[1]: there is no user cy\n${file}:7:5: posts[0].author: is missing but it is required`,
  )
})

test.each([
  ['repeats itself without end', 'users: &all\n  - *all\n'],
  ['is nested deeply', `users: ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ['is a deep JSON', `{"users": ${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
])('a file that %s is refused with a sentence', (_words, text) => {
  const file = write('hostile.yaml', text)
  expect(() => readWorldFile(file)).toThrow(
    new WorldFileError(`The world file ${file} is nested more than 100 levels deep.`),
  )
})

// Each line stands for ten of the line before: the last for a billion.
const BOMB = Array.from(
  { length: 9 },
  (_, at) =>
    `  - &a${at} [${Array(10)
      .fill(at === 0 ? 'x' : `*a${at - 1}`)
      .join(', ')}]\n`,
).join('')

test.each([
  ['repeats its parts a billion times', `users:\n${BOMB}`],
  ['repeats them as names of members', `users:\n${BOMB}  - { ? *a8 : 1 }\n`],
  ['repeats 200,001 values', `users: &all\n${'  - x\n'.repeat(1_000)}posts: [${'*all, '.repeat(200)}]\n`],
])('a file that %s is refused at once', (_words, text) => {
  const file = write('hostile.yaml', text)
  const began = performance.now()
  expect(() => readWorldFile(file)).toThrow(
    new WorldFileError(`The world file ${file} repeats more than 200000 values by aliases.`),
  )
  expect(performance.now() - began).toBeLessThan(1_000)
})

test('a member that is there twice is found in one pass, however many there are', () => {
  const members = Array.from({ length: 50_000 }, (_, at) => `  member_${at}: 1\n`).join('')
  const file = write('wide.yaml', `users:\n${members}  member_7: 2\n`)
  const began = performance.now()
  expect(() => readWorldFile(file)).toThrow(`${file}:50002:3: Map keys must be unique`)
  // Each compared with all others would take minutes.
  expect(performance.now() - began).toBeLessThan(15_000)
})

test('a name can be given again, and stands for what had it last', () => {
  const file = write(
    'renamed.yaml',
    'users:\n  - &one { username: ana }\n  - *one\n  - &one { username: bo }\n  - *one\n',
  )
  expect(readWorldFile(file).world).toEqual({
    users: [{ username: 'ana' }, { username: 'ana' }, { username: 'bo' }, { username: 'bo' }],
  })
})

test('a media item is read only from a file of a size that media can have', () => {
  const of = (name: string) => write('media.yaml', `posts:\n  - author: ana\n    media:\n      - file: ${name}\n`)
  expect(() => readWorldFile(of('/dev/zero'))).toThrow('/dev/zero is not a file')
  execFileSync('mkfifo', [path.join(folder, 'pipe')])
  expect(() => readWorldFile(of('pipe'))).toThrow(`${path.join(folder, 'pipe')} is not a file`)
  truncateSync(write('large.mp4', ''), 600 * 1024 * 1024)
  expect(() => readWorldFile(of('large.mp4'))).toThrow('is larger than 536870912 bytes')
  expect(() => readWorldFile('/dev/zero')).toThrow('The world file /dev/zero is not a file.')
})
