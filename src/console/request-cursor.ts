import { processOf, type RecordedRequest, seqAt } from '../api-kit/serving/request-log.ts'

const DIGITS = /^\d{14,22}$/
const MOST_PROCESSES = 512

/**
 * Which requests a reader has. Requests of one process arrive in their order, those of several do not: so the cursor has the last
 * request of each process. From a process that it does not name, the reader has those before `since`.
 */
export class RequestCursor {
  readonly since: string
  readonly #last = new Map<string, string>()

  constructor(since: string) {
    this.since = since
  }

  /** For a reader that wants what comes from now on. */
  static at(ms: number): RequestCursor {
    return new RequestCursor(seqAt(ms))
  }

  /** Reads what `text` wrote; undefined if it is something else. */
  static parse(text: string): RequestCursor | undefined {
    const [since, ...last] = text.split('-', MOST_PROCESSES + 1)
    if (![since!, ...last].every((part) => DIGITS.test(part))) return undefined
    const cursor = new RequestCursor(since!)
    for (const seq of last) cursor.#last.set(processOf(seq), seq)
    return cursor
  }

  get text(): string {
    return [this.since, ...this.#last.values()].join('-')
  }

  has({ seq }: Pick<RecordedRequest, 'seq'>): boolean {
    return seq <= (this.#last.get(processOf(seq)) ?? this.since)
  }

  /** The requests that the reader does not have, oldest first. Afterwards it has them. */
  take(requests: readonly RecordedRequest[]): RecordedRequest[] {
    const fresh = requests
      .filter((request) => !this.has(request))
      .sort((left, right) => (left.seq < right.seq ? -1 : 1))
      .filter((request, index, all) => request.seq !== all[index - 1]?.seq)
    for (const { seq } of fresh) this.#last.set(processOf(seq), seq)
    return fresh
  }
}
