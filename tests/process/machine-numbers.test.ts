import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { readSettings } from '../../src/settings.ts'
import { takeMachineNumbers } from '../../src/start/machine-numbers.ts'

test('processes on one database have different numbers, and another database on the same server does not count', async () => {
  const connection = inject('connection')
  const admin = new pg.Client({ ...connection, database: 'postgres', ssl: false })
  await admin.connect()
  const names = [1, 2].map((number) => `rostra_numbers_${process.pid}_${number}`)
  const taken: Awaited<ReturnType<typeof takeMachineNumbers>>[] = []
  const take = async (database: string) => {
    const settings = readSettings(['--database-url', `postgresql://localhost/${database}`], {})
    const numbers = await takeMachineNumbers(settings, { ...connection, database, ssl: false } as never, 2)
    taken.push(numbers)
    return [numbers.of(0), numbers.of(1)]
  }
  try {
    for (const name of names) await admin.query(`create database ${name} template template0 strategy file_copy`)
    expect([await take(names[0]!), await take(names[0]!), await take(names[1]!)]).toEqual([
      [0, 1],
      [2, 3],
      [0, 1],
    ])
  } finally {
    for (const numbers of taken) await numbers.release()
    for (const name of names) await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
  }
})
