const NEWLINE = 10
/** A longer line is not one that Rostra wrote. */
const LONGEST_LINE = 64 * 1024 * 1024

export class LineTooLong extends Error {
  constructor() {
    super(`a line has more than ${LONGEST_LINE} bytes`)
  }
}

/** Cuts bytes into lines, without their ends. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, at)
      yield rest.length === 0 ? end.toString('utf8') : Buffer.concat([...rest, end]).toString('utf8')
      rest = []
      length = 0
      from = at + 1
    }
    if (from === chunk.length) continue
    rest.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > LONGEST_LINE) throw new LineTooLong()
  }
  if (length > 0) yield Buffer.concat(rest).toString('utf8')
}
