import type { UserBatch } from './read-user-batch.ts'

/** The result of a batch: the keys that it deletes, and those of the users who are members at its end. */
export interface SettledBatch {
  /** Keys by which earlier members are removed. */
  deleted: number[]
  /** Keys of members, each with the member that it belongs to and the operation that added it. */
  kept: number[]
  members: string[]
  operations: number[]
}

const SINGLE_KEY = '0'

/** Goes through the operations from the last to the first: a user is a member unless a later deletion names one of their keys. */
export function settleBatch(batch: UserBatch): SettledBatch {
  const { keys, operations, personKeys, personEnds } = batch
  const settled: SettledBatch = { deleted: [], kept: [], members: [], operations: [] }
  const isDeletedLater = new Uint8Array(keys.size)
  const isKeptSingly = new Uint8Array(keys.size)
  const seenMembers = new Set<string>()
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
      let member = SINGLE_KEY
      if (own.length === 1) {
        if (isKeptSingly[own[0]!] === 1) continue
        isKeptSingly[own[0]!] = 1
      } else {
        member = keys.memberOf(own)
        if (seenMembers.has(member)) continue
        seenMembers.add(member)
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
