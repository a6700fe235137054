import type { UserBatch } from './read-user-batch.ts'

/** What a batch comes to: the keys that it deletes, and those of the people who are in at its end. */
export interface Settled {
  /** Keys by which people who were in before are taken out. */
  deleted: number[]
  /** Keys of people, the member of each and the operation that put it in. */
  kept: number[]
  members: string[]
  operations: number[]
}

const ALONE = '0'

/** Follows the operations from the last to the first: who is put in stays unless a later deletion names one of their keys. */
export function settleBatch(batch: UserBatch): Settled {
  const { keys, operations, personKeys, personEnds } = batch
  const settled: Settled = { deleted: [], kept: [], members: [], operations: [] }
  const isDeletedLater = new Uint8Array(keys.size)
  const isKeptAlone = new Uint8Array(keys.size)
  const knownMembers = new Set<string>()
  let person = personEnds.length - 1
  for (let at = operations.length - 1; at >= 0; at--) {
    const { people, isDelete } = operations[at]!
    for (let count = 0; count < people; count++, person--) {
      const start = person === 0 ? 0 : personEnds[person - 1]!
      const end = personEnds[person]!
      if (isDelete) {
        for (let index = start; index < end; index++) {
          const key = personKeys[index]!
          if (isDeletedLater[key] === 0) settled.deleted.push(key)
          isDeletedLater[key] = 1
        }
        continue
      }
      const own = distinct(personKeys, start, end)
      if (own.some((key) => isDeletedLater[key] === 1)) continue
      let member = ALONE
      if (own.length === 1) {
        if (isKeptAlone[own[0]!] === 1) continue
        isKeptAlone[own[0]!] = 1
      } else {
        member = keys.memberOf(own)
        if (knownMembers.has(member)) continue
        knownMembers.add(member)
      }
      for (const key of own) {
        settled.kept.push(key)
        settled.members.push(member)
        settled.operations.push(at)
      }
    }
  }
  return settled
}

const distinct = (personKeys: number[], start: number, end: number): number[] =>
  end - start === 1 ? [personKeys[start]!] : [...new Set(personKeys.slice(start, end))]
